"""What kind of answer came, and whether one is due."""

from __future__ import annotations

from enum import Enum, auto

from unabridged.message import Role
from unabridged.models.answering import Answered
from unabridged.transcript import Transcript

CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "MAX_TOKENS", "incomplete", "model_length"})
"""How providers say that an answer ended at its output limit."""


class Said(Enum):
    """What kind of answer came."""

    CALLS = auto()
    CUT_OFF = auto()
    NOTHING = auto()
    FINAL = auto()


def kind_of(answered: Answered, said: str) -> Said:
    """Say what kind of answer came."""
    if answered.calls:
        return Said.CALLS
    if answered.completed.stop in CUT_OFF:
        return Said.CUT_OFF
    return Said.FINAL if said.strip() else Said.NOTHING


def has_more(transcript: Transcript) -> bool:
    """Tell whether the model has something to answer: a turn that a crash, or a limit, ended in the middle."""
    records = transcript.records
    return bool(records) and (records[-1].message.role is not Role.ASSISTANT or bool(records[-1].message.calls))
