"""What a request asks of a turn: kept with the turn, so that another worker can go on with it."""

from __future__ import annotations

import msgspec

from unabridged.message import Media
from unabridged.server.settings import ClientTool, check_together


class GivenResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a client's tool came to."""

    call_id: str
    output: str
    is_error: bool = False


class Approval(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the end user says of a call that waits for him."""

    call_id: str
    allow: bool
    why: str = ""


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn, as it was asked for. Without a message, results or approvals it goes on where the last one ended."""

    text: str = ""
    media: tuple[Media, ...] = ()
    """What is shown, before the text. The bytes are uploads, or in the session already."""
    results: tuple[GivenResult, ...] = ()
    approvals: tuple[Approval, ...] = ()
    tools: tuple[ClientTool, ...] | None = None
    """Client tools of this session from here on; None: those of the project."""
    model: str | None = None
    max_output_tokens: int | None = None
    branch: str | None = None
    """None: the newest."""
    forks: str = ""
    """Why its branch was opened for it, as the request said; "" where it goes on with one that was there."""
    title: str = ""
    """Of a session that begins with this turn."""

    def __post_init__(self) -> None:
        check_together(self.tools or ())


def is_same(one: Asked, other: Asked) -> bool:
    """Tell whether two requests ask for the same. A branch that is opened for a turn has another name each time."""
    if one.forks and one.forks == other.forks:
        one, other = (msgspec.structs.replace(each, branch=None) for each in (one, other))
    return one == other
