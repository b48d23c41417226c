"""Transcripts in notation, mended for their provider."""

from __future__ import annotations

import json
from typing import Any

from tests.notation import read, shown
from unabridged import repair
from unabridged.log import Log
from unabridged.testing import violations
from unabridged.transcript import Transcript
from unabridged.view import Cutter, Item
from unabridged.wire import wire


class Mended:
    """What the rules of a dialect made of a script. That it is valid and stays as it is, is checked."""

    def __init__(self, script: str, dialect: str) -> None:
        transcript = Transcript(Log())
        for message, media in read(script, dialect):
            transcript.append(message, media=media)
        self._wire = wire(dialect)
        self._media = transcript.log.media
        cutter = Cutter(self._wire, transcript.counter, self._media)
        self.came: list[Item] = [cutter.whole(record) for record in transcript.records]
        self.items, repairs = repair.mend(self.came, dialect, cutter)
        self.repairs = dict(repairs)
        assert violations(dialect, {"messages": self.sent()}) == []
        assert repair.mend(self.items, dialect, cutter) == (self.items, ())

    def __str__(self) -> str:
        return shown(self.items)

    def sent(self) -> list[dict[str, Any]]:
        """Give the messages as they go out."""
        texts = self._wire.write_messages([item.message for item in self.items], self._media)
        return [json.loads(text) for text in texts]


def openai(script: str) -> Mended:
    """Mend for OpenAI Chat Completions."""
    return Mended(script, "openai_chat")


def anthropic(script: str) -> Mended:
    """Mend for Anthropic Messages."""
    return Mended(script, "anthropic")
