"""Messages and requests of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.importers.detection import Head
from unabridged.importers.dialect import ANTHROPIC
from unabridged.importers.imported import Imported
from unabridged.importers.recorded import dialect_of_file, read_recorded


class AnthropicMessages:
    """Recorded messages or requests with something in them that only Anthropic reads."""

    name = "Anthropic messages"

    def recognises(self, head: Head) -> bool:
        """Tell by contents and fields; see `dialect` for what decides."""
        return dialect_of_file(head.start) == ANTHROPIC

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give one conversation for each request."""
        return read_recorded(data, name, ANTHROPIC)
