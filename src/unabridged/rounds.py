"""Rounds: from one human message to the next. A cut lands on a border between two where one is near."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from unabridged.message import Message


def borders(messages: Sequence[Message]) -> list[int]:
    """Give the positions at which rounds begin. Reminders, summaries and tool feedback begin none."""
    return [place for place, message in enumerate(messages) if message.is_human]


def segment(messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Give each round as [start, end). What stands before the first human message belongs to no round."""
    starts = borders(messages)
    return list(pairwise([*starts, len(messages)])) if starts else []
