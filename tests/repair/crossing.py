"""Requests of one provider, as another one gets them."""

from __future__ import annotations

from collections.abc import Sequence

from tests.repair.mending import LISTED
from tests.wire.crossings import DIALECTS
from unabridged import repair
from unabridged.log import Log
from unabridged.message import Message
from unabridged.testing import violations
from unabridged.transcript import Transcript
from unabridged.view import Cutter
from unabridged.wire import wire

ACROSS = [(source, target) for source in DIALECTS for target in DIALECTS if source != target]


class Crossed:
    """A request of one provider as another gets it. That the other accepts it, and mending is stable, is checked."""

    def __init__(self, body: bytes, source: str, target: str) -> None:
        _, messages, self.media = wire(source).read_request(body, id_prefix="r")
        transcript = Transcript(Log())
        for message in messages:
            transcript.append(message, media=self.media)
        cutter = Cutter(wire(target), transcript.counter, self.media)
        came = [cutter.whole(record) for record in transcript.records]
        self.items, repairs = repair.mend(came, target, cutter)
        self.repairs = dict(repairs)
        self.came: Sequence[Message] = messages
        self.texts = wire(target).write_messages([item.message for item in self.items], self.media)
        assert violations(target, self.request(target)) == []
        assert repair.mend(self.items, target, cutter) == (self.items, ())

    def request(self, target: str) -> bytes:
        listed = f'"{LISTED.get(target, "messages")}":[{",".join(self.texts)}]'
        return f'{{"model":"gemini-3-pro",{listed}}}'.encode("utf-8", "backslashreplace")
