"""The recorded conversations that the verification walks: every Claude Code and message file of the shared data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.shared import DATA
from unabridged.errors import BadInput
from unabridged.importers import Imported, read_file

SUFFIXES = (".jsonl", ".json", ".gz", ".traj")


def recorded(folder: str | None = None) -> Iterator[tuple[str, Path, list[Imported]]]:
    """Give (folder, file, conversations) for every file that holds a supported form; others are passed over."""
    for path in sorted(DATA.rglob("*")):
        home = path.relative_to(DATA).parts[0]
        if not path.is_file() or path.suffix not in SUFFIXES or folder not in (None, home):
            continue
        try:
            yield home, path, read_file(path)
        except BadInput:
            continue
