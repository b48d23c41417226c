"""A summary by a model: asked for in parts that fit its window, merged, checked, and with the facts beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from unabridged.errors import BadSetting
from unabridged.report import Fallback, Usage
from unabridged.summarizer.asking import Answer, Ask
from unabridged.summarizer.checking import flaw_in
from unabridged.summarizer.composing import composed, prose_in
from unabridged.summarizer.prompt import HEADINGS
from unabridged.summarizer.questions import Asked, Reader, about_parts, about_span
from unabridged.summarizer.request import NoSummary, Summary, SummaryRequest, WhyNoSummary
from unabridged.summarizer.size import flaw_in_size

PROSE_SHARE = 0.6
"""Of the limit, what the model may write; the facts have the rest, and what it leaves."""
RATIO = 1.5
"""A model's tokens for one of o200k's, at most. Measured for Claude on code: 1.4."""
REMEMBERED = 64
"""Parts whose summaries are kept, so that what was finished before a deadline need not be paid for again."""

_OUT_OF_ROOM = frozenset({WhyNoSummary.CUT_OFF, WhyNoSummary.ONLY_REASONING})
_FAILED = frozenset({WhyNoSummary.INPUT_TOO_LARGE, WhyNoSummary.ERROR_TEXT})


class _Tally:
    """What the calls of one summary came to."""

    def __init__(self) -> None:
        self.calls = 0
        self.usage: Usage | None = None
        self.model = ""

    def add(self, answer: Answer) -> None:
        self.calls += 1
        self.model = answer.model or self.model
        if answer.usage is not None:
            self.usage = answer.usage if self.usage is None else self.usage + answer.usage


class ModelSummarizer:
    """Asks a model. It has no clock: `summarize_within` gives all calls together one deadline, and cancels them."""

    def __init__(
        self, ask: Ask, *, window: int, model: str = "", sees: bool = False, ratio: float = RATIO, parallel: int = 3
    ) -> None:
        """Take a model to ask, and what there is to know of it.

        `window` are the tokens that it takes, question and answer together, in its own vocabulary, and `ratio` says how
        many of these one of the counter's tokens comes to at most. With `sees`, pictures and documents of the span are
        attached. At most `parallel` questions are open at a time.
        """
        if window < 1 or not ratio > 0:
            raise BadSetting("window", window, "give the tokens that the summary model takes, and a ratio above 0")
        self._ask = ask
        self._reader = Reader(window=window, ratio=ratio, sees=sees)
        self._model = model
        self._parallel = max(1, parallel)
        self._finished: dict[str, str] = {}

    @property
    def window(self) -> int:
        """Tokens that the model takes. Whoever decides what it gets to read looks here."""
        return self._reader.window

    @property
    def model(self) -> str:
        """The model that is asked, as it was named; reports name it where no answer came that does."""
        return self._model

    async def summarize(self, request: SummaryRequest) -> Summary | NoSummary:
        """Give the model's summary with the facts beside it, or say what is wrong with what it gave."""
        tally = _Tally()
        prose = await self._prose(request, tally)
        model = tally.model or self._model
        if isinstance(prose, WhyNoSummary):
            fallback = Fallback.SUMMARIZER_FAILED if prose in _FAILED else Fallback.SUMMARIZER_RETURNED_NOTHING
            return NoSummary(fallback=fallback, reason=prose, model=model, usage=tally.usage, calls=tally.calls)
        return Summary(text=composed(prose, request), model=model, usage=tally.usage, calls=tally.calls)

    async def _prose(self, request: SummaryRequest, tally: _Tally) -> str | WhyNoSummary:
        wanted = self._reader.wanted(int(request.limit * PROSE_SHARE))
        asked = about_span(request, self._reader, wanted)
        if not asked:
            return WhyNoSummary.INPUT_TOO_LARGE
        texts = await self._all(asked, tally)
        while isinstance(texts, list) and len(texts) > 1:
            texts = await self._all(about_parts(texts, request, self._reader, wanted), tally)
        if isinstance(texts, WhyNoSummary):
            return texts
        return flaw_in_size(texts[0], request) or texts[0]

    async def _all(self, asked: Sequence[Asked], tally: _Tally) -> list[str] | WhyNoSummary:
        """Ask side by side; give all answers in order, or what is wrong with the first that is no summary."""
        import asyncio  # takes longer to load than all of this package, and most processes never ask a model

        gate = asyncio.Semaphore(self._parallel)

        async def one(part: Asked) -> str | WhyNoSummary:
            async with gate:
                return await self._one(part, tally)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(part)) for part in asked]
        given = [task.result() for task in tasks]
        flaw = next((text for text in given if isinstance(text, WhyNoSummary)), None)
        return [text for text in given if not isinstance(text, WhyNoSummary)] if flaw is None else flaw

    async def _one(self, asked: Asked, tally: _Tally) -> str | WhyNoSummary:
        """Ask one question, a second time with more room where the answer had too little."""
        question = asked.question
        key = hashlib.sha256(f"{question.max_output}\x00{question.user}".encode("utf-8", "surrogatepass")).hexdigest()
        if key in self._finished:
            return self._finished[key]
        answer = await self._ask(question)
        tally.add(answer)
        flaw = flaw_in(answer, asked.messages, HEADINGS)
        if flaw in _OUT_OF_ROOM and question.max_output * 2 <= self._reader.window // 2:
            answer = await self._ask(msgspec.structs.replace(question, max_output=question.max_output * 2))
            tally.add(answer)
            flaw = flaw_in(answer, asked.messages, HEADINGS)
        return self._remembered(key, prose_in(answer.text)) if flaw is None else flaw

    def _remembered(self, key: str, prose: str) -> str:
        if len(self._finished) >= REMEMBERED:
            self._finished.pop(next(iter(self._finished)))
        self._finished[key] = prose
        return prose
