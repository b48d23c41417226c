"""Opening files such that nothing is followed that was not resolved before, and saying what went wrong."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from unabridged.agent.tool import ToolError

WHOLE = 32 * 1024 * 1024
"""Bytes of a file that is read and changed whole. What is larger is read in parts, and changed by other means."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without waiting: a pipe that nobody writes to would be waited for without end.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of the disk is used up",
    errno.EFBIG: "the file would be larger than is allowed here",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied by the file system",
    errno.EPERM: "not permitted by the file system",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "a part of the path has become a link: give the path again",
    errno.ENOTDIR: "a part of the path is a file or a link, not a folder",
    errno.EISDIR: "it is a folder",
    errno.EIO: "the disk has an error",
    errno.ENOENT: "there is no such file or folder",
}


def reason(error: OSError) -> str:
    """Say in words why the system refused."""
    return _REASONS.get(error.errno or 0, error.strerror or str(error))


@contextmanager
def folder_of(path: Path, *, made: list[Path] | None = None) -> Generator[int]:
    """Open the folder of a resolved path, and follow no link on the way.

    With `made`, folders that are missing are made and put there. Raises `OSError`.
    """
    held = os.open(path.anchor, _FOLDER)
    try:
        for depth, part in enumerate(path.parts[1:-1], 2):
            try:
                inner = os.open(part, _FOLDER, dir_fd=held)
            except FileNotFoundError:
                if made is None:
                    raise
                os.mkdir(part, dir_fd=held)
                made.append(Path(*path.parts[:depth]))
                inner = os.open(part, _FOLDER, dir_fd=held)
            os.close(held)
            held = inner
        yield held
    finally:
        os.close(held)


def read_in(folder: int, name: str, most: int = WHOLE) -> tuple[bytes, os.stat_result]:
    """Give the content of a plain file, at most `most` bytes and one more. Raises `OSError`, `ToolError`."""
    _must_be_plain(name, os.stat(name, dir_fd=folder, follow_symlinks=False))
    handle = os.open(name, _FILE, dir_fd=folder)
    try:
        state = os.fstat(handle)
        _must_be_plain(name, state)  # it may be another by now
        pieces: list[bytes] = []
        left = most + 1
        # The size is not asked: files of the kernel say 0 and hold something.
        while left > 0 and (piece := os.read(handle, min(left, 1 << 20))):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces), state
    finally:
        os.close(handle)


def read_file(path: Path, most: int = WHOLE) -> tuple[bytes, os.stat_result]:
    """Give the content of a resolved path. Raises `OSError`, and `ToolError` for a folder, pipe or device."""
    with folder_of(path) as folder:
        return read_in(folder, path.name or ".", most)


def _must_be_plain(name: str, state: os.stat_result) -> None:
    """Refuse what is no plain file: opening a device can do things."""
    if not stat.S_ISREG(state.st_mode) and not stat.S_ISLNK(state.st_mode):
        raise ToolError(f"{name} is {_kind(state.st_mode)}, not a file")


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
