"""The articles' summary generator: a model, given as a callable, that is asked for a summary within a time."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

from unabridged.context.history import DIALECT
from unabridged.context.settings import ContextConfig
from unabridged.errors import BadInput
from unabridged.message import Message, Origin, Role, Text
from unabridged.policy import LEAST_SUMMARY, Policy
from unabridged.report import Fallback
from unabridged.summarizer import (
    Answer,
    ModelSummarizer,
    NoSummary,
    Question,
    Summarizer,
    Summary,
    SummaryRequest,
    WhyNoSummary,
    summarize_within,
)
from unabridged.tokens import default_counter
from unabridged.tokens.price import price_message

ModelCall = Callable[[list[dict[str, str]]], str | Answer | Awaitable[str | Answer]]
"""A model: OpenAI messages (a system and a user one) in, its text out. Async, or blocking."""

GenerateSummary = Callable[[Sequence[Message]], str | Awaitable[str | None] | None]
"""What the articles call `summary_generator`: messages in, a summary or None out. One may write one's own."""

_T = TypeVar("_T")
_UNTIL: ContextVar[float] = ContextVar("until", default=float("inf"))
"""When the summary at hand has to be there, by the monotonic clock."""


def create_summary_generator(
    llm: ModelCall, config: ContextConfig | None = None, *, window: int | None = None, model: str = ""
) -> SummaryGenerator:
    """Make a summary generator of a model. `window` is what the model takes, by default as much as the chat model.

    Not as in the articles: no thread stands between (`docs/decisions/0007-one-deadline-no-thread.md`). An async `llm`
    is cancelled at its deadline, down to its connection. A blocking one cannot be: the turn waits for as long as it
    takes, what it says after the deadline is not used, and it is not asked for a further part. Give a blocking client
    a timeout of its own that is shorter than `SUMMARY_TIMEOUT`.

    Called from blocking code, an async `llm` runs in an event loop of that one call: it has to open its client there.
    """
    return SummaryGenerator(llm, config if config is not None else ContextConfig.from_env(), window=window, model=model)


class SummaryGenerator:
    """Gives a summary of messages, or None. The engine takes it as a `Summarizer`, which also says why there is none.

    Its model is told what a summary is, is given the conversation as data in parts that fit its window, and what it
    answers is looked at before it is believed (`docs/summaries.md`).
    """

    def __init__(self, llm: ModelCall, config: ContextConfig, *, window: int | None = None, model: str = "") -> None:
        self.timeout_s = config.summary_timeout
        self.model = model
        self._llm = llm
        self._summarizer = ModelSummarizer(self._ask, window=window or config.context_window, model=model)

    @property
    def window(self) -> int:
        """Tokens that its model takes."""
        return self._summarizer.window

    def __call__(self, messages: Sequence[Message]) -> str | None:
        """Give a summary, or None. Raises `BadInput` where an event loop runs: await `generate` there."""
        return in_own_loop(lambda: self.generate(messages), instead="generate")

    async def generate(self, messages: Sequence[Message]) -> str | None:
        """Give a summary, or None: too late, failed, or what came is none."""
        result, _ = await asked_within(self, _request(messages, self.model), self.timeout_s)
        return result.text if isinstance(result, Summary) else None

    async def summarize(self, request: SummaryRequest) -> Summary | NoSummary:
        """Give a summary, or say why there is none."""
        _UNTIL.set(time.monotonic() + self.timeout_s)
        return await self._summarizer.summarize(request)

    async def _ask(self, question: Question) -> Answer:
        if time.monotonic() >= _UNTIL.get():  # a blocking model held up the clock that would have cancelled this
            raise TimeoutError("the time for this summary was over before all its parts were asked for")
        asked = [{"role": "system", "content": question.system}, {"role": "user", "content": question.user}]
        given = self._llm(asked)
        if not isinstance(given, str | Answer):
            given = await given
        return given if isinstance(given, Answer) else Answer(text=given, model=self.model)


class _Own:
    """A summary generator that somebody wrote, as a `Summarizer`."""

    def __init__(self, generate: GenerateSummary) -> None:
        self._generate = generate

    async def summarize(self, request: SummaryRequest) -> Summary | NoSummary:
        """Give what it gives. An earlier summary stands before the messages, as one of them."""
        before = (
            [Message(id="previous", role=Role.SUMMARY, parts=(Text(request.previous),), origin=Origin.MARKER)]
            if request.previous
            else []
        )
        given = self._generate([*before, *request.messages])
        text = given if given is None or isinstance(given, str) else await given
        nothing = NoSummary(fallback=Fallback.SUMMARIZER_RETURNED_NOTHING, reason=WhyNoSummary.EMPTY)
        return Summary(text=text) if text else nothing


def summarizer_of(generator: GenerateSummary | Summarizer) -> Summarizer:
    """Give a summary generator as the engine's shells ask it."""
    if callable(generator) and not isinstance(generator, SummaryGenerator):
        return _Own(generator)
    return generator


async def asked_within(
    summarizer: Summarizer, request: SummaryRequest, timeout_s: float
) -> tuple[Summary | NoSummary, int]:
    """Ask a summarizer within a time, and give the milliseconds it took. What a blocking one says too late is not used.

    Otherwise a model that is always too slow would never count as failed, and would hold up every turn.
    """
    started = time.monotonic()
    result = await summarize_within(summarizer, request, timeout_s)
    took_s = time.monotonic() - started
    if isinstance(result, Summary) and took_s > timeout_s:
        late = "it blocked: nothing could cancel it"
        result = NoSummary(
            fallback=Fallback.SUMMARIZER_TIMED_OUT,
            reason=WhyNoSummary.DEADLINE,
            detail=late,
            model=result.model,
            usage=result.usage,
            calls=result.calls,
        )
    return result, round(took_s * 1_000)


def in_own_loop(make: Callable[[], Coroutine[Any, Any, _T]], *, instead: str) -> _T:
    """Run something async from blocking code. Raises `BadInput` where a loop runs already, naming what to await."""
    import asyncio  # takes long to load, and who brings no summary generator never needs it

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    raise BadInput(f"an event loop is running here, which this call would hold up: await `{instead}` instead")


def _request(messages: Sequence[Message], model: str) -> SummaryRequest:
    counter = default_counter()
    tokens = sum(price_message(message, counter, {}).under(DIALECT).tokens for message in messages)
    limit = max(LEAST_SUMMARY, min(Policy().summary_max_tokens, tokens // 2))
    return SummaryRequest(
        messages=tuple(messages), previous=None, task=None, limit=limit, counter=counter, media={}, model=model
    )
