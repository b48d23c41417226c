"""Walks a recorded conversation as its agent did: messages are appended, and each model call is fitted before.

The walk is its own provider. It counts a request in the base vocabulary and reports that as usage, so the engine
learns as it would in earnest, and needs no key and no network.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.budget import Budget
from unabridged.engine import Engine
from unabridged.errors import CannotFit
from unabridged.fitted import Fitted
from unabridged.frame import Frame
from unabridged.framing import frame_of
from unabridged.importers import Imported
from unabridged.message import Role
from unabridged.plan import Verdict
from unabridged.policy import Policy
from unabridged.report import Phase, Report, Usage
from unabridged.reporting import phase_of
from unabridged.tokens.price import price_message, price_texts
from unabridged.transcript import Transcript
from unabridged.view import SUMMARY, Item

UNKNOWN_MODEL = "claude"
"""Stands in a request whose model the file does not name: Anthropic's API demands one."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One model call of a recorded conversation, and the request that would have gone out for it.

    Tokens are those of whole requests (system text, tools, messages) as the provider of this walk counts them. A
    report's numbers are the engine's, which keeps a margin until it has seen what the provider counts.
    """

    number: int
    """From 1."""
    messages: int
    """Length of the transcript at this call."""
    tokens: int | None
    """Of the request; None where nothing fits."""
    full: int
    """What the request would take with nothing left out."""
    cached: int
    """Of `tokens`, what stands at the beginning of the request before too: a prompt cache would serve it."""
    budget: int
    window: int
    model: str = ""
    """The one that the file names."""
    output: int = 0
    """Of the answer: as the file reports it, or counted where it does not."""
    summarized: int = 0
    """What a model would be sent to sum up what leaves the view here: that, and the summary before."""
    summary: int = 0
    """Of the summary that was made here."""
    in_turn: bool = False
    """It stands between two steps of a turn: the newest messages are results."""
    report: Report | None = None
    """What a fit did; None where nothing had to be done."""
    refusal: CannotFit | None = None
    decides: bool = False
    """Something left the view at this step."""
    fitted: Fitted | None = None
    """The request; None where nothing fits."""

    @property
    def is_over(self) -> bool:
        """A request above the budget went out. It does under `none`, or where the floor is above the budget."""
        return self.tokens is not None and self.tokens > self.budget


class Call(msgspec.Struct, frozen=True):
    """A model call to come: how many messages are its input, which model it asks, and what it reports to have said."""

    messages: int
    model: str
    output: int | None = None


def calls_of(conversation: Imported) -> list[Call]:
    """Give the calls that a file records, and the one that would come next where nobody has answered yet.

    An answer with nothing before it is an opening line, not a call.
    """
    by_place = {call.answer: call for call in conversation.calls if call.answer > 0}
    calls = [
        Call(place, call.model, None if call.usage is None else call.usage.output)
        for place, call in sorted(by_place.items())
    ]
    messages = conversation.messages
    if messages and messages[-1].role is not Role.ASSISTANT:
        calls.append(Call(len(messages), calls[-1].model if calls else ""))
    return calls


def is_dead(step: Step) -> bool:
    """Tell whether a provider would refuse this call: nothing fits, or the request is larger than the window."""
    return step.tokens is None or step.tokens > step.window


def is_mortal(policy: Policy) -> bool:
    """Tell whether nothing is ever left out: after one refusal every later request would be refused too."""
    return policy.strategy in ("none", "off")


def walk(conversation: Imported, policy: Policy, *, window: int) -> Iterator[Step]:
    """Give every model call of a conversation, in order, as if its model had a window of this many tokens.

    A call that cannot fit gives a step with a `refusal`, and the walk goes on. Raises `BadSetting` for settings
    that cannot work.
    """
    walker = _Walker(conversation, policy, window)
    for number, call in enumerate(calls_of(conversation), 1):
        walker.append_up_to(call.messages)
        yield walker.step(number, call)


class _Walker:
    """A transcript that grows, the engine over it, and the request that went out last."""

    def __init__(self, conversation: Imported, policy: Policy, window: int) -> None:
        self._conversation = conversation
        self._policy = policy
        self._window = window
        self._transcript = Transcript()
        self._transcript.log.media.update(conversation.media)
        self._engine = Engine(self._transcript, dialect=conversation.dialect)
        self._frames: dict[str, tuple[Frame, int]] = {}
        self._before: Fitted | None = None
        self._compacted: set[int] = set()

    def append_up_to(self, messages: int) -> None:
        known = len(self._transcript.records)
        self._transcript.append(*self._conversation.messages[known:messages])

    def step(self, number: int, call: Call) -> Step:
        frame, frame_tokens = self._frame(call.model)
        budget = Budget.of(self._policy, window=self._window, max_output=self._engine.wire.max_output(frame))
        step = Step(
            number=number,
            messages=len(self._transcript.records),
            tokens=None,
            full=frame_tokens + self._transcript.total.under(self._engine.wire.name).tokens,
            cached=0,
            budget=budget.total,
            window=budget.window,
            model=call.model,
            in_turn=phase_of(self._transcript) is Phase.STEP,
            output=self._said(call.messages) if call.output is None else call.output,
        )
        try:
            fitted = self._engine.fit(frame, self._policy, window=self._window, model=call.model)
        except CannotFit as refusal:
            return msgspec.structs.replace(step, refusal=refusal)
        self._engine.commit(fitted)
        self._engine.report_usage(fitted, Usage(input=fitted.sent.price))
        before, self._before = self._before, fitted
        summarized, summary = self._summed_up(before, fitted)
        return msgspec.structs.replace(
            step,
            tokens=fitted.sent.price,
            cached=shared_tokens(before, fitted),
            report=fitted.report,
            decides=fitted.checkpoint is not None,
            summarized=summarized,
            summary=summary,
            fitted=fitted,
        )

    def _said(self, start: int) -> int:
        """Count what an answer says that begins at this place."""
        said, messages = 0, self._conversation.messages
        while start < len(messages) and messages[start].role is Role.ASSISTANT:
            cost = price_message(messages[start], self._transcript.counter, self._conversation.media)
            said += cost.under(self._engine.wire.name).tokens
            start += 1
        return said

    def _summed_up(self, before: Fitted | None, now: Fitted) -> tuple[int, int]:
        """Give the tokens that a new summary is made from, and its own; nothing where no summary was made."""
        checkpoint, report = now.checkpoint, now.report
        if checkpoint is None or checkpoint.summary is None or report is None or not report.compacted:
            return 0, 0
        place, records = self._transcript.position, self._transcript.records
        known = self._compacted
        self._compacted = {
            at
            for run in checkpoint.plan.runs
            if run.verdict is Verdict.COMPACT
            for at in range(place[run.first], place[run.last] + 1)
        }
        earlier = _summary_tokens(before) if before is not None else 0
        new = sum(records[at].cost.under(self._engine.wire.name).tokens for at in self._compacted - known)
        return earlier + new, _summary_tokens(now)

    def _frame(self, model: str) -> tuple[Frame, int]:
        """Give the frame of a call and what it costs. The same frame for the same model, so that it is priced once."""
        known = self._frames.get(model)
        if known is None:
            frame = self._conversation.frame
            if frame.dialect == "anthropic" and not frame.fields:
                reserve = Budget.of(self._policy, window=self._window).reserve
                frame = frame_of("anthropic", model=model or UNKNOWN_MODEL, max_tokens=reserve)
            texts = self._engine.wire.frame_texts(frame)
            known = self._frames[model] = frame, price_texts(texts, self._transcript.counter).tokens
        return known


def shared_tokens(before: Fitted | None, now: Fitted) -> int:
    """Give the tokens at the beginning of a request that are the same as in the one before: what a cache serves."""
    if before is None or before.sent.frame != now.sent.frame:
        return 0
    tokens = now.sent.price - sum(item.price.tokens for item in now.items)
    for old, new in zip(before.items, now.items, strict=False):
        if not _same(old, new):
            break
        tokens += new.price.tokens
    return tokens


def _summary_tokens(fitted: Fitted) -> int:
    return sum(item.price.tokens for item in fitted.items if item.message.id.startswith(SUMMARY))


def _same(old: Item, new: Item) -> bool:
    return old is new or old.message is new.message or old == new
