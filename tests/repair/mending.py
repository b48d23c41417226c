"""Transcripts in notation, mended for their provider."""

from __future__ import annotations

import json
from typing import Any

from unabridged import repair
from unabridged.log import Log
from unabridged.testing import violations
from unabridged.testing.notation import read, shown
from unabridged.transcript import Transcript
from unabridged.view import Cutter, Item
from unabridged.wire import wire

DIALECTS = ["anthropic", "gemini", "openai_chat", "openai_responses"]
LISTED = {"openai_responses": "input", "gemini": "contents"}
"""The field that holds the messages, where it is not `messages`."""


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
        assert violations(dialect, {LISTED.get(dialect, "messages"): self.sent()}) == []
        assert repair.mend(self.items, dialect, cutter) == (self.items, ())

    def __str__(self) -> str:
        return shown(self.items)

    def sent(self) -> list[dict[str, Any]]:
        """Give the messages as they go out."""
        texts = self._wire.write_messages([item.message for item in self.items], self._media)
        return [json.loads(text) for text in texts]


def mended_bodies(dialect: str, *bodies: Any) -> tuple[list[Any], dict[str, int]]:
    """Mend messages given as their provider writes them: how they go out, and what was mended."""
    transcript = Transcript(Log())
    for number, body in enumerate(bodies):
        message, media = wire(dialect).read_message(json.dumps(body), id=f"m{number}")
        transcript.append(message, media=media)
    cutter = Cutter(wire(dialect), transcript.counter, transcript.log.media)
    out, repairs = repair.mend([cutter.whole(record) for record in transcript.records], dialect, cutter)
    assert repair.mend(out, dialect, cutter) == (out, ())
    sent = [json.loads(text) for text in wire(dialect).write_messages([item.message for item in out], {})]
    assert violations(dialect, {LISTED.get(dialect, "messages"): sent}) == []
    return sent, dict(repairs)


def mended_items(*items: Any) -> tuple[list[Any], dict[str, int]]:
    """Mend Responses items, each a message or several in a list, as a client that appends one by one has them."""
    return mended_bodies("openai_responses", *items)


def mended_contents(*contents: Any) -> tuple[list[Any], dict[str, int]]:
    """Mend Gemini contents."""
    return mended_bodies("gemini", *contents)


def openai(script: str) -> Mended:
    """Mend for OpenAI Chat Completions."""
    return Mended(script, "openai_chat")


def anthropic(script: str) -> Mended:
    """Mend for Anthropic Messages."""
    return Mended(script, "anthropic")


def responses(script: str) -> Mended:
    """Mend for OpenAI Responses."""
    return Mended(script, "openai_responses")


def gemini(script: str) -> Mended:
    """Mend for Gemini."""
    return Mended(script, "gemini")
