"""The server: four tools over past conversations. It reads, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

from unabridged import __version__
from unabridged.archive import answer
from unabridged.archive.own import READ, SEARCH
from unabridged.archive.tools import NOTHING
from unabridged.engine import Engine
from unabridged.errors import UnabridgedError
from unabridged.frame import Frame
from unabridged.mcp.library import Library, Listed, Opened, newest
from unabridged.policy import Policy

SEARCHED = 20
"""Conversations that are searched where none is named, the newest."""
HITS = 5
"""Of each of them."""
LISTED = 50
TOKENS = 2_000
WINDOW = 128_000
_READ_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_SAYS = {
    "search_history": (
        "Search past conversations for words, names of programs, paths or errors, in the words that were used."
        " Without a session the newest ones are searched. `role` is user, assistant or tool; `before` and `after` are"
        " times such as 2026-05 or 2026-05-17T10:00."
    ),
    "read_history": (
        "Read a message of a past conversation in full, by the session and the number that search_history gives: from a"
        " character offset on, or only the lines that hold a pattern."
    ),
    "list_sessions": (
        "List past conversations, the newest first: id, when something was said last, title. `title` keeps those whose"
        " title or id holds it."
    ),
    "context_report": (
        "Say how large a past conversation is, and what a model with a window of so many tokens would be shown of it:"
        " what is shortened, summed up, left out."
    ),
}
"""What a client reads of each tool."""
_INSTRUCTIONS = (
    "Past conversations, whole and searchable. search_history finds words, names, paths and errors in them;"
    " read_history gives a message in full by its session and number."
)


def server_of(library: Library) -> MCPServer[Any]:
    """Make a server over a library."""
    server: MCPServer[Any] = MCPServer(
        "unabridged", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    tools = _Tools(library)
    for tool in (tools.search_history, tools.read_history, tools.list_sessions, tools.context_report):
        described = server.tool(description=_SAYS[tool.__name__], annotations=_READ_ONLY, structured_output=False)
        described(tool)
    return server


class _Tools:
    """What the tools do. Their names, docstrings and parameters are what a client sees."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def search_history(
        self,
        query: str,
        session: str = "",
        limit: int = 10,
        role: str = "",
        before: str = "",
        after: str = "",
    ) -> str:
        """Search one conversation, or the newest ones."""
        asked: dict[str, Any] = {"query": query, "limit": limit}
        asked |= {key: value for key, value in (("role", role), ("before", before), ("after", after)) if value}
        if session:
            return _told(lambda: self._searched(session, asked))
        found: list[str] = []
        for listed in newest(self._library, SEARCHED):
            told = _told(partial(self._searched, listed.id, asked | {"limit": HITS}, TOKENS // 4))
            if told != NOTHING:
                found.append(f"session {listed.id}{_titled(listed)}\n{told}")
        return "\n\n".join(found[: max(1, limit)]) or NOTHING

    def _searched(self, session: str, asked: dict[str, Any], most: int = TOKENS) -> str:
        opened = self._library.opened(session)
        return answer(opened.archive, opened.transcript, SEARCH, json.dumps(asked), most_tokens=most)

    def read_history(self, session: str, id: str, offset: int = 0, lines: int = 80, pattern: str = "") -> str:
        """Read a message in full."""

        def read() -> str:
            opened = self._library.opened(session)
            asked: dict[str, Any] = {"id": id, "offset": offset, "lines": lines}
            asked |= {"pattern": pattern} if pattern else {}
            return answer(opened.archive, opened.transcript, READ, json.dumps(asked), most_tokens=TOKENS)

        return _told(read)

    def list_sessions(self, limit: int = 20, title: str = "") -> str:
        """List conversations, the newest first."""
        count = max(1, min(limit, LISTED))
        wanted = title.casefold()
        lines: list[str] = []
        for listed in self._library.listed():
            if wanted in f"{listed.id} {listed.title}".casefold():
                lines.append(f"{listed.id}  {listed.updated[:16].replace('T', ' ')}{_titled(listed)}")
            if len(lines) == count:
                break
        return "\n".join(lines) or "There is no such conversation."

    def context_report(self, session: str, window: int = WINDOW) -> str:
        """Say how large a conversation is, and what a model would be shown of it."""
        return _told(lambda: _reported(self._library.opened(session), window))


def _told(act: Callable[[], str]) -> str:
    """Give what a tool says, or in one line why it cannot."""
    try:
        return act()
    except UnabridgedError as error:
        return f"This cannot be done: {error}"


def _titled(listed: Listed) -> str:
    title = " ".join(listed.title.split())
    return f"  {title}" if title and title != listed.id else ""


def _reported(opened: Opened, window: int) -> str:
    transcript = opened.transcript
    fitted = Engine(transcript, dialect=opened.dialect).fit(Frame(dialect=opened.dialect), Policy(), window=window)
    whole = transcript.total.under(opened.dialect).tokens
    said = [f"{len(transcript.records):,} messages, {whole:,} tokens by {transcript.counter.name}."]
    report = fitted.report
    if report is None:
        budget = int(window * Policy().threshold)
        said.append(f"All of it fits into a window of {window:,} tokens: {fitted.tokens:,} of a budget of {budget:,}.")
    else:
        said.append(
            f"In a window of {window:,} tokens a model is shown {report.tokens_after:,}, with a budget of"
            f" {report.budget:,}: {report.truncated:,} messages are shortened, {report.compacted:,} summed up,"
            f" {report.dropped:,} left out ({report.reason.value})."
        )
    return " ".join(said)
