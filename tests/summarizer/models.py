"""Models that answer as they are told to: well, badly, late, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from unabridged.report import Usage
from unabridged.summarizer import Answer, Question

GOOD = """## Completed goals
- The parser in `src/parser.py` was fixed; `make test` passed afterwards.

## Key decisions
- Tabs were kept because the user asked for them; a rewrite was rejected as too large.

## Open work
- The manual was not written yet. It stood at chapter two of five, the outline was approved.

## Facts and constraints
- The queue listens at port 8431. The user forbade to touch `secrets.txt`.
"""


class Scripted:
    """Answers each question with the next of its answers, the last one for ever, and keeps the questions."""

    def __init__(self, *answers: Answer | str | Exception | Callable[[Question], str]) -> None:
        self.answers = list(answers) or [GOOD]
        self.questions: list[Question] = []

    async def __call__(self, question: Question) -> Answer:
        self.questions.append(question)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        await asyncio.sleep(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Answer):
            return answer
        text = answer if isinstance(answer, str) else answer(question)
        return Answer(text=text, stop="end_turn", usage=Usage(input=100, output=20), model="small-model")


class Slow:
    """Answers after some time, and notes whether it was cancelled before."""

    def __init__(self, seconds: float, *, stubborn: bool = False) -> None:
        self.seconds = seconds
        self.stubborn = stubborn
        self.asked = 0
        self.answered = 0
        self.cancelled = 0

    async def __call__(self, question: Question) -> Answer:
        self.asked += 1
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            if not self.stubborn:
                raise
            await asyncio.sleep(self.seconds)
        self.answered += 1
        return Answer(text=GOOD, stop="end_turn")
