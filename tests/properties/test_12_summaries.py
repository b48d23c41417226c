"""Summaries: what left stands in exactly one, right behind the task; what a report says of it is true."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hypothesis import given

from tests.properties.arrival import damaged
from tests.properties.events import Story
from tests.properties.outside import guarded
from tests.properties.plans import places_of, summary_of
from tests.properties.stories import stories
from tests.properties.walking import COUNTER, MODEL, Step
from tests.properties.watching import ALONE, Watch, watch
from unabridged import markers
from unabridged.codec import with_whole_pairs
from unabridged.engine import Engine
from unabridged.errors import CannotFit
from unabridged.fitted import Fitted
from unabridged.plan import Verdict
from unabridged.report import Fallback, FitReason, Phase, Report, ResolvedBy
from unabridged.summarizer import NoSummary, Summary
from unabridged.view import SUMMARY

CAREFUL = 1.6
"""What the engine takes for granted of the densest text until it knows the provider's counting."""
SLACK = 120
"""Tokens: a marker, and what stays of an output at least."""
TRIMMED = {
    Fallback.SUMMARIZER_TIMED_OUT,
    Fallback.SUMMARIZER_RETURNED_NOTHING,
    Fallback.SUMMARIZER_FAILED,
    Fallback.NOTHING_TO_SUMMARIZE,
}
"""Ways for `summarize` to end in a trim."""


class Summaries(Watch):
    """What is promised of summaries and of the report."""

    def see(self, step: Step) -> None:
        """Look at the summary of a request, and at what was said of it."""
        if step.fitted is None:
            return
        what_was_compacted_has_a_summary(step)
        no_summary_vanishes(step)
        the_one_summary_is_shown_as_it_was_made(step)
        it_stands_behind_the_task(step)
        if step.report is not None:
            the_counts_say_who_resolved_it(step, step.report)
            a_fallback_says_why_there_is_no_summary(step, step.report)
            within_a_turn_nothing_is_folded_unless_the_policy_says_so(step, step.report)
            as_much_is_freed_as_the_policy_wants(step, step.report)
            what_came_of_asking_is_told(step, step.report)


@ALONE
@given(stories())
def test_one_summary_stands_behind_the_task_for_what_was_compacted_and_the_report_is_true(story: Story) -> None:
    watch(story, Summaries())


class PlannedAnew(Watch):
    """Planning anew goes by the originals alone, and appends nothing before it is committed."""

    def see(self, step: Step) -> None:
        """Plan every fourth request anew, twice."""
        if step.fitted is None or step.overflow is not None or step.number % 4:
            return
        before = tuple(step.transcript.log.entries)
        one = planned_anew(step, Engine(step.transcript, dialect=step.dialect))
        assert tuple(step.transcript.log.entries) == before
        other = Engine(step.transcript, dialect=step.dialect)
        step.again(other)
        assert planned_anew(step, other) == one


def planned_anew(step: Step, engine: Engine) -> Fitted | str:
    """Give the request; where even the floor is too large (pictures that only their number kept out), that."""
    try:
        return engine.replan(step.frame, step.policy, window=step.window, model=MODEL)
    except CannotFit as raised:
        refusal = raised
    assert refusal.floor > refusal.limit
    return str(refusal)


@ALONE
@given(stories(most_events=20))
def test_planned_anew_nothing_of_what_was_decided_before_counts(story: Story) -> None:
    watch(story, PlannedAnew())


def what_was_compacted_has_a_summary(step: Step) -> None:
    """Messages count as compacted only while a summary stands for them, and a new one for what it was asked about."""
    compacted = places_of(step.chain_after, step.messages, Verdict.COMPACT)
    made = summary_of(step.chain_after)
    assert made is not None or not compacted
    assert not compacted & places_of(step.chain_after, step.messages, Verdict.DROP)
    new = {step.messages[at].id for at in compacted - places_of(step.chain_before, step.messages, Verdict.COMPACT)}
    if step.outcome is None or not new:
        return
    result = step.outcome.result
    if new <= step.outcome.span.messages and isinstance(result, Summary) and not step.is_stale:
        assert result.text.strip()
        assert new == step.outcome.span.messages
        assert made is not None
        assert made.summary == with_whole_pairs(result.text)
    else:
        assert step.is_stale
    if (
        step.is_stale
        and isinstance(result, Summary)
        and made is not None
        and made.summary == with_whole_pairs(result.text)
    ):
        was = summary_of(step.chain_before)
        assert step.outcome.span.upon == (was.summary if was is not None else None)


def no_summary_vanishes(step: Step) -> None:
    """A summary leaves only with a count of what it stood for as dropped; a new one stands for that as well."""
    was, now = summary_of(step.chain_before), summary_of(step.chain_after)
    if was is None or not step.chain_after:
        return
    stood = places_of(step.chain_before, step.messages, Verdict.COMPACT)
    if now is None:
        assert stood <= places_of(step.chain_after, step.messages, Verdict.DROP)
        assert step.report is not None
        assert step.report.dropped >= len(stood)
    else:
        assert stood <= places_of(step.chain_after, step.messages, Verdict.COMPACT)


