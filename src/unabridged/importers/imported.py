"""What an importer gives back: conversations out of a file, and the seam that every importer stands behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import msgspec

from unabridged.frame import Frame
from unabridged.importers.detection import Head
from unabridged.message import Message
from unabridged.report import Usage


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One model call that the file records.

    Its input were the messages before the answer; where the client compacted, its summary and what follows it.
    """

    answer: int
    """Position in `messages` of the assistant message that the call gave."""
    usage: Usage | None = None
    """As recorded; the input includes what was cached. None where the file says nothing."""
    model: str = ""


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation out of a file."""

    name: str
    """The file's name, with `#` and a number or an id where the file holds several conversations."""
    dialect: str
    """The wire that `messages` are at home on."""
    frame: Frame
    """What the file knows of system text, tools and parameters."""
    messages: tuple[Message, ...]
    media: dict[str, bytes]
    """Bytes of pictures and documents, by SHA-256 (hex)."""
    calls: tuple[RecordedCall, ...] = ()
    hidden: frozenset[str] = frozenset()
    """Ids of messages that no search finds: their user hid them."""
    problems: tuple[str, ...] = ()
    """What could not be read or had to be mended, one line each, with line numbers. Nothing else is lost."""


class Importer(Protocol):
    """Reads one format. Found by content, never by the file's name alone."""

    @property
    def name(self) -> str:
        """Short name of the format, as a person would say it."""
        ...

    def recognises(self, head: Head) -> bool:
        """Tell whether this is the importer's format."""
        ...

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give the conversations of a file, unpacked already. `BadInput` where nothing can be read."""
        ...
