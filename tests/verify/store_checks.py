"""What must hold of a session behind a crash, looked at by whoever opens it next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from random import Random

import msgspec

from tests.verify.store_agent import PROJECT, conversation, take_turn
from unabridged.codec import payload_bytes
from unabridged.entry import Entry
from unabridged.errors import UnabridgedError
from unabridged.store import Session, Store
from unabridged.testing import violations

DIALECT = "openai_chat"


class Kind(StrEnum):
    """What can be wrong."""

    LOST = "acknowledged entries lost"
    CHANGED = "changed"
    CLOSED = "sessions that do not open"
    BROKEN = "broken chains"
    INVALID = "invalid next views"
    STUCK = "next turns that fail"


class Breach(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    kind: Kind
    says: str


class Tally(msgspec.Struct):
    """What came of many crashes of one kind."""

    crashes: int = 0
    acknowledged: int = 0
    beyond: int = 0
    """Crashes that fell between a write and its acknowledgement: the log holds more than was said."""
    breaches: list[Breach] = []

    def line(self, what: str, seconds: float) -> str:
        """Give all of it in one line."""
        counts = ", ".join(f"{self.count(kind):,} {kind.value}" for kind in Kind)
        made = f"{self.crashes} times, {self.acknowledged:,} entries acknowledged, {self.beyond} crashes behind a write"
        return f"{what}: {made}: {counts} ({seconds:.0f} s)"

    def count(self, *kinds: Kind) -> int:
        """Give how many breaches there are of some kinds."""
        return sum(each.kind in kinds for each in self.breaches)


def look_at(store: Store, name: str, acknowledged: Mapping[int, str], seed: int) -> tuple[int, list[Breach]]:
    """Open a session, compare it with what was acknowledged, and go on in it; give its length and what is wrong."""
    try:
        session = store.project(PROJECT).open(name)
        entries = session.log.entries
    except UnabridgedError as error:
        return 0, [Breach(Kind.CLOSED, f"{name}: {error}")]
    found = [*lost(entries, acknowledged), *broken(session, entries), *invalid(session)]
    found += stuck(session, seed)
    return len(entries), [msgspec.structs.replace(each, says=f"{name}: {each.says}") for each in found]


def lost(entries: Sequence[Entry], acknowledged: Mapping[int, str]) -> Iterator[Breach]:
    """Look for what was acknowledged: it is there byte for byte where its digest is, for that covers all before it."""
    held = {entry.seq: entry.log_digest for entry in entries}
    for seq, digest in acknowledged.items():
        if seq not in held:
            yield Breach(Kind.LOST, f"entry {seq}, and there are {len(entries)}")
        elif held[seq] != digest:
            yield Breach(Kind.CHANGED, f"entry {seq}")


def broken(session: Session, entries: Sequence[Entry]) -> Iterator[Breach]:
    """Recompute the chain, by its description in the documentation and by the log's own check; look for gaps."""
    if [entry.seq for entry in entries] != list(range(len(entries))):
        yield Breach(Kind.BROKEN, f"seq has gaps: {[entry.seq for entry in entries]}")
    previous = ""
    for entry in entries:
        previous = sha256(previous.encode() + sha256(payload_bytes(entry.payload)).digest()).hexdigest()
        if previous != entry.log_digest:
            yield Breach(Kind.BROKEN, f"entry {entry.seq} has another digest")
            return
    if session.log.damaged():
        yield Breach(Kind.BROKEN, f"damaged: {session.log.damaged()}")


def invalid(session: Session) -> Iterator[Breach]:
    """Judge the next view, as it is before anything is mended."""
    try:
        body = conversation(session.log).preview().body()
    except UnabridgedError as error:
        yield Breach(Kind.INVALID, str(error))
        return
    if session.log.next_seq:  # where nothing was written yet there is nothing to send
        for each in violations(DIALECT, body):
            yield Breach(Kind.INVALID, str(each))


def stuck(session: Session, seed: int) -> Iterator[Breach]:
    """Take the next turn, and judge the view behind it."""
    said: list[tuple[int, str]] = []
    before = session.log.next_seq
    try:
        take_turn(session, Random(seed), lambda seq, digest: said.append((seq, digest)))
    except UnabridgedError as error:
        yield Breach(Kind.STUCK, f"{type(error).__name__}: {error}")
        return
    if not said or said[-1][0] < before:
        yield Breach(Kind.STUCK, "the next turn appended nothing")
    yield from invalid(session)
