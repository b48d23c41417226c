"""What a model is to the rest: it takes the body of a request in its own dialect, and streams an answer.

    async for event in model.stream(fitted.body()):
        match event:
            case TextDelta(text): print(text, end="")
            case Restarted(): print()            # what was shown of this answer is void: it comes again
            case Completed(): talk.add_all(event.dicts())

An adapter carries a provider's items as they are and decides nothing about the history. Waiting out a rate limit, and
asking again where the line dropped, is its work; what an overflow means for the request is not.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, Protocol

import msgspec

from unabridged.errors import UnabridgedError
from unabridged.fitted import decoded
from unabridged.models.refusal.meaning import Meaning
from unabridged.report import Usage


class TextDelta(msgspec.Struct, frozen=True, tag="text"):
    """Some more of what the model says."""

    text: str


class ReasoningDelta(msgspec.Struct, frozen=True, tag="reasoning"):
    """Some more of its thoughts, where the provider shows them."""

    text: str


class CallStarted(msgspec.Struct, frozen=True, tag="call"):
    """The model begins to ask for a call."""

    index: int
    """Which call of this answer, from 0."""
    id: str
    name: str


class CallDelta(msgspec.Struct, frozen=True, tag="arguments"):
    """Some more of a call's arguments: a piece of JSON text."""

    index: int
    text: str


class ToolRan(msgspec.Struct, frozen=True, tag="tool_ran"):
    """The provider itself ran a tool: a search, code. From here on the request is never sent again."""

    name: str


class Restarted(msgspec.Struct, frozen=True, tag="restarted"):
    """The answer did not come to its end, and is asked for again: what was streamed of it so far is void."""

    why: Meaning
    wait_s: float
    """Seconds until it is asked for."""


class Completed(msgspec.Struct, frozen=True, tag="completed", kw_only=True):
    """The answer in the provider's own form, and what it cost. Always the last event."""

    items: tuple[str, ...]
    """JSON texts: one message, or (`openai_responses`) every item of the output, signatures and opaque items included.
    Empty where the model said nothing at all."""
    usage: Usage | None = None
    stop: str = ""
    """Why it ended, as the provider says it: `stop`, `end_turn`, `length`, `max_tokens`, `tool_calls`, ..."""
    model: str = ""
    """The model that answered, where the provider names it."""

    def dicts(self) -> list[dict[str, Any]]:
        """Give the items as plain dicts, as `Conversation.add_all` takes them."""
        return [decoded(item) for item in self.items]


Event = TextDelta | ReasoningDelta | CallStarted | CallDelta | ToolRan | Restarted | Completed


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long an answer is waited for, in seconds."""

    total_s: float = 600.0
    """For one answer, all its attempts and pauses together. What a provider asks to wait beyond it is not waited."""
    idle_s: float = 120.0
    """Between two events of a stream, and until the first."""
    attempts: int = 5
    """How often the same request is sent, at most."""


class ModelError(UnabridgedError):
    """A provider did not answer. `meaning` says what has to change; nothing secret is in the text."""

    def __init__(self, meaning: Meaning, *, ran: bool = False) -> None:
        status = f" (status {meaning.status})" if meaning.status is not None else ""
        super().__init__(f"{meaning.kind.value}{status}: {meaning.quote or 'the provider gave no reason'}")
        self.meaning = meaning
        self.ran = ran
        """The provider had run tools of its own for this answer: asking again would run them twice."""


class Model(Protocol):
    """One model at one endpoint. `body` is a whole request in `dialect`, as `Fitted.body` gives it."""

    @property
    def name(self) -> str:
        """As requests name it."""
        ...

    @property
    def dialect(self) -> str:
        """`openai_chat`, `openai_responses`, `anthropic` or `gemini`."""
        ...

    @property
    def endpoint(self) -> str:
        """Where requests go, without keys; "" for the provider's own address. Usage is learned for it."""
        ...

    @property
    def window(self) -> int | None:
        """Tokens of its window, where somebody or the server itself said so; None where the registry is to be asked."""
        ...

    def stream(self, body: bytes) -> AsyncGenerator[Event, None]:
        """Send a request and give the answer as it comes; the last event is `Completed`.

        Fields that make the provider stream, and report usage while it does, are added to the body. Closing the
        iterator, or cancelling the task that reads it, ends the request at the provider: the connection is closed.
        Raises `ModelError`.
        """
        ...

    @property
    def counts_at_once(self) -> bool:
        """Whether a count costs next to nothing, as on this machine: every request is counted before it goes out."""
        ...

    async def count(self, body: bytes) -> int | None:
        """Give the tokens of a request as the provider counts them; None where it does not tell."""
        ...

    async def close(self) -> None:
        """Close what is open."""
        ...
