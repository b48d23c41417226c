"""`--step N`: what the model saw then, message by message; what was changed stands beside what is stored."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.message import Message
from unabridged.plan import Reason, Run, Verdict
from unabridged.replay import ink
from unabridged.replay.sheet import Sheet, treatment
from unabridged.replay.summaries import messages, numbers_of
from unabridged.replay.trail import Trail
from unabridged.replay.words import REASONS, RESOLVED_BY, VERDICTS, reason_of
from unabridged.report import Phase, Report, Usage
from unabridged.sessions.speaking import Speaker
from unabridged.store.sessions import Session
from unabridged.store.steps import PastStep, Steps
from unabridged.view import Item

MENDED = "a repair changed it: the provider would refuse it as it was"
LEFT_OUT = "a repair left it out: the provider would refuse it"


class SeenMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the request, for `--json`."""

    number: int | None
    """Its place in the transcript, from 1; None for a marker, a summary, or what a repair added."""
    id: str
    treatment: str
    """What was done to it, in the words of the terminal."""
    verdict: str
    reason: str
    why: str
    tokens: int
    shown: Message
    stored: Message | None = None
    """What is stored, where it differs."""


class GoneMessages(msgspec.Struct, frozen=True, kw_only=True):
    """Neighbours that the request does not show, for `--json`."""

    first: str
    last: str
    numbers: str
    count: int
    verdict: str
    reason: str
    why: str


class SeenStep(msgspec.Struct, frozen=True, kw_only=True):
    """A request of the past, for `--json`."""

    session: str
    branch: str
    step: int
    of: int
    dialect: str
    estimate: int
    """Tokens by the session's counter."""
    usage: Usage | None
    reports: tuple[Report, ...]
    fields: dict[str, msgspec.Raw]
    """What went out beside the messages, as far as the log holds it."""
    messages: tuple[SeenMessage, ...]
    gone: tuple[GoneMessages, ...]


class _Seen:
    """A step with what is known of its messages."""

    def __init__(self, step: PastStep) -> None:
        self.step = step
        self.position = step.transcript.position
        self.trail = Trail.of(self.position, step.transcript.in_force()[0])

    def number(self, id: str) -> str:
        return str(self.position[id] + 1)

    def stored(self, item: Item) -> Message | None:
        """Give what is stored where it is not what was shown."""
        if item.source is None or not item.changed:
            return None
        return self.step.transcript.records[self.position[item.source]].message

    def why(self, item: Item) -> str:
        """Say why a message stands there as it does; nothing for what no transcript holds."""
        if item.source is None:
            return ""
        fate = self.trail.fate(item.source)
        return MENDED if item.changed and not fate.cuts else REASONS[fate.reason]

    def gone(self) -> Iterator[tuple[Run, str]]:
        """Give what is not shown, in order, with why: what a plan took out, and what a repair left out."""
        planned = self.trail.gone()
        runs = [(run, REASONS[run.reason]) for run in planned]
        hidden = [range(self.position[run.first], self.position[run.last] + 1) for run in planned]
        seen = {item.source for item in self.step.items}
        at = 0
        for span in [*hidden, range(len(self.step.transcript.records), len(self.step.transcript.records))]:
            for record in self.step.transcript.records[at : span.start]:
                id = record.message.id
                if id not in seen:
                    runs.append((Run(id, id, 1, Verdict.DROP, Reason.FITS), LEFT_OUT))
            at = span.stop
        yield from sorted(runs, key=lambda each: self.position[each[0].first])


def print_raw(speaker: Speaker, step: PastStep) -> None:
    """Print the messages of a request exactly as they were sent, each with a line break behind it."""
    for text in step.texts:
        speaker.bytes(text.encode("utf-8", "surrogatepass") + b"\n")


def print_step(speaker: Speaker, session: Session, steps: Steps, step: PastStep) -> None:
    """Print a request of the past."""
    seen = _Seen(step)
    if speaker.as_json:
        speaker.json(_as_json(session, steps, seen))
        return
    sheet = Sheet(speaker.out, name=seen.number)
    sheet.say(f"{session.id}, branch {steps.branch}, step {step.number} of {len(steps):,}: {_size(step)}", "bold")
    for report in step.reports:
        if report.phase is not Phase.COMPACTING:
            size = f"{report.tokens_before:,} {sheet.ink.arrow} {report.tokens_after:,} tokens"
            sheet.say(f"{reason_of(report)}: {size}, by {RESOLVED_BY[report.resolved_by]}", ink.BUDGET)
    if step.frame is not None:
        sheet.frame(step.frame)
    else:
        sheet.say("the log does not hold what went out beside the messages", ink.DIM)
    for item in step.items:
        _print_item(sheet, item, seen)
    _print_gone(sheet, seen)


def _print_item(sheet: Sheet, item: Item, seen: _Seen) -> None:
    sheet.item(item, seen.trail)
    stored = seen.stored(item)
    if stored is not None:
        sheet.say("")
        sheet.say(f"stored, {seen.why(item)}:", ink.BUDGET)
        sheet.message(stored)


def _print_gone(sheet: Sheet, seen: _Seen) -> None:
    gone = list(seen.gone())
    if gone:
        sheet.heading("not shown")
    for run, why in gone:
        done = VERDICTS[run.verdict] if why != LEFT_OUT else "left out"
        stand = (
            ", stands in the summary" if run.verdict is Verdict.COMPACT and run.reason is not Reason.SUMMARIZED else ""
        )
        sheet.say(f"{numbers_of([run], seen.number)}: {messages(run.count)} {done}{stand}: {why}")


def _size(step: PastStep) -> str:
    estimate = f"about {step.price:,} tokens by the session's counter"
    if step.usage is None:
        return estimate
    cached = f", {step.usage.cached:,} of them from the cache" if step.usage.cached else ""
    return f"{step.usage.input:,} tokens{cached} as reported, {step.usage.output:,} came back"


def _as_json(session: Session, steps: Steps, seen: _Seen) -> SeenStep:
    step = seen.step
    fields = step.frame.fields if step.frame is not None else ()
    return SeenStep(
        session=session.id,
        branch=steps.branch,
        step=step.number,
        of=len(steps),
        dialect=step.dialect,
        estimate=step.price,
        usage=step.usage,
        reports=step.reports,
        fields={name: msgspec.Raw(value.encode("utf-8", "surrogatepass")) for name, value in fields},
        messages=tuple(_message(item, seen) for item in step.items),
        gone=tuple(
            GoneMessages(
                first=run.first,
                last=run.last,
                numbers=numbers_of([run], seen.number),
                count=run.count,
                verdict=run.verdict.value,
                reason=run.reason.value,
                why=why,
            )
            for run, why in seen.gone()
        ),
    )


def _message(item: Item, seen: _Seen) -> SeenMessage:
    fate = seen.trail.fate(item.source) if item.source is not None else None
    return SeenMessage(
        number=seen.position[item.source] + 1 if item.source is not None else None,
        id=item.message.id,
        treatment=treatment(item, seen.trail),
        verdict=fate.verdict.value if fate is not None else "",
        reason=fate.reason.value if fate is not None else "",
        why=seen.why(item),
        tokens=item.price.tokens,
        shown=item.message,
        stored=seen.stored(item),
    )
