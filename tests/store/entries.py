"""Entries of every kind, made up: for tests that write them and read them back."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from hypothesis import strategies as st

from unabridged.checkpoint import Checkpoint
from unabridged.codec import payload_bytes
from unabridged.entry import (
    BranchEntry,
    CheckpointEntry,
    Entry,
    FrameEntry,
    InterruptionEntry,
    MessageEntry,
    Payload,
    RefusedEntry,
    ReportEntry,
    UndoEntry,
    UnknownEntry,
    UsageEntry,
)
from unabridged.message import (
    Media,
    MediaKind,
    MediaSpan,
    Message,
    Opaque,
    Origin,
    Raw,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.plan import Cut, CutKind, Plan, Reason, Run, Verdict
from unabridged.report import Fallback, FitReason, Phase, Report, ResolvedBy, Usage

TIME = "2026-11-30T08:00:00.000Z"


def said(text: str, *, id: str = "m-1") -> MessageEntry:
    return MessageEntry(Message(id=id, role=Role.USER, parts=(Text(text),)))


def chained(previous: str, stored: bytes) -> str:
    """The next digest of a chain, made here from its description in the documentation of the file format."""
    return sha256(previous.encode() + sha256(stored).digest()).hexdigest()


def logged(payloads: Sequence[Payload], *, after: Sequence[Entry] = ()) -> list[Entry]:
    """Entries with the digests that a log would give them."""
    entries = list(after)
    for payload in payloads:
        previous = entries[-1].log_digest if entries else ""
        digest = chained(previous, payload_bytes(payload))
        entries.append(Entry(seq=len(entries), branch="main", time=TIME, payload=payload, log_digest=digest))
    return entries[len(after) :]


def pairs_joined(text: str) -> str:
    """JSON has one form for a character and for the two surrogates that UTF-16 writes it with."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


HARD = ("\x00", "\u2028\x85\f", "\ud800", "\udfff.", '"\\ud800', "\r\n", "\ufeff", '{"kind":"entry"}', "\U0001f600")
texts = st.text(st.characters(), max_size=20).map(pairs_joined) | st.sampled_from(HARD)
numbers = st.integers(0, 10**30)
optional = st.none() | texts
bodies = texts | st.builds('{{"role":"user","n":{},"content":"{}"}}'.format, st.integers(), texts)
digests = st.binary(min_size=1, max_size=4).map(lambda data: data.hex())

media = st.builds(
    Media,
    kind=st.sampled_from(MediaKind),
    mime=texts,
    digest=st.none() | digests,
    url=optional,
    size=st.none() | numbers,
    seconds=st.none() | st.floats(allow_nan=False, allow_infinity=False),
)
plain_parts = st.builds(Text, texts) | media | st.builds(Opaque, texts, texts)
parts = (
    plain_parts
    | st.builds(Reasoning, texts, optional, st.booleans())
    | st.builds(ToolCall, texts, texts, bodies, st.booleans())
    | st.builds(ToolResult, texts, st.lists(plain_parts, max_size=2).map(tuple), st.booleans())
)
spans = st.lists(st.builds(MediaSpan, numbers, digests), max_size=2).map(tuple)
messages = st.builds(
    Message,
    id=texts,
    role=st.sampled_from(Role),
    parts=st.lists(parts, max_size=3).map(tuple),
    origin=st.sampled_from(Origin),
    name=optional,
    time=optional,
    raw=st.none() | st.builds(Raw, texts, bodies, spans),
)
usages = st.builds(Usage, input=numbers, cached=numbers, output=numbers)
cuts = st.builds(
    Cut,
    message=texts,
    kind=st.sampled_from(CutKind),
    reason=st.sampled_from(Reason),
    part=numbers,
    inner=st.none() | numbers,
    pointer=optional,
    keep=st.lists(st.tuples(numbers, numbers), max_size=2).map(tuple),
    total=numbers,
)
runs = st.builds(Run, texts, texts, numbers, st.sampled_from(Verdict), st.sampled_from(Reason))
plans = st.builds(Plan, runs=st.lists(runs, max_size=2).map(tuple), cuts=st.lists(cuts, max_size=2).map(tuple))
checkpoints = st.builds(
    Checkpoint,
    id=texts,
    parent=optional,
    step=st.booleans(),
    reaches=texts,
    digest=texts,
    plan=plans,
    summary=optional,
    strategy=texts,
    budget=numbers,
)
reports = st.builds(
    Report,
    phase=st.sampled_from(Phase),
    strategy=texts,
    resolved_by=st.sampled_from(ResolvedBy),
    reason=st.sampled_from(FitReason),
    fallback=st.none() | st.sampled_from(Fallback),
    tokens_before=numbers,
    tokens_after=numbers,
    tokens_full=numbers,
    budget=numbers,
    window=numbers,
    target=numbers,
    tool_call_ids=st.lists(texts, max_size=2).map(tuple),
    summarizer_timeout_s=st.none() | st.floats(0, 600),
)
names = st.lists(texts, max_size=2).map(tuple)
ancestries = st.lists(st.tuples(texts, st.integers(-1, 2**40)), max_size=2).map(tuple)
foreign_json = st.sampled_from(
    ['{"type":"vote","for":[1,2]}', '{"for": 1e400, "type": "vote"}', '{"type":"undo","checkpoint":"c"}', "[]", "{ "]
)
payloads: st.SearchStrategy[Payload] = st.one_of(
    st.builds(MessageEntry, messages),
    st.builds(UsageEntry, usage=usages, last=texts, checkpoint=optional, model=texts, price=numbers),
    st.builds(CheckpointEntry, checkpoints),
    st.builds(UndoEntry, texts),
    st.builds(ReportEntry, reports),
    st.builds(InterruptionEntry, texts, names),
    st.builds(RefusedEntry, names, texts),
    st.builds(FrameEntry, texts),
    st.builds(BranchEntry, branch=texts, ancestry=ancestries, why=texts),
    st.builds(UnknownEntry, texts | st.sampled_from(["vote", "undo", ""]), texts | foreign_json),
)
entries = st.builds(
    Entry,
    seq=st.integers(0, 10**20),
    branch=texts,
    time=texts,
    payload=payloads,
    log_digest=texts,
    transcript_digest=texts,
    normal_digest=texts,
)
