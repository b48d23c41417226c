"""How a conversation is drawn: turns of a person, steps of calls and results, answers; neutral, for every dialect."""

from __future__ import annotations

import functools
import json
from typing import TypeVar

import msgspec
from hypothesis import strategies as st

from unabridged.testing.bodies import TOOL, Result, Said
from unabridged.testing.models import Call
from unabridged.testing.passages import KINDS, passage
from unabridged.testing.pictures import png
from unabridged.testing.strategies.texts import SEEDS

T = TypeVar("T")
WHOLE_KINDS = tuple(kind for kind in KINDS if kind != "surrogates")
"""The kinds of text that a valid request may hold: all but halves of characters."""
PICTURES = ((16, 16), (640, 480), (1568, 1200))
"""Width and height in pixels."""
MOST_STEPS = 3
MOST_CALLS = 3


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """What a conversation is made of."""

    most_turns: int = 6
    most_tokens: int = 200
    """Of one text."""
    kinds: tuple[str, ...] = WHOLE_KINDS
    pictures: bool = True
    thoughts: bool = True


@functools.cache
def below(limit: int) -> st.SearchStrategy[int]:
    """Give numbers from 0 up to, not including, a limit."""
    return st.integers(0, limit - 1)


class Teller:
    """Draws one conversation. Everything of size is a number whose zero is the plainest, for shrinking."""

    def __init__(self, draw: st.DrawFn, manner: Manner, *, pictured_results: bool = True) -> None:
        self._draw = draw
        self._manner = manner
        self._pictured_results = pictured_results
        self._calls = 0

    def conversation(self, *, least_steps: int = 0) -> list[Said]:
        """Draw turns; the last is open: the model is to speak next. The first has at least so many steps."""
        said: list[Said] = []
        for turn in range(1 + self.number(self._manner.most_turns)):
            if turn:
                said.append(self.answer())
            said.append(self.human())
            steps = self.number(MOST_STEPS + 1)
            for _ in range(steps if turn else max(steps, least_steps)):
                said += self.step()
        return said

    def message(self) -> Said:
        """Draw one message of any sort."""
        match self.number(4):
            case 0:
                return self.human()
            case 1:
                return self.answer()
            case which:
                return self.step()[which - 2]

    def human(self) -> Said:
        """Draw what a person says."""
        return Said(role="user", text=self.text(), pictures=self._pictures())

    def answer(self) -> Said:
        """Draw what the model says."""
        return Said(role="assistant", text=self.text(), thoughts=self._thoughts())

    def step(self) -> tuple[Said, Said]:
        """Draw calls, and their results."""
        ids = [self._id() for _ in range(1 + self.number(MOST_CALLS))]
        calls = tuple(Call(TOOL, json.dumps({"path": "a.py", "text": self.text()}), id) for id in ids)
        text = self.text() if self.rarely() else None
        asked = Said(role="assistant", text=text, thoughts=self._thoughts(), calls=calls)
        return asked, Said(role="user", results=tuple(self.result(id) for id in ids))

    def result(self, call_id: str) -> Result:
        """Draw what a call gave back."""
        return Result(call_id, self.text(), self._pictures() if self._pictured_results else ())

    def text(self) -> str:
        """Draw a text that says something: providers refuse what is blank."""
        number = self.number(len(self._manner.kinds) * self._manner.most_tokens * SEEDS)
        number, seed = divmod(number, SEEDS)
        kind, size = divmod(number, self._manner.most_tokens)
        text = passage(self._manner.kinds[kind], 1 + size, seed)
        return text if text.strip() else f"-{text}"

    def number(self, limit: int) -> int:
        """Draw a number below a limit."""
        return self._draw(below(limit))

    def pick(self, choices: tuple[T, ...]) -> T:
        """Draw one of several."""
        return choices[self.number(len(choices))]

    def rarely(self) -> bool:
        """Draw what is so in one of four cases."""
        return self.number(4) == 3

    def _id(self) -> str:
        self._calls += 1
        return f"call_{self._calls}"

    def _thoughts(self) -> tuple[str, ...]:
        return (self.text(),) if self._manner.thoughts and self.rarely() else ()

    def _pictures(self) -> tuple[bytes, ...]:
        if not self._manner.pictures or not self.rarely():
            return ()
        return (png(*self.pick(PICTURES), str(self.number(SEEDS))),)
