"""Putting a content in a file's place: all of it or none, and only where the file is still what it was taken for.

A new file is written beside the old one, flushed, and renamed over it. Whoever reads sees one or the other.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from unabridged.agent.files.opening import folder_of, read_in, reason
from unabridged.agent.files.seen import ChangedSince, digest_of
from unabridged.agent.tool import ToolError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EACCES)


class Content(msgspec.Struct, frozen=True):
    """What a file is to hold."""

    data: bytes
    mode: int | None = None
    """Permission bits; None keeps those of the file that is replaced, and leaves those of a new one to the system."""


def place(path: Path, content: Content, *, expected: str | None) -> None:
    """Put a content at a resolved path; folders that are missing are made.

    `expected` is the digest of what is there now, None where nothing is. Raises `ChangedSince` where that is not so,
    and `ToolError` for what the file system refuses; the file is then as it was.
    """
    made: list[Path] = []
    try:
        with _said(path), folder_of(path, made=made if expected is None else None) as folder:
            _place(folder, path, content, expected)
    except BaseException:  # whatever it was, Ctrl-C too: folders that hold nothing are not left behind
        for each in reversed(made):
            with suppress(OSError):
                each.rmdir()
        raise


def remove(path: Path, *, expected: str) -> None:
    """Take a file away whose content has this digest. Raises as `place` does."""
    with _said(path), folder_of(path) as folder:
        _unchanged(folder, path, expected)
        os.unlink(path.name, dir_fd=folder)
        os.fsync(folder)


def _place(folder: int, path: Path, content: Content, expected: str | None) -> None:
    beside = f".{path.name[:40]}.{secrets.token_hex(6)}.tmp"
    old = _unchanged(folder, path, expected)
    handle = os.open(beside, _NEW, 0o600 if old is not None or content.mode is not None else 0o666, dir_fd=folder)
    try:
        try:
            if old is not None:
                _keep_owner(handle, old, folder, path)
            if content.mode is not None or old is not None:
                mode = content.mode if content.mode is not None else old.st_mode if old is not None else 0
                os.fchmod(handle, mode & 0o7777)
            _write(handle, content.data)
            os.fsync(handle)
        finally:
            os.close(handle)
        # Again, as late as can be: writing and flushing took time.
        _unchanged(folder, path, expected)
        if expected is None:
            _appear(folder, beside, path)
        else:
            os.rename(beside, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:  # whatever it was: nothing half-written is left behind
        with suppress(OSError):
            os.unlink(beside, dir_fd=folder)
        raise
    os.fsync(folder)


def _unchanged(folder: int, path: Path, expected: str | None) -> os.stat_result | None:
    try:
        state = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        state = None
    if expected is None:
        if state is not None:
            raise ChangedSince(f"{path} has come into being meanwhile: read it, then change it")
        return None
    if state is None:
        raise ChangedSince(f"{path} is gone: somebody removed it meanwhile")
    data, state = read_in(folder, path.name, state.st_size)
    if digest_of(data) != expected:
        raise ChangedSince(f"{path} was changed meanwhile, and not by you: read it again, then change it")
    return state


def _appear(folder: int, beside: str, path: Path) -> None:
    """Give a new file its name, and only where no other has it."""
    try:
        os.link(beside, path.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise ChangedSince(f"{path} has come into being meanwhile: read it, then change it") from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.rename(beside, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(beside, dir_fd=folder)


def _keep_owner(handle: int, old: os.stat_result, folder: int, path: Path) -> None:
    ours = os.fstat(handle)
    if (ours.st_uid, ours.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(handle, old.st_uid, old.st_gid)
        except PermissionError:
            raise ToolError(
                f"{path} belongs to another user or group (uid {old.st_uid}, gid {old.st_gid}), which cannot be kept:"
                " change it by a command, or have its owner changed first"
            ) from None
    _keep_attributes(handle, folder, path.name)


def _keep_attributes(handle: int, folder: int, name: str) -> None:
    """Take over access lists and other attributes, where there are such and the file system lets them be set."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        try:
            for each in os.listxattr(source):
                with suppress(OSError):
                    os.setxattr(handle, each, os.getxattr(source, each))
        finally:
            os.close(source)


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


@contextmanager
def _said(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise ToolError(f"{path} cannot be written: {reason(error)}. Nothing was changed") from error
