"""Judges the requests of one walked conversation, with nothing but the transcript and the bytes that would go out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.verify.bodies import Bodies
from tests.verify.content import lost
from tests.verify.floor import most_of, unconfirmed
from tests.verify.grid import FIRST, HOME, Grid, Way, chosen, is_very_long, shortened, spoken, tongues, tried
from tests.verify.payload import LISTED
from unabridged.importers import Imported
from unabridged.replay.walk import Step, walk
from unabridged.report import FitReason
from unabridged.testing.validity import violations
from unabridged.wire import wire

FAULTS = ("crashed", "invalid", "over", "task", "unread", "unconfirmed")
TOLD = 3
"""Faults of a kind whose place is told, for each combination."""
IDLE = 0.95
"""Share of the budget below which a request is surely not looked at by any policy."""
FOREIGN = (
    "block_malformed",
    "part_kind_unknown",
    "thinking_malformed",
    "call_id_too_long",
    "tool_calls_empty",
    "item_id_malformed",
)
"""What makes a recorded request the form of another service that speaks almost this dialect (Bedrock, Mistral, Cohere,
OpenRouter, DeepSeek). The engine forwards such forms as they came; they are counted apart."""


@dataclass
class Judgement:
    """What came of one conversation under one way, in one dialect, at one window."""

    way: Way
    dialect: str
    window: int
    name: str = ""
    counts: Counter[str] = field(default_factory=Counter[str])
    details: list[str] = field(default_factory=list[str])
    idle: bool = True
    """No request came near its budget."""

    def fault(self, kind: str, step: int, text: str) -> None:
        """Count a fault and say where it is; the first few of a kind are told."""
        self.counts[kind] += 1
        if self.counts[kind] <= TOLD:
            where = f"{self.way.strategy} {self.way.order} {self.dialect} {self.window}"
            self.details.append(f"{self.name}: {kind} at call {step} ({where}): {text}")


def judge_all(conversation: Imported, grid: Grid) -> Iterator[Judgement]:
    """Walk a conversation every way that the grid names, and judge its requests."""
    for tongue in tongues(conversation, grid):
        try:
            judge = _Judge(conversation, tongue, everything=grid.everything)
        except Exception as crash:  # as in a walk
            told = Judgement(FIRST, tongue, 0, name=conversation.name)
            told.fault("crashed", 0, f"{type(crash).__name__}: {crash}")
            yield told
            continue
        idle = False
        for window in sorted(grid.windows):
            if idle and tongue != HOME:
                break
            idle = False
            for way in tried(conversation, tongue, window, grid):
                if not idle:
                    judgement = judge.walked(way, window)
                    yield judgement
                    idle = way == FIRST and judgement.idle and not grid.everything


class _Judge:
    """Of one conversation in one dialect."""

    def __init__(self, conversation: Imported, tongue: str, *, everything: bool) -> None:
        self._whole = conversation if tongue == HOME else spoken(conversation, tongue)
        self._tongue = tongue
        self._bodies = Bodies(self._whole.dialect)
        self._chosen = chosen(conversation)
        self._everything = everything
        self._short = shortened(self._whole, self._chosen)
        self._by_call = everything or (tongue == HOME and not is_very_long(conversation))

    def walked(self, way: Way, window: int) -> Judgement:
        """Walk it one way and judge."""
        told = Judgement(way, self._tongue, window, name=self._whole.name)
        every = self._everything or way == FIRST
        by_call = self._by_call or (way == FIRST and self._tongue == HOME)
        number = 0
        try:
            for step in walk(self._whole if by_call else self._short, way.policy, window=window):
                number = step.number
                near = step.refusal is not None or (
                    step.fitted is not None and step.fitted.tokens >= IDLE * step.budget
                )
                told.idle &= not near and not step.decides
                if every or step.decides or step.refusal is not None or step.messages in self._chosen:
                    self._see(step, told)
                else:
                    told.counts["unjudged"] += 1
        except Exception as crash:  # a crash is what is looked for: it is counted, and the run goes on
            told.fault("crashed", number + 1, f"{type(crash).__name__}: {crash}")
            told.idle = False
        return told

    def _see(self, step: Step, told: Judgement) -> None:
        told.counts["requests"] += 1
        transcript = self._whole.messages[: step.messages]
        if step.fitted is None:
            told.counts["refused"] += 1
            figures = unconfirmed(transcript, self._whole.frame, self._whole.dialect, step.window)
            if figures:
                told.fault("unconfirmed", step.number, figures)
            return
        told.counts["fits"] += step.decides
        told.counts["repaired"] += bool(step.report and step.report.repaired)
        told.counts["summed up"] += bool(step.report and step.report.compacted)
        found = self._bodies.examined(step.fitted)
        if found.broken is not None and self._arrived_so(step, found.broken.rule):
            told.counts["as came"] += 1
        elif found.broken is not None:
            told.fault("invalid", step.number, f"{found.broken.rule} at {found.broken.where}")
        _judge_size(step, found.tokens, told)
        for kind, text in lost(transcript, step.fitted, self._whole.dialect, self._bodies):
            told.fault(kind, step.number, text)

    def _arrived_so(self, step: Step, rule: str) -> bool:
        """Tell whether the recorded messages themselves are in another service's form."""
        if rule not in FOREIGN or self._tongue != HOME:
            return False
        dialect = self._whole.dialect
        texts = wire(dialect).write_messages(self._whole.messages[: step.messages], self._whole.media)
        body = f'{{"{LISTED.get(dialect, "messages")}":[{",".join(map(_bare, texts))}]}}'
        return any(violation.rule == rule for violation in violations(dialect, body.encode()))


def _bare(text: str) -> str:
    """Give the items of a text that holds several, without the brackets around them."""
    return text[1:-1] if text.startswith("[") else text


def _judge_size(step: Step, tokens: int, told: Judgement) -> None:
    assert step.fitted is not None
    reason = None if step.report is None else step.report.reason
    if reason is FitReason.STRATEGY_NONE:
        told.counts["let over"] += 1  # nothing is taken out, and the report says so
        return
    floored = reason is FitReason.FLOOR_OVER_BUDGET
    most = most_of(step.window) if floored else step.budget
    answer = step.fitted.wire.max_output(step.fitted.frame) or 0
    if tokens > most or (floored and tokens + answer > step.window):
        told.fault("over", step.number, f"{tokens} > {most}")
