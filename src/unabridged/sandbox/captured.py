"""What a command wrote: whole in memory up to a bound, beyond it the ends in memory and the whole in a file."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from unabridged.sandbox.plain import plain

IN_MEMORY = 2_000_000
IN_A_FILE = 256_000_000


class Captured:
    """Output as it comes in. `close` it when no more can come."""

    def __init__(self, folder: Path | None, *, in_memory: int = IN_MEMORY, in_a_file: int = IN_A_FILE) -> None:
        """`folder` takes the files of long outputs; it is made when the first one comes. None: only the ends stay."""
        self._folder = folder
        self._half = in_memory // 2
        self._most = in_a_file
        self._head = bytearray()
        self._tail = bytearray()
        self._file = -1
        self._written = 0
        self._trouble = ""
        self.path: Path | None = None
        """Where the whole is, if it is too long for memory."""
        self.size = 0

    def add(self, data: bytes) -> None:
        """Take in what came."""
        self.size += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
        self._tail += data[max(room, 0) :]
        if self._file < 0 and len(self._tail) > self._half and not self._trouble:
            self._open()
        elif self._file >= 0:
            self._write(data)
        # Cut seldom, or every chunk would move all that is kept.
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def text(self) -> str:
        """Give all of it, for a model: without the middle where that is too long, which is said."""
        return self.since(0)[0]

    def since(self, at: int) -> tuple[str, int]:
        """Give what came after a position, and the position now."""
        tail = self._tail[-self._half :]
        starts = self.size - len(tail)
        head = self._head[at:]
        if starts <= len(self._head):
            return _read(head + tail[max(0, at - len(self._head)) :]), self.size
        missing = starts - max(at, len(self._head))
        if missing <= 0:
            return _read(tail[at - starts :]), self.size
        return f"{_read(head)}\n[... {missing:,} bytes left out here{self._where()} ...]\n{_read(tail)}", self.size

    def close(self) -> None:
        """Finish the file, if there is one."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _where(self) -> str:
        if self._folder is None:
            return ""
        if self.path is None:
            return f"; they could not be kept ({self._trouble})"
        cut = f"; only the first {self._written:,} bytes are there" if self.size > self._written else ""
        return f"; the whole output is in {self.path}{cut}"

    def _open(self) -> None:
        if self._folder is None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = self._folder / f"output-{secrets.token_hex(6)}.txt"
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            self._trouble = str(error)
            return
        self.path = path
        self._write(bytes(self._head + self._tail))

    def _write(self, data: bytes) -> None:
        left = memoryview(data)[: max(0, self._most - self._written)]
        try:
            while left:
                count = os.write(self._file, left)
                self._written += count
                left = left[count:]
        except OSError as error:
            self._trouble = str(error)
            self.close()


def _read(data: bytes | bytearray) -> str:
    return plain(data.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}"))
