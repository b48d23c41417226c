"""One record of a session's log. Append-only: what is wrong later is answered by another entry."""

from __future__ import annotations

import msgspec

from unabridged.checkpoint import Checkpoint
from unabridged.frame import Frame
from unabridged.message import Message
from unabridged.report import Report, Usage


class MessageEntry(msgspec.Struct, frozen=True, gc=False, tag="message"):
    """A message of the transcript."""

    message: Message


class UsageEntry(msgspec.Struct, frozen=True, gc=False, tag="usage", kw_only=True, omit_defaults=True):
    """What a provider reported for a call, and exactly which request it was for."""

    usage: Usage
    last: str
    """Id of the last message of the view that was sent."""
    checkpoint: str | None = None
    frame: str = ""
    """Digest of the frame that was sent."""
    model: str = ""
    endpoint: str = ""
    price: int = 0
    """The price of that request before calibration, in the counter's own tokens."""
    counted: bool = False
    """The provider only counted it: nothing was answered, and nothing paid."""


class CheckpointEntry(msgspec.Struct, frozen=True, tag="checkpoint"):
    """A plan that was decided."""

    checkpoint: Checkpoint


class UndoEntry(msgspec.Struct, frozen=True, tag="undo"):
    """Voids a checkpoint: the view is planned again from the originals."""

    checkpoint: str


class ReportEntry(msgspec.Struct, frozen=True, tag="report"):
    """What a fit did."""

    report: Report


class StartedEntry(msgspec.Struct, frozen=True, tag="started"):
    """A call is about to run. Without an answer behind it, nobody knows how far it came."""

    call_id: str
    message: str
    """Id of the message that asks for it: ids of calls repeat in real conversations."""


class InterruptionEntry(msgspec.Struct, frozen=True, tag="interruption", omit_defaults=True):
    """A turn stopped before its end."""

    why: str
    call_ids: tuple[str, ...] = ()


class RefusedEntry(msgspec.Struct, frozen=True, tag="refused"):
    """Pending messages that could not be sent: taken out of the branch, still listed."""

    messages: tuple[str, ...]
    why: str


class HiddenEntry(msgspec.Struct, frozen=True, tag="hidden", omit_defaults=True):
    """A message is not found by any search from here on; it stays where it is."""

    message: str
    """Its id."""
    shown: bool = False
    """It is found again: takes back what was said before."""


class FrameEntry(msgspec.Struct, frozen=True, tag="frame", omit_defaults=True):
    """The frame changed: from here on requests carry the one with this digest."""

    digest: str
    frame: Frame | None = None
    """The frame itself, where a log was made of another client's transcript: nobody passes it with a step."""


class BranchEntry(msgspec.Struct, frozen=True, tag="branch", kw_only=True):
    """A new branch: rewind, edit, regenerate and fork are all this one append."""

    branch: str
    ancestry: tuple[tuple[str, int], ...]
    """Flattened: (branch, last sequence number of it that belongs to this one), oldest first."""
    why: str


class UnknownEntry(msgspec.Struct, frozen=True, tag="unknown"):
    """A record of a kind that this version does not know, kept as it was."""

    kind: str
    data: str


Payload = (
    MessageEntry
    | UsageEntry
    | CheckpointEntry
    | UndoEntry
    | ReportEntry
    | StartedEntry
    | InterruptionEntry
    | RefusedEntry
    | HiddenEntry
    | FrameEntry
    | BranchEntry
    | UnknownEntry
)


class Entry(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One line of a session's log."""

    seq: int
    """Position in the log, from 0; `(session, seq)` is the key."""
    branch: str
    time: str
    payload: Payload
    log_digest: str = ""
    """SHA-256 chain over the stored bytes of every entry: integrity. Empty where it was not asked for yet."""
    transcript_digest: str = ""
    """SHA-256 chain over the message entries of this branch: what a checkpoint was made from. Messages only."""
    normal_digest: str = ""
    """SHA-256 chain over normal form, without ids and cache marks: which conversation is this. Messages only."""
