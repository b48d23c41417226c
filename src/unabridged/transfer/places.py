"""Where files are written: never over one that is there, and never half of one."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from unabridged.errors import BadInput

_PACKED = (".gz", ".zip")
_UNSAFE = re.compile(r"[^\w.-]+")


class Places:
    """Gives each file that is written its place: the one that was asked for, or one in the folder that was."""

    def __init__(self, out: str | None, *, several: bool) -> None:
        self._out = out
        self._several = several

    def of(self, file: Path, suffix: str, *, key: str = "", of: int = 1) -> Path | None:
        """Give the place for one of `of` outputs of a file; None for the terminal.

        Raises `BadInput` where several things would have to go to the terminal.
        """
        many = self._several or of > 1
        if self._out == "-":
            if many:
                raise BadInput(
                    f"{file.name}: several conversations do not go into one output: choose, or name a folder"
                )
            return None
        asked = Path(self._out) if self._out is not None else None
        if asked is not None and not many and not asked.is_dir():
            return asked
        name = f"{_stem(file)}-{key}" if key else _stem(file)
        return (asked or Path()) / (_UNSAFE.sub("-", name) + suffix)


def _stem(file: Path) -> str:
    """Give a file's name without what says how it is packed and what it is."""
    name = file.name
    for suffix in _PACKED:
        name = name.removesuffix(suffix)
    return (Path(name).stem or name).removesuffix(".unabridged")


@contextmanager
def new_file(place: Path) -> Generator[Path]:
    """Give a name to write to, which becomes the file once everything is written. Its folder is made.

    Raises `BadInput` where there is something at this place already.
    """
    if place.exists():
        raise BadInput(f"{place} is already there: choose another place with -o")
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.part")
    part.unlink(missing_ok=True)
    # Private conversations: nobody else may read them, while they are written neither.
    os.close(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
    try:
        yield part
        part.rename(place)
    finally:
        part.unlink(missing_ok=True)
