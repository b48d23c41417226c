"""Messages and requests of OpenAI's Chat Completions, and of the many providers that speak it."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.importers.detection import Head
from unabridged.importers.dialect import ANTHROPIC, OPENAI
from unabridged.importers.imported import Imported
from unabridged.importers.recorded import dialect_of_file, read_recorded
from unabridged.importers.requests import find_requests


class OpenAIMessages:
    """Recorded messages or requests; those that could be either provider's belong here."""

    name = "OpenAI messages"

    def recognises(self, head: Head) -> bool:
        """Tell by roles and contents; see `dialect` for what decides."""
        return bool(find_requests(head.start).found) and dialect_of_file(head.start) != ANTHROPIC

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give one conversation for each request."""
        return read_recorded(data, name, OPENAI)
