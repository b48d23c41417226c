"""Entries as rows: what a table keeps of each beside its payload, so that a session opens without going through it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from unabridged.codec import payload_from
from unabridged.entry import (
    BranchEntry,
    CheckpointEntry,
    Entry,
    FrameEntry,
    HiddenEntry,
    MessageEntry,
    Payload,
    ReportEntry,
    StartedEntry,
    UndoEntry,
    UnknownEntry,
)
from unabridged.errors import BadInput, StoreError, StoreFault
from unabridged.learned import Learned
from unabridged.report import Phase
from unabridged.store.columns import SEQS, column, name_column, text_in
from unabridged.store.database import Row
from unabridged.tokens.price import NO_MEDIA, Cost, Price
from unabridged.transcript import Record

COLUMNS = "seq, branch, time, payload, log_digest, transcript_digest, normal_digest"
"""What an entry is read from."""
RECORD = "seq, place, payload, transcript_digest, cost"
"""What a record of the transcript is read from."""
KEPT = (
    "seq, branch, time, kind, name, log_digest, transcript_digest, normal_digest, place, anchor, cost, upto,"
    " first_human, last_human, learned, payload"
)
"""All that is kept of an entry behind its session and its id."""
INSERT = f"INSERT INTO entries (session, id, {KEPT}) VALUES ({', '.join('?' * (KEPT.count(',') + 3))})"
REACH = 64
"""No message lies this many entries or more behind an anchor of its branch."""

Filled = Callable[[bytes], bytes]
"""Puts large texts back into the bytes of a payload."""

_MESSAGE = "message"
_NO_MESSAGE = (None,) * 8
"""What stands in the columns of messages, digests included, for what is none."""
_NOBODY = (None, None)
_NO_MEDIA = ",".join(map(str, NO_MEDIA))
_LEARNED = msgspec.json.Decoder(Learned)


class Tip(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a branch: what the next message goes on from."""

    messages: int = 0
    transcript: str = ""
    normal: str = ""
    total: Cost | None = Cost(Price(0))
    """Of all messages; None where some were appended without the counter that the session began with."""
    humans: tuple[int, int] | tuple[()] = ()
    """The first position and the last of what people wrote."""
    learned: Learned = Learned()
    anchor: int | None = None
    """The seq of the newest anchor, if that is known: since then each message stands one place behind the other."""

    def anchored(self, seq: int) -> int:
        """Give the seq of the anchor of a message that is appended here; its own, where it has to be one."""
        return self.anchor if self.anchor is not None and seq - self.anchor < REACH else seq

    def followed(self, entry: Entry, cost: Cost | None, anchor: int | None = None) -> Tip:
        """Give the end behind one more entry; `anchor` is the seq of a message's anchor, if that is known."""
        payload = entry.payload
        if not isinstance(payload, MessageEntry):
            learned = self.learned.after(payload)
            return self if learned is self.learned else msgspec.structs.replace(self, learned=learned)
        at = self.messages
        return Tip(
            messages=at + 1,
            transcript=entry.transcript_digest,
            normal=entry.normal_digest,
            total=None if self.total is None or cost is None else self.total + cost,
            humans=(self.humans[0] if self.humans else at, at) if payload.message.is_human else self.humans,
            learned=self.learned,
            anchor=anchor,
        )


DONE = f"report {Phase.DONE.value}"
"""The kind of the reports of full fits: only they have a say in later ones."""


def kind_of(payload: Payload) -> str:
    """Give the kind that an entry is found by: its tag, of a report with its phase."""
    if isinstance(payload, MessageEntry):
        return _MESSAGE
    if isinstance(payload, ReportEntry):
        return f"report {payload.report.phase.value}"
    if isinstance(payload, UnknownEntry):
        return f"unknown {payload.kind}"  # whatever it calls itself, it is none of those that are read
    return str(payload.__struct_config__.tag)


