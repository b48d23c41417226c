"""`search_history` and `read_history` as tools of the agent: what has left the view is still there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from unabridged.agent.access import Access
from unabridged.agent.tool import Output, Running
from unabridged.archive import Archive, answer
from unabridged.archive.tools import history_functions
from unabridged.conversation import Conversation

MOST_TOKENS = 2_000
"""Of an answer: what is asked for may be a part of a file."""


class _Search(msgspec.Struct, omit_defaults=True):
    query: Annotated[str, msgspec.Meta(description="What to look for, in the words that were used.")]
    limit: Annotated[int | None, msgspec.Meta(description="How many hits; 10 by default.")] = None
    role: Annotated[Literal["user", "assistant", "tool"] | None, msgspec.Meta(description="Only what they said.")] = (
        None
    )
    before: Annotated[str | None, msgspec.Meta(description="Only what was said before: such as 2026-05.")] = None
    after: Annotated[str | None, msgspec.Meta(description="Only what was said from then on.")] = None


class _Read(msgspec.Struct, omit_defaults=True):
    id: Annotated[str, msgspec.Meta(description="The number of the message, such as 17.")]
    offset: Annotated[int | None, msgspec.Meta(description="Characters to skip; 0 by default.")] = None
    lines: Annotated[int | None, msgspec.Meta(description="How many lines, 80 by default.")] = None
    pattern: Annotated[str | None, msgspec.Meta(description="Only lines that hold this text.")] = None


class HistoryTool:
    """One of the two, for the conversation of the session."""

    reads_only = True

    def __init__(self, name: str, talk: Conversation, archive: Archive) -> None:
        said = {function.name: function.description for function in history_functions()}
        self.name = name
        self.description = said[name]
        self.arguments: type[msgspec.Struct] = _Search if "query" in _fields_of(name) else _Read
        self._talk = talk
        self._archive = archive

    def title(self, arguments: Any) -> str:
        """Say what is looked for."""
        return str(getattr(arguments, "query", "") or f"message {arguments.id}")

    def touches(self, arguments: Any) -> Sequence[Access]:
        """Touches nothing outside of the conversation."""
        del arguments
        return ()

    def preview(self, arguments: Any) -> str:
        """Nothing is edited."""
        del arguments
        return ""

    async def run(self, arguments: Any, running: Running) -> Output:
        """Answer it."""
        del running
        given = msgspec.json.encode(arguments).decode()
        transcript = self._talk.transcript
        text = answer(self._archive, transcript, self.name, given, most_tokens=MOST_TOKENS)
        return Output(text=text)


def _fields_of(name: str) -> Sequence[str]:
    return next(tuple(each.parameters["properties"]) for each in history_functions() if each.name == name)


def history_tools_of(talk: Conversation, archive: Archive) -> list[HistoryTool]:
    """Give both."""
    return [HistoryTool(function.name, talk, archive) for function in history_functions()]
