"""Contents and requests of Gemini."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.importers.detection import Head
from unabridged.importers.dialect import GEMINI
from unabridged.importers.imported import Imported
from unabridged.importers.recorded import dialect_of_file, read_recorded


class GeminiContents:
    """Recorded requests of Gemini, as the REST interface has them or the SDK."""

    name = "Gemini contents"

    def recognises(self, head: Head) -> bool:
        """Tell by requests with `contents`."""
        return dialect_of_file(head.start) == GEMINI

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give one conversation for each request."""
        return read_recorded(data, name, GEMINI)
