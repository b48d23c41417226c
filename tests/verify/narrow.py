"""Windows that the fixed part of a request nearly fills: what works, what works barely, and what is refused at once."""

from __future__ import annotations

from dataclasses import dataclass

from tests.verify.talking import fake_model
from unabridged import Conversation
from unabridged.errors import CannotFit, UnabridgedError
from unabridged.models.answering import Answering
from unabridged.report import FitReason
from unabridged.testing import FakeProvider, Scripted
from unabridged.testing.passages import passage
from unabridged.tokens import default_counter

WINDOWS = (2_000, 4_000, 8_000)
FRAMING = 10
"""Tokens of a request around its system text."""
SHARES = (10, 60, 95, 110)
"""Of the window, in hundredths, what system text takes."""
TURNS = 20
ROOMY = 8_000
"""Tokens of a window whose twentieth part holds more than a question, an answer and a marker."""


@dataclass
class Case:
    """What came of one window and one fixed part."""

    window: int
    share: int
    answered: int = 0
    fits: int = 0
    lowered: int = 0
    """Requests that went out with a lowered output limit."""
    refused: bool = False
    """`CannotFit`, before any call."""
    calls: int = 0
    faults: int = 0

    @property
    def is_as_it_should_be(self) -> bool:
        """Works; works with few fits; floor view with a lowered output limit; refused before any call."""
        works = self.answered == TURNS and not self.refused and not self.faults
        match self.share:
            case 10:
                return works
            case 60:
                return works and 0 < self.fits <= TURNS
            case 95:
                barely = 0 < self.answered == self.calls == self.lowered and not self.faults
                return barely and (works or self.window < ROOMY)
            case _:
                return self.refused and self.calls == 0


async def cases() -> list[Case]:
    """Try every window with every fixed part."""
    return [await _case(window, share) for window in WINDOWS for share in SHARES]


async def _case(window: int, share: int) -> Case:
    case = Case(window, share)
    provider = FakeProvider(Scripted(["Fine. " * 5] * TURNS), window=window)
    async with fake_model(provider, "openai_chat") as model:
        talk = Conversation(model="m", window=window, system=fixed(window * share // 100), max_tokens=window // 4)
        answering = Answering(talk, model)
        for turn in range(TURNS):
            talk.user(f"{turn}: " + passage("words", window // (400 if share > 90 else 50), turn))
            try:
                answered = await answering.answer()
            except CannotFit:
                case.refused = True
                break
            except UnabridgedError:
                case.faults += 1
                break
            case.answered += 1
            report = answered.fitted.report
            case.fits += report is not None and report.reason is not FitReason.REPAIRED
            case.lowered += answered.fitted.request()["max_tokens"] < window // 4
    case.calls = len(provider.served) + len(provider.refused)
    return case


def fixed(tokens: int) -> str:
    """Give system text that makes the fixed part of a request take so many tokens."""
    count, most = default_counter().count, tokens - FRAMING
    text = passage("words", 2 * most, 1)
    while count(text) > most:
        text = text[: len(text) * most // count(text)]
    return text
