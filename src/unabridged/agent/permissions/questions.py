"""What a person is asked before a call runs, and what they can answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum

import msgspec

from unabridged.agent.access import Access


class Mode(StrEnum):
    """How much is allowed without a question. Deny rules, secrets and protected files hold in each."""

    PLAN = "plan"
    """Only looking; what would change anything is refused."""
    ASK = "ask"
    """Looking inside the workspace is free; the rest is asked about."""
    ACCEPT_EDITS = "accept-edits"
    """Files of the workspace are edited without a question; commands are asked about."""
    AUTO = "auto"
    """Commands run too, as the sandbox confines them; what reaches out of the workspace is asked about."""


class Danger(StrEnum):
    """How much harm a call could do."""

    LOW = "low"
    """Changes files of the workspace, or looks outside it."""
    RAISED = "raised"
    """Runs a program, reaches the network, or leaves the workspace."""
    HIGH = "high"
    """Could lose work, give away secrets, or outlive the sandbox; or it cannot be told what it does."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A call that the rules leave open."""

    tool: str
    title: str
    preview: str = ""
    touches: tuple[Access, ...] = ()
    rules: tuple[str, ...] = ()
    """The `allow` rules that would let it run the next time. Empty: it can only be allowed once."""
    danger: Danger = Danger.RAISED
    why: tuple[str, ...] = ()
    """Why it is asked, each reason a sentence."""


class Choice(StrEnum):
    """How a person decides."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"
    REJECT = "reject"


class Answer(msgspec.Struct, frozen=True):
    """What a person says."""

    choice: Choice
    comment: str = ""
    """What to do instead, for the model; with `reject`."""


Ask = Callable[[Question], Awaitable[Answer]]
