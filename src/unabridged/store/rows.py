"""Entries as rows: what a table keeps of each beside its payload, so that a session opens without going through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from unabridged.codec import payload_bytes, payload_from
from unabridged.entry import (
    BranchEntry,
    CheckpointEntry,
    Entry,
    FrameEntry,
    MessageEntry,
    Payload,
    ReportEntry,
    StartedEntry,
    UndoEntry,
    UnknownEntry,
)
from unabridged.learned import Learned
from unabridged.message import Message
from unabridged.report import Phase
from unabridged.store.database import Row
from unabridged.tokens.price import Cost, Price
from unabridged.transcript import Record

COLUMNS = "seq, branch, time, payload, log_digest, transcript_digest, normal_digest"
"""What an entry is read from."""
RECORD = "seq, place, payload, transcript_digest, cost"
"""What a record of the transcript is read from."""
INSERT = (
    "INSERT INTO entries (session, seq, branch, time, kind, name, payload, log_digest, transcript_digest,"
    " normal_digest, place, cost, upto, first_human, last_human, learned)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

TextOf = Callable[[bytes], bytes]
"""Gives a large text by its digest."""

_LEARNED = msgspec.json.Decoder(Learned)


class Tip(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a branch: what the next message goes on from."""

    messages: int = 0
    transcript: str = ""
    normal: str = ""
    total: Cost = Cost(Price(0))
    humans: tuple[int, ...] = ()
    """The first position and the last of what people wrote."""
    learned: Learned = Learned()

    def after(self, message: Message, cost: Cost, transcript: str, normal: str) -> Tip:
        """Give the end behind one more message."""
        humans = (*self.humans[:1], self.messages) if message.is_human else self.humans
        return msgspec.structs.replace(
            self,
            messages=self.messages + 1,
            transcript=transcript,
            normal=normal,
            total=self.total + cost,
            humans=humans,
        )


DONE = f"report {Phase.DONE.value}"
"""The kind of the reports of full fits: only they have a say in later ones."""


def kind_of(payload: Payload) -> str:
    """Give the kind that an entry is found by: its tag, of a report with its phase."""
    if isinstance(payload, ReportEntry):
        return f"report {payload.report.phase.value}"
    return payload.kind if isinstance(payload, UnknownEntry) else str(payload.__struct_config__.tag)


def name_of(payload: Payload) -> str:
    """Give the name that an entry is found by among those of its kind."""
    match payload:
        case MessageEntry(message=message):
            return message.id
        case CheckpointEntry(checkpoint=checkpoint):
            return checkpoint.id
        case FrameEntry(digest=name) | UndoEntry(checkpoint=name) | BranchEntry(branch=name):
            return name
        case StartedEntry(call_id=name):
            return name
        case _:
            return ""


def row_of(session: int, entry: Entry, stored: bytes, cost: Cost | None, before: Tip, tip: Tip) -> tuple[Any, ...]:
    """Give the row of an entry; `before` and `tip` are the ends of its branch before it and behind it."""
    place = (None,) * 5
    if isinstance(entry.payload, MessageEntry):
        humans = (tip.humans[0], tip.humans[-1]) if tip.humans else (None, None)
        place = (tip.messages - 1, cost_text(cost or Cost(Price(0))), cost_text(tip.total), *humans)
    learned = None if tip.learned is before.learned else msgspec.json.encode(tip.learned)
    return (
        session,
        entry.seq,
        entry.branch,
        entry.time,
        kind_of(entry.payload),
        name_of(entry.payload),
        stored,
        bytes.fromhex(entry.log_digest),
        bytes.fromhex(entry.transcript_digest) or None,
        bytes.fromhex(entry.normal_digest) or None,
        *place,
        learned,
    )


def entry_of(row: Row, filled: Callable[[bytes], bytes]) -> Entry:
    """Give an entry from its `COLUMNS`. `filled` puts large texts back."""
    seq, branch, time, payload, log, transcript, normal = row
    return Entry(
        seq=seq,
        branch=branch,
        time=time,
        payload=payload_from(filled(bytes(payload))),
        log_digest=bytes(log).hex(),
        transcript_digest=bytes(transcript or b"").hex(),
        normal_digest=bytes(normal or b"").hex(),
    )


def record_of(row: Row, filled: Callable[[bytes], bytes]) -> Record:
    """Give a record from its columns (`RECORD`)."""
    seq, _, payload, digest, cost = row
    read = payload_from(filled(bytes(payload)))
    assert isinstance(read, MessageEntry)
    return Record(read.message, cost_from(cost), bytes(digest).hex(), seq)


def learned_from(stored: Any) -> Learned:
    """Read back what was known of the models."""
    return _LEARNED.decode(bytes(stored))


def cost_text(cost: Cost) -> str:
    """Write a cost: tokens, those of machine data, and of media for each provider."""
    return ",".join(map(str, (cost.text.tokens, cost.text.dense, *cost.media)))


def cost_from(text: str) -> Cost:
    """Read a cost back."""
    tokens, dense, *media = map(int, text.split(","))
    return Cost(Price(tokens, dense), tuple(media))


def stored_bytes(payloads: Sequence[Payload]) -> list[bytes]:
    """Give the canonical bytes of payloads: what digests are made from."""
    return [payload_bytes(payload) for payload in payloads]
