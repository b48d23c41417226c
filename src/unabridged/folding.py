"""Summaries on the straight line: what is to be summed up, and what comes of it.

The engine asks no model. It says what a summary is to be made of (`Span`), takes what came of that (`Outcome`), and
where no model was asked it sums up by rules.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from unabridged.message import Message
from unabridged.plan import Verdict
from unabridged.policy import LEAST_SUMMARY
from unabridged.report import Fallback, Report
from unabridged.strategy import summarize
from unabridged.strategy.situation import Compaction, Decision, Situation
from unabridged.summarizer import NoSummary, Summary, SummaryRequest, WhyNoSummary
from unabridged.summarizer.size import replaced

_NOTHING = NoSummary(fallback=Fallback.SUMMARIZER_RETURNED_NOTHING, reason=WhyNoSummary.EMPTY)
NOTES_SHARE = 0.08
"""Of the budget, what a text may take about messages that are dropped for want of a summary."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """What a summarizer is asked for, and the messages that its summary will stand for."""

    request: SummaryRequest
    messages: frozenset[str]
    reaches: str
    """Id of the newest of them."""
    digest: str
    """Digest of the transcript chain there: on another branch a summary stands for nothing."""
    upon: str | None
    """The summary that was in force: one that was made upon it stands for nothing that another one stands for."""
    report: Report
    """Says that a summarizer is about to be asked (`compacting`); exactly one `done` follows it."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of asking for a summary."""

    span: Span
    result: Summary | NoSummary
    ms: int | None = None
    """How long it took; None where no model was asked."""
    timeout_s: float | None = None
    model: str = ""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever wants a summary says of it."""

    model: str
    """Will read it."""
    focus: str = ""
    """What it should keep above all."""
    window: int | None = None
    """Of the summarizer, in tokens."""


def request_of(situation: Situation, span: summarize.Span, media: Mapping[str, bytes], asked: Asked) -> SummaryRequest:
    """Give what a summarizer is asked: from the originals where they fit its window, else upon the last summary."""
    shown, records = situation.shown, situation.transcript.records
    messages = tuple(record.message for record in span.records)
    previous = _in_force(situation)
    if previous is not None and asked.window is not None:
        place = situation.transcript.position
        compacted = [run for run in shown.gone if run.verdict is Verdict.COMPACT]
        earlier = [r for run in compacted for r in records[place[run.first] : place[run.last] + 1]]
        if (
            sum(record.cost.under(situation.dialect).tokens for record in (*earlier, *span.records))
            <= asked.window // 2
        ):
            whole = sorted((*earlier, *span.records), key=lambda record: place[record.message.id])
            messages, previous = tuple(record.message for record in whole), None
    return SummaryRequest(
        messages=messages,
        previous=previous,
        task=_task(situation),
        limit=span.limit,
        counter=situation.transcript.counter,
        media=media,
        model=asked.model,
        focus=asked.focus,
    )


def by_rules(span: Span) -> Outcome:
    """Sum up without a model."""
    from unabridged.summarizer.extractive import extract  # most processes never need it

    summary = extract(span.request)
    return Outcome(span=span, result=summary if summary.text else _NOTHING)


def usable(situation: Situation, outcome: Outcome | None) -> Outcome | None:
    """Give an outcome that counts here: None for one of another branch, or upon another summary than that in force."""
    if outcome is None or outcome.span.upon != _in_force(situation):
        return None
    transcript = situation.transcript
    place = transcript.position.get(outcome.span.reaches)
    if place is None or transcript.digest_of(transcript.records[place]) != outcome.span.digest:
        return None
    flaw = _flaw(outcome.result.text, outcome.span.request) if isinstance(outcome.result, Summary) else None
    if flaw is None:
        return outcome
    refused = NoSummary(fallback=Fallback.SUMMARIZER_RETURNED_NOTHING, reason=flaw)
    return msgspec.structs.replace(outcome, result=refused)


def _flaw(text: str, request: SummaryRequest) -> WhyNoSummary | None:
    """Give what makes a summary none, whoever made it: nothing in it, or more than it was given room for."""
    if not text.strip():
        return WhyNoSummary.EMPTY
    tokens = request.counter.count(text)
    if tokens <= request.limit:
        return None
    return WhyNoSummary.NOT_SMALLER if tokens >= replaced(request) else WhyNoSummary.OVER_LIMIT


def with_outcome(situation: Situation, outcome: Outcome | None) -> Situation:
    """Give a situation to decide in: with the summary, or with room for notes on what is dropped instead."""
    if outcome is not None and isinstance(outcome.result, Summary):
        made = Compaction(outcome.result.text, outcome.span.messages)
        return msgspec.structs.replace(situation, compaction=made)
    aside = min(situation.policy.summary_max_tokens, int(situation.budget.total * NOTES_SHARE))
    return situation if aside < LEAST_SUMMARY else msgspec.structs.replace(situation, aside=aside)


def with_notes(situation: Situation, decision: Decision, media: Mapping[str, bytes], *, overshoot: int = 0) -> Decision:
    """Give a decision that drops messages without a summary a text, made by rules, that says what they held."""
    previous, counter = _in_force(situation), situation.transcript.counter
    # What a miss shows may be theirs: markers and outputs have a least size, and notes need not be.
    limit = int(situation.meter.weight_of(situation.aside - overshoot)) - summarize.WORDS_AROUND
    place, records = situation.transcript.position, situation.transcript.records
    held = sum(records[place[id]].cost.under(situation.dialect).tokens for id in decision.left)
    limit = min(limit, held // 2 - summarize.WORDS_AROUND)  # else dropping would save nothing
    limit = max(limit, counter.count(previous or ""))  # a summary that nothing better replaces does not shrink
    if decision.forgets or decision.summary is not None or limit < LEAST_SUMMARY // 2:
        return decision
    if decision.floor + overshoot + situation.aside > situation.budget.total:
        return decision  # no room was kept for them
    from unabridged.summarizer.extractive import extract  # see above

    request = SummaryRequest(
        messages=tuple(records[place[id]].message for id in decision.left),
        previous=previous,
        task=_task(situation),
        limit=limit,
        counter=counter,
        media=media,
        model="",
    )
    text = extract(request).text
    return msgspec.structs.replace(decision, summary=text) if text else decision


def span_of(
    situation: Situation, found: summarize.Span, report: Report, *, media: Mapping[str, bytes], asked: Asked
) -> Span:
    """Give what a summarizer is asked for."""
    request = request_of(situation, found, media, asked)
    newest = found.records[-1]
    return Span(
        request=request,
        messages=found.messages,
        reaches=newest.message.id,
        digest=situation.transcript.digest_of(newest),
        upon=_in_force(situation),
        report=report,
    )


def _in_force(situation: Situation) -> str | None:
    return situation.shown.summary.text if situation.shown.summary is not None else None


def _task(situation: Situation) -> Message | None:
    transcript = situation.transcript
    return transcript.records[transcript.humans[0]].message if transcript.humans else None
