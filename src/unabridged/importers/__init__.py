"""Other tools' transcripts as conversations: `read_file` finds out what a file is and reads it.

Nothing of what was said is lost on the way, and nothing is repaired: a result without its call stays one. What
cannot be read is named with its line. A further format is a class behind `Importer` and a place in `IMPORTERS`.
"""

from __future__ import annotations

from pathlib import Path

from unabridged.errors import BadInput
from unabridged.importers.aider import Aider
from unabridged.importers.anthropic_messages import AnthropicMessages
from unabridged.importers.claude_code import ClaudeCode
from unabridged.importers.codex import Codex
from unabridged.importers.copilot_cli import CopilotCli
from unabridged.importers.detection import EXPECTED, Head, unpacked
from unabridged.importers.foreign import foreign_format
from unabridged.importers.gemini_cli import GeminiCli
from unabridged.importers.gemini_contents import GeminiContents
from unabridged.importers.imported import Imported, Importer, RecordedCall
from unabridged.importers.inspect_log import InspectLog
from unabridged.importers.langgraph import LangGraph
from unabridged.importers.mini_swe_agent import MiniSweAgent
from unabridged.importers.openai_messages import OpenAIMessages
from unabridged.importers.openai_responses import OpenAIResponsesItems
from unabridged.importers.openhands import OpenHands
from unabridged.importers.pi import Pi
from unabridged.importers.sharegpt import ShareGpt
from unabridged.importers.swe_agent import SweAgent
from unabridged.importers.unabridged_log import UnabridgedLog

__all__ = ["IMPORTERS", "Imported", "Importer", "RecordedCall", "read_bytes", "read_file"]

IMPORTERS: tuple[Importer, ...] = (
    UnabridgedLog(),
    ClaudeCode(),
    Codex(),
    CopilotCli(),
    GeminiCli(),
    Pi(),
    OpenHands(),
    LangGraph(),
    InspectLog(),
    ShareGpt(),
    Aider(),
    SweAgent(),
    MiniSweAgent(),
    OpenAIResponsesItems(),
    GeminiContents(),
    AnthropicMessages(),
    OpenAIMessages(),
)
"""In this order each is asked whether a file is its own; the first that says yes reads it."""


def read_file(path: Path) -> list[Imported]:
    """Read the conversations of a file. What it is, is told by its content; gzip is unpacked.

    Raises `BadInput`, in one line with the file's name, for a file that cannot be opened, is empty or of no
    known format.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path.name}: cannot be opened ({error.strerror}): check the path") from error
    return read_bytes(data, path.name)


def read_bytes(data: bytes, name: str) -> list[Imported]:
    """Read the conversations of a file's bytes, as `read_file` does. Message ids are made from the unpacked bytes."""
    content = unpacked(data, name)
    head = Head(content)
    for importer in IMPORTERS:
        if importer.recognises(head):
            return list(importer.read(content, name))
    raise BadInput(f"{name}: {_what_else(head)}: {EXPECTED}")


def _what_else(head: Head) -> str:
    if head.document is None and not head.start.lstrip().startswith(b"{"):
        return f"not JSON, it begins with {head.start[:24]!r}"
    records = head.objects
    if not records:
        return "JSON without an object that can be read"
    known = foreign_format(records)
    if known is not None:
        return f"{known}, which cannot be imported yet"
    return f"JSON of an unknown shape, with the fields {', '.join(repr(name[:40]) for name in list(records[0])[:6])}"
