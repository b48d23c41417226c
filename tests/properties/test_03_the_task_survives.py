"""Promise 3: system layers, task, newest human message, what is unanswered and the unread step are in the view."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import given

from tests.properties.arrival import damaged
from tests.properties.events import Served, Story
from tests.properties.outside import Guarded, guarded, least_tokens, picture_price
from tests.properties.stories import stories
from tests.properties.walking import Step, fixed_of, shown_ids
from tests.properties.watching import ALONE, Watch, watch
from unabridged.message import Message, Part, ToolResult

MARK = "[context: "
MARKERS = 200
"""Tokens: where much stands apart, the markers between belong to the floor, and no more than one is set aside."""
SURCHARGED = 1.65
"""What the engine takes for granted of the densest text until it knows the provider's counting: 7 % and a half more."""


class TheTaskSurvives(Watch):
    """Promise 3."""

    def see(self, step: Step) -> None:
        """Look for what may never be taken out of a view."""
        if step.fitted is None:
            return
        found = guarded(step.messages)
        hurt = damaged(step.lines, step.dialect)
        the_frame_goes_out(step)
        the_newest_words_are_whole(step, found, hurt)
        what_nobody_answered_is_there(step, found, hurt)
        the_task_is_there(step, found, hurt)
        the_unread_step_is_there(step, found, hurt)
        for at in set(found.system) - hurt:
            assert the_view_of(step, at) == step.messages[at]


@ALONE
@given(stories())
def test_system_text_task_newest_words_and_the_unread_step_are_always_in_the_view(story: Story) -> None:
    watch(story, TheTaskSurvives())


def the_view_of(step: Step, at: int) -> Message:
    """Give what the model sees of a message. It must see it."""
    assert step.fitted is not None
    view = shown_ids(step.fitted).get(step.messages[at].id)
    assert view is not None, f"message {at} of {len(step.messages)} is not in the view"
    return view


def the_frame_goes_out(step: Step) -> None:
    """Every system text and tool schema of the request is in the body."""
    goes = step.body
    came = json.loads(step.engine.wire.write_request(step.frame, []))
    assert (goes.get("system"), goes.get("tools")) == (came.get("system"), came.get("tools"))
    assert goes["messages"][: len(came["messages"])] == came["messages"]


def the_newest_words_are_whole(step: Step, found: Guarded, hurt: set[int]) -> None:
    """The newest human message is never cut, nor anything that came with it but outputs of tools."""
    if found.newest is None or found.newest in hurt:
        return
    view = the_view_of(step, found.newest)
    message = step.messages[found.newest]
    assert words(view.parts) == words(message.parts)
    if not message.results:
        assert view == message
        text = step.lines[found.newest].raw
        assert text is None or step.fitted is None or text in step.fitted.texts


def what_nobody_answered_is_there(step: Step, found: Guarded, hurt: set[int]) -> None:
    """Every message that waits for an answer is in the view; it is cut only where it would not fit whole."""
    for at in set(found.unanswered) - hurt:
        view = the_view_of(step, at)
        if words(view.parts) != words(step.messages[at].parts):
            it_had_to_be_cut(step, found, at)


def the_task_is_there(step: Step, found: Guarded, hurt: set[int]) -> None:
    """The task is in the view, whole unless even the floor does not fit with it."""
    if found.task is None or found.task in hurt:
        return
    view = the_view_of(step, found.task)
    if words(view.parts) == words(step.messages[found.task].parts):
        return
    assert all(
        was == now or MARK in str(now) for was, now in zip(step.messages[found.task].parts, view.parts, strict=True)
    )
    it_had_to_be_cut(step, found, found.task)


def it_had_to_be_cut(step: Step, found: Guarded, at: int) -> None:
    """A person's words are cut by a fit only while the floor with all of them is over the budget."""
    cut_before = {cut.message for checkpoint in step.chain_before for cut in checkpoint.plan.cuts}
    if step.messages[at].id in cut_before:
        return
    assert step.report is not None
    assert step.report.floor + MARKERS >= step.report.budget
    if not step.learned and step.story.served is Served.NOTHING:
        assert floor(step, found) >= step.room.budget


def the_unread_step_is_there(step: Step, found: Guarded, hurt: set[int]) -> None:
    """Of the unread step only outputs are cut: text, thoughts and arguments are as the model made them."""
    for at in set(found.step) - hurt:
        message, view = step.messages[at], the_view_of(step, at)
        if not message.results:
            assert view == message
            continue
        assert [result.call_id for result in view.results] == [result.call_id for result in message.results]
        for was, now in zip(message.results, view.results, strict=True):
            assert (now.call_id, now.is_error) == (was.call_id, was.is_error)
            assert len(now.parts) == len(was.parts)
            assert all(new == old or MARK in str(new) for old, new in zip(was.parts, now.parts, strict=True))


def words(parts: Sequence[Part]) -> list[Part]:
    """Give what a person put into a message; outputs that came with it are left out."""
    return [part for part in parts if not isinstance(part, ToolResult)]


def floor(step: Step, found: Guarded) -> int:
    """Give about what the floor takes with everything that people wrote whole, rounded up well."""
    guarded_ones = {*found.system, *found.step, *found.unanswered}
    guarded_ones |= {at for at in (found.task, found.newest) if at is not None}
    tokens = fixed_of(step.story) + 200
    for at in guarded_ones:
        message = step.messages[at]
        pieces = len(message.parts) + sum(len(result.parts) for result in message.results)
        tokens += least_tokens(message, texts=True) + 120 * (1 + pieces)
        tokens += sum(picture_price(part, step.transcript.log.media, step.story.dialect) for part in message.parts)
    return int(tokens * SURCHARGED)
