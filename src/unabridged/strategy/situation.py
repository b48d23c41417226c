"""What a strategy is given: the view as it stands, and how large it may become."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.budget import Budget
from unabridged.message import Role
from unabridged.plan import Plan, Reason
from unabridged.policy import Policy
from unabridged.tokens.calibration import Meter
from unabridged.tokens.price import Price
from unabridged.transcript import Transcript
from unabridged.view import Cutter, Item, Shown


class Compaction(msgspec.Struct, frozen=True):
    """A summary that was made, and the messages that it stands for beside those of the one before."""

    text: str
    messages: frozenset[str]


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen picture of one request that is over its budget."""

    transcript: Transcript
    shown: Shown
    """What the checkpoint in force hides and cuts."""
    items: Sequence[Item]
    """The mended view."""
    dialect: str
    cutter: Cutter
    frame: Price
    budget: Budget
    policy: Policy
    meter: Meter
    bare: Meter
    """The meter without margins, for saying that something can never fit."""
    compaction: Compaction | None = None
    """What `summarize` goes by; without it it trims."""
    aside: int = 0
    """Tokens to be kept free for a text about what is dropped."""

    @property
    def tokens(self) -> int:
        """Give what the request takes as it stands, which is what a fit is measured from."""
        meter = self.meter
        return meter.tokens(meter.weight(self.frame) + sum(meter.weight(item.price) for item in self.items))


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What a strategy decided: a plan to be kept, and what it counted while deciding."""

    plan: Plan
    step: bool = False
    """Only outputs that had just arrived were cut: nothing that was sent before changes."""
    compacted: int = 0
    dropped: int = 0
    truncated: int = 0
    media_dropped: int = 0
    call_ids: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    """The messages that are dropped, with nothing but a marker in their place."""
    floor: int = 0
    summary: str | None = None
    """A new summary; None leaves the one in force, if there is one."""
    forgets: bool = False
    """The summary in force leaves too."""

    @property
    def changes(self) -> bool:
        """Something leaves the view, so there is something to keep."""
        return self.compacted + self.dropped + self.truncated > 0 or self.forgets


def shields(transcript: Transcript) -> dict[int, Reason]:
    """Give the positions that are always in the view, each with why.

    The task, the newest human message, every message that the model has not answered, and the unread step. Reads
    back to the last answer only, so it costs what is new.
    """
    records = transcript.records
    answer = len(records) - 1
    while answer >= 0 and records[answer].message.role is not Role.ASSISTANT:
        answer -= 1
    found = {
        at: Reason.UNANSWERED if records[at].message.is_human else Reason.UNREAD_STEP
        for at in range(answer + 1, len(records))
    }
    while answer >= 0 and (records[answer].message.calls or answer == len(records) - 1):
        found[answer] = Reason.UNREAD_STEP
        if answer == 0 or records[answer - 1].message.role is not Role.ASSISTANT:
            break
        answer -= 1  # several messages of one turn, answered together
    if transcript.humans:
        found[transcript.humans[0]] = Reason.TASK
        found[transcript.humans[-1]] = Reason.NEWEST_HUMAN  # the task too, when there is only one: it is never cut
    return found
