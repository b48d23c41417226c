"""Folders of sessions: where commands of a session run, and nothing else of the server lies."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
from pathlib import Path

import msgspec

from unabridged.folders import data_folder

_TRIES = 3


class SessionFolder(msgspec.Struct, frozen=True):
    """What a session has on disk."""

    work: Path
    """What commands find and leave behind."""
    temp: Path
    """Their temporary files. Empty before each command."""


def session_folder(data: str, project: str, session: str) -> Path:
    """Give where the folder of a session is, or would be. `data` is the server's, "" that in the user's data folder."""
    root = Path(data) if data else data_folder() / "server"
    names = [hashlib.sha256(name.encode()).hexdigest()[:24] for name in (project, session)]
    return Path(os.path.realpath(root), "workspaces", *names)


def made(folder: Path) -> SessionFolder:
    """Make what is not there yet of a session's folder, for this user alone. Raises `OSError`."""
    for each in (folder.parent.parent, folder.parent, folder, folder / "work", folder / "temp"):
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
    return SessionFolder(folder / "work", folder / "temp")


def emptied(folder: Path) -> None:
    """Take out all that lies in a folder of temporary files."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            _remove(Path(entry.path))
        else:
            with contextlib.suppress(OSError):
                os.unlink(entry.path)


def erase_folder(folder: Path) -> None:
    """Erase a session's folder, where it has one. Raises `OSError` where something of it is left."""
    if not folder.is_dir():
        return
    # Out of the way first: a session that begins now under the same name must not find what was here.
    aside = folder.with_name(f"{folder.name}.{secrets.token_hex(4)}.erased")
    folder.rename(aside)
    _remove(aside)
    if aside.exists():
        raise OSError(f"{aside} could not be erased whole: end what still writes there, and remove it")
    with contextlib.suppress(OSError):
        folder.parent.rmdir()


def _remove(folder: Path) -> None:
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        _open_up(folder)


def _open_up(folder: Path) -> None:
    """Make all folders below one writable again: a command may have closed them to hinder this."""
    left = [str(folder)]
    while left:
        at = left.pop()
        with contextlib.suppress(OSError):
            place = os.open(at, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                # By what was opened, not by its name: that could be a link by now, to a folder that is not ours.
                os.chmod(f"/proc/self/fd/{place}", 0o700)
            finally:
                os.close(place)
            left += [entry.path for entry in os.scandir(at) if entry.is_dir(follow_symlinks=False)]