def the_one_summary_is_shown_as_it_was_made(step: Step) -> None:
    """One item, one text of its own on the wire, with a person's rank unless the policy gave it the system's."""
    assert step.fitted is not None
    made = summary_of(step.chain_after)
    shown = [item for item in step.fitted.items if item.message.id.startswith(SUMMARY)]
    if made is None:
        assert shown == []
        return
    assert made.summary is not None
    text = whole(markers.archived(made.summary))
    assert [item.message.id for item in shown] == [f"{SUMMARY}{made.id}"]
    assert [whole(item.message.text) for item in shown] == [text]
    assert step.fitted.items[-1] is not shown[0]
    ranks = [role for role, leaf in leaves(step) if whole(leaf) == text]
    system = made.summary_role == "system" and step.dialect == "openai_chat"
    assert ranks == ["system" if system else "user"]


def whole(text: str) -> str:
    """Give a text as a wire can carry it: pairs joined, halves of pairs replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def leaves(step: Step) -> Iterator[tuple[str, str]]:
    """Give every text of the request's messages, each with the role it has."""
    assert step.fitted is not None
    for text in step.fitted.texts:
        if markers.HEADING in text:
            message = json.loads(text)
            yield from ((message["role"], leaf) for leaf in strings(message))


def strings(value: object) -> Iterator[str]:
    """Give every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def it_stands_behind_the_task(step: Step) -> None:
    """Right behind it, or right before it if it was the newest message then: a summary is never the last."""
    assert step.fitted is not None
    made, found = summary_of(step.chain_after), guarded(step.messages)
    if made is None or (found.task is not None and found.task in damaged(step.lines, step.dialect)):
        return
    items = step.fitted.items
    at = next(place for place, item in enumerate(items) if item.message.id.startswith(SUMMARY))
    ids = [message.id for message in step.messages]
    if found.task is None or found.task > ids.index(made.reaches):
        assert at == 0
        return
    task = step.messages[found.task].id
    neighbour = items[at + 1] if made.reaches == task else items[at - 1]
    assert neighbour.source == task


def the_counts_say_who_resolved_it(step: Step, report: Report) -> None:
    """`compacted` is a summary's, a trim drops or truncates, and where nothing was done nothing is counted."""
    counts = report.compacted, report.dropped, report.truncated
    match report.resolved_by:
        case ResolvedBy.SUMMARIZE:
            assert report.compacted > 0
            assert report.strategy == "summarize"
        case ResolvedBy.TRIM:
            assert report.compacted == 0
            forgets = summary_of(step.chain_before) is not None and summary_of(step.chain_after) is None
            assert report.dropped + report.truncated > 0 or forgets
        case ResolvedBy.NONE:
            assert counts == (0, 0, 0)
            assert step.fitted is not None
            assert step.fitted.checkpoint is None
    assert report.strategy == step.policy.strategy


def a_fallback_says_why_there_is_no_summary(step: Step, report: Report) -> None:
    assert step.fitted is not None
    if report.resolved_by is ResolvedBy.SUMMARIZE:
        assert (report.fallback, report.cause) == (None, None)
    elif report.resolved_by is ResolvedBy.NONE:
        assert report.fallback in (None, Fallback.NOTHING_EVICTABLE)
        assert report.reason is not FitReason.THRESHOLD_EXCEEDED or report.fallback is not None
    elif step.fitted.checkpoint is not None and step.fitted.checkpoint.step:
        assert report.fallback is None
    elif report.strategy == "summarize" and report.phase is Phase.DONE:
        assert report.fallback in TRIMMED
    else:
        assert report.fallback is None


def within_a_turn_nothing_is_folded_unless_the_policy_says_so(step: Step, report: Report) -> None:
    """Behind results nothing is compacted, and a report of a step never says so."""
    if report.phase is Phase.STEP:
        assert report.compacted == 0
        assert report.resolved_by is not ResolvedBy.SUMMARIZE
        assert report.summarizer_ms is None
    if step.messages[-1].results and not step.policy.fold_in_turn and not step.replanned:
        assert report.phase is Phase.STEP
        assert report.compacted == 0


def as_much_is_freed_as_the_policy_wants(step: Step, report: Report) -> None:
    """A fit frees the least that the policy names, or comes down to the floor. Cutting what just arrived frees less."""
    wanted = step.policy.min_reclaim_tokens
    arrived = step.fitted is not None and step.fitted.checkpoint is not None and step.fitted.checkpoint.step
    if not wanted or arrived or report.resolved_by is ResolvedBy.NONE or report.over_budget or step.replanned:
        return
    freed = report.tokens_before - report.tokens_after
    made = summary_of(step.chain_after)
    notes = COUNTER.count(markers.archived(made.summary or "")) if made is not None else 0
    assert freed >= wanted - SLACK or report.tokens_after <= report.floor + (notes + SLACK) * CAREFUL


def what_came_of_asking_is_told(step: Step, report: Report) -> None:
    """Time, model and cause stand in the report of the fit that the summarizer was asked for."""
    outcome = step.outcome
    if outcome is None or step.is_stale or report.fallback is Fallback.NOTHING_EVICTABLE:
        return
    assert report.phase is Phase.DONE
    assert (report.summarizer_ms, report.summarizer_timeout_s) == (outcome.ms, outcome.timeout_s)
    assert ("summarizer_near_timeout" in report.warnings) == (outcome.ms is not None and outcome.ms >= 96_000)
    if isinstance(outcome.result, NoSummary):
        assert (report.fallback, report.cause) == (outcome.result.fallback, outcome.result.reason)
    assert report.resolved_by is ResolvedBy.SUMMARIZE or report.fallback is not None
