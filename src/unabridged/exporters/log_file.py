"""Writes a conversation as a log of this library: the documented JSON Lines, through the store that owns them.

What a client's calls reported becomes usage entries, with the price of the request as far as the file shows it: what
stood before the answer, and where the client compacted, its summary and what follows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from unabridged.entry import FrameEntry, UsageEntry
from unabridged.frame import Frame
from unabridged.importers import Imported, RecordedCall
from unabridged.log import Log
from unabridged.message import Message, Origin
from unabridged.store.jsonl import JsonlWriter
from unabridged.tokens import default_counter
from unabridged.tokens.price import Cost, Price, price_texts
from unabridged.transcript import Transcript
from unabridged.wire import wire

SUFFIX = ".unabridged.jsonl"

_AT_ONCE = 500
"""Messages that go to the disk with one append."""


class Counts(NamedTuple):
    """What a log got."""

    messages: int
    usage: int
    media: int


def write_log(conversation: Imported, path: Path, done: Callable[[int], None] = lambda _: None) -> Counts:
    """Write a new log file; `done` is told how many messages are on the disk."""
    log = Log(session_of(conversation), counter=default_counter().name)
    written = 0
    with JsonlWriter(path, session=log.session, counter=log.counter) as writer:

        def write(messages: int) -> None:
            nonlocal written
            writer.append(log.since(written), log.media)
            written = log.next_seq
            done(messages)

        return append_to(log, conversation, write)


def append_to(log: Log, conversation: Imported, done: Callable[[int], None] = lambda _: None) -> Counts:
    """Append a conversation to an empty log; `done` is told after every so many messages how many there are."""
    writing = _Writing(conversation, Transcript(log))
    for end in [*range(_AT_ONCE, len(conversation.messages), _AT_ONCE), len(conversation.messages)]:
        writing.upto(end)
        done(end)
    return Counts(len(conversation.messages), writing.reported, len(conversation.media))


def session_of(conversation: Imported) -> str:
    """Give the id of the session that a conversation becomes: what the ids of its messages begin with."""
    first = conversation.messages[0].id
    return first.rpartition("-")[0] or first


class _Writing:
    """Appends a conversation to a log, each report behind the request that it is for."""

    def __init__(self, conversation: Imported, transcript: Transcript) -> None:
        self._conversation = conversation
        self._transcript = transcript
        transcript.log.media.update(conversation.media)
        self._calls = {call.answer: call for call in conversation.calls if call.usage is not None and call.answer}
        self._digest, self._frame_price = _frame_of(conversation.frame, transcript)
        self._before = Cost(Price(0))
        """What stood before the client's newest summary."""
        self._done = 0
        self.reported = 0

    def upto(self, end: int) -> None:
        """Append messages up to this position, and what was reported between them."""
        for place in range(self._done, end):
            message = self._conversation.messages[place]
            if message.origin is Origin.CLIENT_SUMMARY:
                self._before = self._transcript.total
            call = self._calls.get(place)
            if call is not None:
                self._report(call, self._conversation.messages[place - 1])
            self._transcript.append(message)
        new, hidden = self._conversation.messages[self._done : end], self._conversation.hidden
        self._transcript.hide(*(message.id for message in new if message.id in hidden))
        self._done = end

    def _report(self, call: RecordedCall, last: Message) -> None:
        assert call.usage is not None
        seen = self._transcript.total + -self._before
        price = self._frame_price + seen.under(self._conversation.dialect).tokens
        entry = UsageEntry(usage=call.usage, last=last.id, frame=self._digest, model=call.model, price=price)
        self._transcript.report_usage(entry)
        self.reported += 1


def _frame_of(frame: Frame, transcript: Transcript) -> tuple[str, int]:
    """Append the frame: its dialect at least is known. Gives its digest and what it costs."""
    texts = list(wire(frame.dialect).frame_texts(frame))
    digest = hashlib.sha256("\x00".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    transcript.record(FrameEntry(digest, msgspec.structs.replace(frame, envelope=None)))
    return digest, price_texts(texts, transcript.counter).tokens
