"""`search_history` and `read_history`: what has left the view of a conversation is still there for its model."""

from __future__ import annotations

from unabridged.archive import Archive, answer
from unabridged.archive.tools import history_functions
from unabridged.conversation import Conversation
from unabridged.framing import Function
from unabridged.server.tools.tool import Output, Place

MOST_TOKENS = 2_000
"""Of an answer: what is asked for may be a part of a file."""
LEAST_TOKENS = 200
SHARE = 8
"""An answer takes at most this part of what a request may take: it is there to be read, not to be shortened again."""


class HistoryTool:
    """One of the two. What it searches is fixed here: the session's archive, on the branch of the turn."""

    asks = False

    def __init__(self, function: Function, archive: Archive) -> None:
        self._function = function
        self._archive = archive

    @property
    def function(self) -> Function:
        """Name, description and parameters, as models are told of them."""
        return self._function

    def says(self, arguments: str) -> str:
        """Say that it looks something up: nobody is asked."""
        del arguments
        return "looks something up earlier in this conversation"

    async def run(self, arguments: str, place: Place) -> Output:
        """Answer it. What else the arguments hold, such as the name of another session, is not looked at."""
        most = _most_of(place.talk)
        return Output(
            text=answer(self._archive, place.talk.transcript, self._function.name, arguments, most_tokens=most)
        )


def history_tools_of(archive: Archive) -> tuple[HistoryTool, ...]:
    """Give both."""
    return tuple(HistoryTool(function, archive) for function in history_functions())


def _most_of(talk: Conversation) -> int:
    known = [tokens for tokens in (talk.window, talk.policy.max_context_tokens) if tokens is not None]
    room = int(min(known, default=SHARE * MOST_TOKENS) * talk.policy.threshold)
    return max(LEAST_TOKENS, min(MOST_TOKENS, room // SHARE))
