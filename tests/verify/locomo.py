"""LoCoMo: very long dialogues of two people, with questions and the turns that hold the answers.

Maharana and others, Evaluating Very Long-Term Conversational Memory of LLM Agents (ACL 2024); CC BY-NC 4.0, so it is
measured on and never shipped. Categories 1 to 4 have evidence; 5 asks for what was never said.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from tests.shared import DATA
from unabridged.message import Message, Role, Text

FILE = DATA / "locomo" / "locomo10.json.gz"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open domain", 4: "single hop"}
_TURN = re.compile(r"D\d+:\d+")


class Question(NamedTuple):
    """A question, and the ids of the turns that answer it."""

    text: str
    category: str
    gold: frozenset[str]


class Dialogue(NamedTuple):
    """A conversation with its questions."""

    messages: list[Message]
    questions: list[Question]


def dialogues() -> Iterator[Dialogue]:
    """Read all ten. A turn's photo is in it by its caption."""
    for each in json.loads(gzip.decompress(FILE.read_bytes())):
        messages = list(_messages(each["conversation"]))
        yield Dialogue(messages, list(_questions(each["qa"], {message.id for message in messages})))


def _messages(conversation: dict[str, Any]) -> Iterator[Message]:
    number = 1
    while (when := conversation.get(f"session_{number}_date_time")) is not None:
        time = datetime.strptime(when, "%I:%M %p on %d %B, %Y").isoformat() + "Z"
        for turn in conversation.get(f"session_{number}", []):
            role = Role.USER if turn["speaker"] == conversation["speaker_a"] else Role.ASSISTANT
            said = " ".join(filter(None, (turn["text"], turn.get("blip_caption"))))
            yield Message(id=turn["dia_id"], role=role, name=turn["speaker"], time=time, parts=(Text(said),))
        number += 1


def _questions(asked: list[dict[str, Any]], ids: set[str]) -> Iterator[Question]:
    for each in asked:
        gold = frozenset(_TURN.findall(" ".join(each.get("evidence", [])))) & ids
        if each["category"] in CATEGORIES and gold:
            yield Question(each["question"], CATEGORIES[each["category"]], gold)
