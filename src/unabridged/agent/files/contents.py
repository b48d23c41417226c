"""Contents of files by their digest: each is kept once, however many files and turns it stands in."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from unabridged.agent.files.opening import read_file
from unabridged.agent.files.seen import digest_of
from unabridged.agent.tool import ToolError


class Contents:
    """A folder of contents, readable by its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._durable: set[str] = set()

    def put(self, data: bytes, *, durable: bool = True) -> str:
        """Keep a content; give its digest. Durable, it outlives a loss of power from here on. Raises `OSError`."""
        digest = digest_of(data)
        path = self._path(digest)
        if _has(path, len(data)):
            if durable and digest not in self._durable:
                _flush(path)
                self._durable.add(digest)
            return digest
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name[:8]}.{secrets.token_hex(6)}.tmp")
        try:
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(handle, left) :]
                if durable:
                    os.fsync(handle)
            finally:
                os.close(handle)
            beside.rename(path)
        except BaseException:  # whatever it was: nothing half-written is left behind
            with suppress(OSError):
                beside.unlink()
            raise
        if durable:
            _flush(path.parent)
            self._durable.add(digest)
        return digest

    def get(self, digest: str) -> bytes:
        """Give a content. Raises `ToolError` where it is missing or damaged."""
        try:
            data, _ = read_file(self._path(digest), 1 << 40)
        except OSError:
            raise ToolError("what was kept of it is missing") from None
        if digest_of(data) != digest:
            raise ToolError("what was kept of it is damaged")
        return data

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]


def _has(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
