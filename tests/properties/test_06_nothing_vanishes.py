"""Promise 6: what was taken out leaves a marker that says what and how much; the report's counts are true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import given

from tests.properties.arrival import damaged
from tests.properties.events import Story
from tests.properties.plans import DROPPED, REMOVED, cuts_of, hidden_spans, is_shortened, number, places_of, same_shape
from tests.properties.stories import stories
from tests.properties.walking import Step, shown_ids
from tests.properties.watching import ALONE, Watch, watch
from unabridged.checkpoint import Checkpoint
from unabridged.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult, media_of
from unabridged.plan import CutKind, Verdict
from unabridged.view import Item


class NothingVanishes(Watch):
    """Promise 6."""

    def see(self, step: Step) -> None:
        """Look for a marker wherever something is missing."""
        if step.fitted is not None:
            dropped_messages_are_marked(step)
            cut_messages_are_marked(step)
            counts_are_true(step)


@ALONE
@given(stories())
def test_what_is_taken_out_is_marked_and_counted_truly_and_what_is_shown_is_verbatim(story: Story) -> None:
    watch(story, NothingVanishes())


def dropped_messages_are_marked(step: Step) -> None:
    """A marker stands for each hidden span, in order, with its number; what is not hidden is shown or was broken."""
    assert step.fitted is not None
    spans = hidden_spans(step.chain_after, step.messages)
    dropped = places_of(step.chain_after, step.messages, Verdict.DROP)
    marks = [number(found[1]) for item in step.fitted.items if (found := _dropped(item)) is not None]
    counts = [len(dropped.intersection(range(start, end))) for start, end in spans]
    assert marks == [count for count in counts if count]  # the others stand in the summary
    shown = shown_ids(step.fitted)
    hurt = damaged(step.lines, step.dialect)
    for at, message in enumerate(step.messages):
        hidden = any(start <= at < end for start, end in spans)
        if hidden:
            assert message.id not in shown
        elif at not in hurt:
            assert message.id in shown


def _dropped(item: Item) -> re.Match[str] | None:
    return DROPPED.fullmatch(item.message.text) if item.source is None else None


def cut_messages_are_marked(step: Step) -> None:
    """Every text that differs is a head, a marker and a tail of what came in; whatever the plan cuts, differs."""
    assert step.fitted is not None
    planned = {place[0] for place in cuts_of(step.chain_after)}
    shown = shown_ids(step.fitted)
    hurt = damaged(step.lines, step.dialect)
    for at, message in enumerate(step.messages):
        view = shown.get(message.id)
        if view is not None and at not in hurt:
            assert view != message or message.id not in planned
            is_cut_as_marked(message, view)


def is_cut_as_marked(message: Message, view: Message) -> None:
    """Compare part by part; thoughts leave only together with arguments that were cut."""
    before: Sequence[Part] = message.parts
    if len(view.parts) < len(message.parts):
        before = [part for part in message.parts if not isinstance(part, Reasoning)]
        assert [call.arguments for call in view.calls] != [call.arguments for call in message.calls]
    assert len(before) == len(view.parts)
    for was, now in zip(before, view.parts, strict=True):
        _is_marked_part(was, now)


def _is_marked_part(was: Part | Opaque, now: Part | Opaque) -> None:
    match was, now:
        case Text(), Text():
            assert was == now or is_shortened(was.text, now.text)
        case Media(), Text():
            assert REMOVED.fullmatch(now.text)
        case ToolCall(), ToolCall():
            assert (was.id, was.name, was.custom) == (now.id, now.name, now.custom)
            assert same_shape(was.arguments, now.arguments)
        case ToolResult(), ToolResult():
            assert (was.call_id, was.is_error) == (now.call_id, now.is_error)
            for inner, shown in zip(was.parts, now.parts, strict=True):
                _is_marked_part(inner, shown)
        case _:
            assert was == now


def counts_are_true(step: Step) -> None:
    """Recount what a fit took out from the plans before and after it."""
    report, messages = step.report, step.messages
    before, after = step.chain_before, step.chain_after
    if step.fitted is not None and step.fitted.undo is not None and step.fitted.checkpoint is None:
        assert report is not None
        assert (report.compacted, report.dropped, report.truncated) == (0, 0, 0)
        return
    compacted, dropped = (
        places_of(after, messages, verdict) - places_of(before, messages, verdict)
        for verdict in (Verdict.COMPACT, Verdict.DROP)
    )
    gone = _hidden(after, messages) - _hidden(before, messages)
    cut_before, cut_after = cuts_of(before), cuts_of(after)
    hidden = {messages[at].id for at in _hidden(after, messages)}
    new_cuts = {
        place: cut for place, cut in cut_after.items() if place[0] not in hidden and _new(cut_before.get(place), cut)
    }
    if report is None:
        assert not gone
        assert not new_cuts
        return
    assert not compacted & dropped
    assert (report.compacted, report.dropped) == (len(compacted), len(dropped))
    assert report.truncated == len({place[0] for place in new_cuts})
    media = sum(cut.kind is CutKind.MEDIA for cut in new_cuts.values())
    media += sum(_media_left(messages[at], cut_before.values()) for at in gone)
    assert report.media_dropped == media
    assert set(report.tool_call_ids) == {
        part.call_id
        for id, number, _, _ in new_cuts
        for message in messages
        if message.id == id and isinstance(part := message.parts[number], ToolResult)
    }


def _new(before: object, cut: object) -> bool:
    keep = getattr(before, "keep", None), getattr(before, "kind", None)
    return keep != (getattr(cut, "keep", None), getattr(cut, "kind", None))


def _hidden(chain: Sequence[Checkpoint], messages: Sequence[Message]) -> set[int]:
    return places_of(chain, messages, Verdict.DROP, Verdict.COMPACT)


def _media_left(message: Message, cuts: object) -> int:
    cut = sum(one.message == message.id and one.kind is CutKind.MEDIA for one in cuts)  # type: ignore[attr-defined]  # cuts
    return len(list(media_of(message))) - cut
