"""Items and requests of OpenAI's Responses, and of those who speak it as Open Responses."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.importers.detection import Head
from unabridged.importers.dialect import RESPONSES
from unabridged.importers.imported import Imported
from unabridged.importers.recorded import dialect_of_file, read_recorded


class OpenAIResponsesItems:
    """Recorded items or requests of OpenAI Responses."""

    name = "OpenAI Responses items"

    def recognises(self, head: Head) -> bool:
        """Tell by requests with `input`, or by items."""
        return dialect_of_file(head.start) == RESPONSES

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give one conversation for each request."""
        return read_recorded(data, name, RESPONSES)
