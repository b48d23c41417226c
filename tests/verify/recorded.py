"""The recorded conversations that the verification walks: every file of the shared data, or why it holds none."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from tests.shared import DATA
from tests.verify.dialogues import dialogues, is_dialogue
from unabridged.errors import BadInput
from unabridged.importers import Imported, read_file

ROOT = "."
"""Stands for the folder of files that lie beside the folders."""
NO_CONVERSATION = {
    "LICENSE.*": "text of a licence",
    "README.md": "says what the folders hold",
    "probing_questions_*": "questions about conversations of other files",
    "locomo-audit-errors*": "list of wrong gold answers",
}
"""Files that hold no conversation, by name, each with what it is."""


class Source(NamedTuple):
    """One file of the shared data."""

    home: str
    """Its folder."""
    path: Path
    holds: int = 0
    """How many conversations."""
    none: str = ""
    """What it is where it holds no conversation."""
    fault: str = ""
    """Why it could not be read where it should have been."""


def sources(folder: str | None = None) -> Iterator[Source]:
    """Give every file; none is passed over."""
    for path in sorted(path for path in DATA.rglob("*") if path.is_file()):
        parts = path.relative_to(DATA).parts
        home = parts[0] if len(parts) > 1 else ROOT
        if folder in (None, home):
            yield _source(home, path)


def read(path: Path) -> list[Imported]:
    """Read the conversations of a file. Raises `BadInput` where nobody can."""
    return dialogues(path) if is_dialogue(path) else read_file(path)


def recorded() -> Iterator[tuple[str, Path, list[Imported]]]:
    """Give (folder, file, conversations) for every file that an importer reads."""
    for source in sources():
        if source.holds and not is_dialogue(source.path):
            yield source.home, source.path, read(source.path)


def _source(home: str, path: Path) -> Source:
    known = next((what for pattern, what in NO_CONVERSATION.items() if fnmatch(path.name, pattern)), "")
    if known:
        return Source(home, path, none=known)
    try:
        conversations = read(path)
    except BadInput as refusal:
        return Source(home, path, fault=str(refusal))
    if not conversations:
        return Source(home, path, fault="no conversation was found in it")
    return Source(home, path, len(conversations))
