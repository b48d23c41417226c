"""Talks to a real model until the conversation has outgrown its window several times. Needs no key.

The model is SmolLM2 with 135 million parameters, in a window of 2,048 tokens on this machine. It is a toy: what it says
is often wrong. What it is sent, what its server counts and what its cache holds are real.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from unabridged import Conversation, UnabridgedError
from unabridged.message import Message, Role, Text, ToolCall
from unabridged.models.answering import Answered, Answering
from unabridged.models.local.model import local_model
from unabridged.report import Report

WINDOW = 2_048
TURNS = 8
SECONDS = 25
"""No further turn begins after them, whatever the machine."""
ROOT = Path(__file__).parent.parent
READ = 2_000
"""Characters of a file that one read gives."""


def pages() -> Iterator[tuple[str, str]]:
    """Give names and pieces of this project's own documentation, without an end."""
    for start in itertools.count(0, READ):
        for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
            piece = path.read_text(encoding="utf-8")[start : start + READ]
            if piece:
                yield path.name, piece


def look(talk: Conversation, number: int, name: str, piece: str) -> None:
    """Put a read file into the conversation, as an agent's tools do: this model cannot call any."""
    talk.user(f"Question {number}: in one sentence, what is {name} about?")
    call = ToolCall(f"call_{number}", "read", f'{{"path":"{name}"}}')
    talk.add(Message(id=f"look-{number}", role=Role.ASSISTANT, parts=(Text(f"I read {name}."), call)))
    talk.result(call.id, piece)


def line(number: int, answered: Answered, report: Report | None) -> str:
    """Give one turn in one line."""
    usage = answered.completed.usage
    said = " ".join(" ".join(message.text for message in answered.messages).split())[:48]
    counted = f"{usage.input:6,} {usage.cached:7,}" if usage is not None else " " * 14
    full = f"{report.tokens_full:6,}" if report is not None else "     -"
    did = f"{report.truncated} cut, {report.dropped} dropped" if report is not None else "whole"
    return f"{number:4} {full} {answered.fitted.tokens:6,} {counted}  {did:18} {said}"


async def main() -> None:
    """Hold the conversation and print it."""
    print(f"A live conversation with SmolLM2 (135M, a toy) in a window of {WINDOW:,} tokens:\n")
    print(f"{'turn':>4} {'whole':>6} {'sent':>6} {'server':>6} {'cached':>7}  {'fit':18} says")
    started = time.monotonic()
    async with local_model(window=WINDOW) as model:
        talk = Conversation(model=model.name, system="You answer briefly.", max_tokens=32)
        answering = Answering(talk, model)
        for number, (name, piece) in enumerate(itertools.islice(pages(), TURNS), 1):
            look(talk, number, name, piece)
            answered = await answering.answer()
            print(line(number, answered, answered.fitted.report), flush=True)
            if time.monotonic() - started > SECONDS:
                break
    stored = len(talk.transcript.records)
    print(f"\nAll {stored} messages are still there; none of the requests was refused.\n")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except UnabridgedError as error:
        sys.exit(f"no live conversation: {error}")
