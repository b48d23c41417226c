"""Questions made of transcripts, without anybody's judgement: something that is known to stand in one message.

`names` are names, paths and error lines that come again later: the first occurrence is what is looked for.
`sentences` are five words of one sentence of a long message.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.shared import DATA
from unabridged.archive import text_of
from unabridged.errors import BadInput
from unabridged.importers import read_file
from unabridged.message import Message
from unabridged.store.words import words_of

CODE = ("claude-code-entire-cli", "claude-code-oh-my-posh", "codex-copilot-agentv")
LONG = ("aider", "pi-mono", "langgraph-deer-flow", "claude-code-context-evaluator")
"""Kept aside: nothing was tuned on them."""
EACH = 4
"""Sessions of a folder."""
QUESTIONS = 30
"""Of a session."""
_NAME = re.compile(
    r"[A-Za-z_][A-Za-z0-9_]*(?:[./-][A-Za-z0-9_]+)+|[A-Za-z]+(?:_[A-Za-z0-9]+)+|[A-Za-z]?[a-z]+(?:[A-Z][a-z0-9]+)+"
)
_ERROR = re.compile(r"^.*(?:[Ee]rror:|FAIL|panic:|failed).*$", re.MULTILINE)
_SENTENCE = re.compile(r"[\n.]")


class Asked(NamedTuple):
    """What is looked for, and the id of the message that holds it."""

    query: str
    gold: str


def sessions(folders: Sequence[str], least: int) -> Iterator[list[Message]]:
    """Give some sessions of each folder that have so many messages."""
    for folder in folders:
        given = 0
        for path in sorted((DATA / folder).glob("*")):
            for messages in _read(path):
                if given < EACH and len(messages) >= least:
                    given += 1
                    yield messages


def _read(path: Path) -> Iterator[list[Message]]:
    with suppress(BadInput):
        for conversation in read_file(path)[:1]:
            yield list(conversation.messages)


def names(messages: Sequence[Message], seed: int) -> list[Asked]:
    """Give names, paths and error lines that a few messages hold, the first of them well before the last."""
    seen: dict[str, list[int]] = defaultdict(list)
    for place, message in enumerate(messages):
        text = text_of(message)
        found = {name for name in _NAME.findall(text) if 6 <= len(name) <= 80}
        found |= {line for line in map(str.strip, _ERROR.findall(text)) if 20 <= len(line) <= 160}
        for each in found:
            seen[each].append(place)
    known = sorted((each, at[0]) for each, at in seen.items() if 2 <= len(at) <= 6 and at[-1] > at[0] + 5)
    chosen = random.Random(seed).sample(known, min(QUESTIONS, len(known)))
    return [Asked(each, messages[place].id) for each, place in chosen]


def sentences(messages: Sequence[Message], seed: int) -> list[Asked]:
    """Give five words each of sentences of long messages."""
    dice = random.Random(seed)
    long = [message for message in messages if len(list(words_of(text_of(message)))) > 150]
    asked: list[Asked] = []
    for message in dice.sample(long, min(QUESTIONS, len(long))):
        lines = [words for line in _SENTENCE.split(text_of(message)) if 6 <= len(words := list(words_of(line))) <= 30]
        if lines:
            asked.append(Asked(" ".join(dice.sample(dice.choice(lines), 5)), message.id))
    return asked
