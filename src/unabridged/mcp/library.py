"""The conversations that a server offers: of a project in a store, or of transcripts in a folder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Protocol

import msgspec

from unabridged.archive import Archive, MemoryShelf
from unabridged.errors import BadInput, UnabridgedError
from unabridged.importers import Imported, read_file
from unabridged.log import Log
from unabridged.store import Project
from unabridged.transcript import Transcript

OPEN = 8
"""Conversations that are kept ready to be searched."""
LARGEST = 200_000_000
"""Bytes of a file that is read: what is larger is no transcript."""


class Listed(msgspec.Struct, frozen=True):
    """A conversation in a list."""

    id: str
    title: str
    updated: str
    """When something was said last; empty where nobody knows."""


class Opened(msgspec.Struct, frozen=True):
    """A conversation that can be searched, whole."""

    id: str
    transcript: Transcript
    archive: Archive
    dialect: str


class Shelves(Protocol):
    """Where conversations come from."""

    def listed(self) -> Iterator[Listed]:
        """Give all, the newest first."""
        ...

    def transcript(self, id: str) -> tuple[Transcript, str]:
        """Give one with the dialect it was held in. Raises `UnabridgedError`."""
        ...


class Library:
    """Opens conversations, and keeps a few of them open."""

    def __init__(self, shelves: Shelves) -> None:
        self._shelves = shelves
        self._open: OrderedDict[str, tuple[Opened, int]] = OrderedDict()

    def listed(self) -> Iterator[Listed]:
        """Give all conversations, the newest first."""
        return self._shelves.listed()

    def opened(self, id: str) -> Opened:
        """Give a conversation as it stands now. Raises `UnabridgedError` for one that is not there."""
        transcript, dialect = self._shelves.transcript(id)
        known, upto = self._open.pop(id, (None, 0))
        same = known is not None and _goes_on(known.transcript, transcript, upto)
        archive = known.archive if known is not None and same else Archive(MemoryShelf())
        records = transcript.records
        archive.add(records, range(upto if same else 0, len(records)), transcript.log.ancestry(transcript.branch))
        opened = Opened(id, transcript, archive, dialect)
        self._open[id] = (opened, len(records))
        while len(self._open) > OPEN:
            self._open.popitem(last=False)
        return opened


def _goes_on(known: Transcript, now: Transcript, upto: int) -> bool:
    """Tell whether a conversation is what it was, and more."""
    if known.branch != now.branch or len(now.records) < upto:
        return False
    return upto == 0 or known.records[upto - 1].message.id == now.records[upto - 1].message.id


class StoredShelves:
    """The sessions of one project."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def listed(self) -> Iterator[Listed]:
        """Give all sessions, the newest first."""
        after: str | None = None
        while page := self._project.sessions(after=after):
            yield from (Listed(head.id, head.title, head.updated) for head in page)
            after = page[-1].id

    def transcript(self, id: str) -> tuple[Transcript, str]:
        """Open the newest branch of a session. Raises `NotFound`."""
        transcript = Transcript(self._project.open(id).log)
        dialects = (record.message.raw.dialect for record in transcript.records[:1] if record.message.raw is not None)
        return transcript, next(dialects, "openai_chat")


class ImportedShelves:
    """The transcripts in a folder, of every format that `unabridged import` reads."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BadInput(f"{folder} is no folder: give one that holds transcripts")
        self._folder = folder
        self._read: dict[str, tuple[float, list[Imported]]] = {}

    def listed(self) -> Iterator[Listed]:
        """Give all conversations, those of the newest file first."""
        for path in sorted(self._files(), key=lambda path: -path.stat().st_mtime):
            for number, each in enumerate(self._conversations(path)):
                times = [message.time for message in each.messages if message.time]
                yield Listed(self._id(path, number), each.name, times[-1] if times else "")

    def transcript(self, id: str) -> tuple[Transcript, str]:
        """Read a conversation by its id: the file's path in the folder, and `#2` for the second in it."""
        name, _, number = id.rpartition("#") if "#" in id else (id, "", "1")
        known = {str(path.relative_to(self._folder)): path for path in self._files()}  # nothing outside is reached
        found = self._conversations(known[name]) if name in known else []
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= len(found)):
            raise BadInput(f"there is no conversation {id!r} here: list_sessions gives their ids")
        conversation = found[int(number) - 1]
        transcript = Transcript(Log())
        transcript.log.media.update(conversation.media)
        for message in conversation.messages:
            fresh = message.id in transcript.position
            id_once = f"{message.id}+{len(transcript.records)}" if fresh else message.id
            transcript.append(msgspec.structs.replace(message, id=id_once) if fresh else message)
            if message.id in conversation.hidden:
                transcript.hide(id_once)
        return transcript, conversation.dialect

    def _files(self) -> list[Path]:
        return [path for path in self._folder.rglob("*") if path.is_file() and path.stat().st_size <= LARGEST]

    def _id(self, path: Path, number: int) -> str:
        name = str(path.relative_to(self._folder))
        return f"{name}#{number + 1}" if number else name

    def _conversations(self, path: Path) -> list[Imported]:
        key, changed = str(path), path.stat().st_mtime
        known = self._read.get(key)
        if known is None or known[0] != changed:
            found: list[Imported] = []
            with suppress(UnabridgedError):  # a folder holds other files too
                found = read_file(path)
            known = self._read[key] = (changed, found)
        return known[1]


def newest(library: Library, count: int) -> Sequence[Listed]:
    """Give the newest conversations."""
    return list(islice(library.listed(), count))