def name_of(payload: Payload) -> str:
    """Give the name that an entry is found by among those of its kind."""
    match payload:
        case MessageEntry(message=message):
            return message.id
        case CheckpointEntry(checkpoint=checkpoint):
            return checkpoint.id
        case FrameEntry(digest=name) | UndoEntry(checkpoint=name) | BranchEntry(branch=name):
            return name
        case StartedEntry(call_id=name) | HiddenEntry(message=name):
            return name
        case _:
            return ""


def row_of(session: int, entry: Entry, stored: bytes, cost: Cost | None, before: Tip, tip: Tip) -> tuple[Any, ...]:
    """Give the row of an entry; `before` and `tip` are the ends of its branch before it and behind it."""
    seq, payload = entry.seq, entry.payload
    start = (session, session * SEQS + seq, seq, column(entry.branch), entry.time)
    log = bytes.fromhex(entry.log_digest)
    if not isinstance(payload, MessageEntry):
        learned = None if tip.learned is before.learned else _learned_bytes(tip.learned)
        names = (name_column(kind_of(payload)), name_column(name_of(payload)))
        return (*start, *names, log, *_NO_MESSAGE, learned, stored)
    return (
        *start,
        _MESSAGE,
        name_column(payload.message.id),
        log,
        bytes.fromhex(entry.transcript_digest),
        bytes.fromhex(entry.normal_digest),
        tip.messages - 1,
        1 if tip.anchor == seq else None,
        _cost_text(cost),
        _cost_text(tip.total),
        *(tip.humans or _NOBODY),
        None,
        stored,
    )


def entry_of(row: Row, filled: Filled) -> Entry:
    """Give an entry from its `COLUMNS`. Raises `StoreError` for one that is damaged."""
    seq, branch, time, payload, log, transcript, normal = row
    return Entry(
        seq=seq,
        branch=text_in(branch),
        time=time,
        payload=_payload_of(seq, payload, filled),
        log_digest=bytes(log).hex(),
        transcript_digest=bytes(transcript or b"").hex(),
        normal_digest=bytes(normal or b"").hex(),
    )


def record_of(row: Row, filled: Filled) -> Record:
    """Give a record from its columns (`RECORD`). Raises `StoreError` for one that is damaged."""
    seq, _, payload, digest, cost = row
    read = _payload_of(seq, payload, filled)
    if not isinstance(read, MessageEntry):
        raise _damaged(seq, "it is no message any more")
    return Record(read.message, cost_from(cost) or Cost(Price(0)), bytes(digest).hex(), seq)


def _payload_of(seq: int, stored: Any, filled: Filled) -> Payload:
    try:
        return payload_from(filled(bytes(stored)))
    except KeyError as missing:
        raise _damaged(seq, f"the large text {missing.args[0]} is missing") from missing
    except (BadInput, ValueError, TypeError) as error:
        raise _damaged(seq, str(error)) from error


def _damaged(seq: int, why: str) -> StoreError:
    return StoreError(StoreFault.DAMAGED, f"entry {seq} is damaged ({why}): `unabridged doctor` says what else is")


def _learned_bytes(learned: Learned) -> bytes:
    try:
        return msgspec.json.encode(learned)
    except UnicodeEncodeError:  # half of a surrogate pair in the name of a model
        return json.dumps(msgspec.to_builtins(learned)).encode()


def learned_from(stored: Any) -> Learned:
    """Read back what was known of the models."""
    try:
        return _LEARNED.decode(bytes(stored))
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(bytes(stored)), Learned)


def _cost_text(cost: Cost | None) -> str | None:
    """Write a cost: tokens, those of machine data, and of media for each provider."""
    if cost is None:
        return None
    if cost.media == NO_MEDIA:  # nearly all
        return f"{cost.text.tokens},{cost.text.dense},{_NO_MEDIA}"
    return ",".join(map(str, (cost.text.tokens, cost.text.dense, *cost.media)))


def cost_from(text: str | None) -> Cost | None:
    """Read a cost back."""
    if text is None:
        return None
    tokens, dense, *media = map(int, text.split(","))
    return Cost(Price(tokens, dense), tuple(media))
