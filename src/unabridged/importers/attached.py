"""Pictures, recordings and documents inside other tools' records, and the raw form of a record without their bytes."""

from __future__ import annotations

from unabridged.message import Media, MediaKind, Message, Origin, Part, Raw, Role
from unabridged.wire.data_url import kind_of_mime
from unabridged.wire.json_text import JsonNode
from unabridged.wire.splicing import Intake


def inline(node: JsonNode | None, mime: str, intake: Intake, kind: MediaKind | None = None) -> Media:
    """Read base64 text that stands as a string of its own."""
    text = "" if node is None or not isinstance(node.value, str) else node.value
    payload = intake.take(node, text) if node is not None and text else None
    digest, size = (payload.digest, payload.size) if payload is not None else (None, None)
    return Media(kind=kind or kind_of_mime(mime, MediaKind.DOCUMENT), mime=mime, digest=digest, size=size)


class Record:
    """One record of a foreign format while it is read: its values, the bytes of its media, and its raw form."""

    def __init__(self, format: str, text: str, what: str = "a record") -> None:
        self.node = JsonNode.parse(text, what)
        self.intake = Intake()
        self._format = format

    @property
    def raw(self) -> Raw:
        """The record as it stands in the file, long base64 taken out. Complete once everything has been read."""
        return self.intake.raw(self._format, self.node.text)

    def message(self, role: Role, parts: tuple[Part, ...], origin: Origin, time: str | None = None) -> Message:
        """Make a message of what was read. It gets its id later."""
        return Message(id="", role=role, parts=parts, origin=origin, time=time or None, raw=self.raw)
