"""Promise 4: every request is one that its provider takes, by rules that share no line with the repair code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from hypothesis import given

from tests.properties.events import Story
from tests.properties.stories import stories
from tests.properties.walking import COUNTER, Step
from tests.properties.watching import ALONE, Watch, watch
from unabridged import repair
from unabridged.message import Message, Text, ToolCall, ToolResult
from unabridged.testing.validity import Violation, violations
from unabridged.view import Cutter, Item

MOST_CUTS = 12


def refused(dialect: str, body: bytes) -> list[Violation]:
    """Give what the provider would refuse, had any run of groups left.

    Ids above 40 characters are taken by every server that issues them. That an answer whose arguments were cut, and
    whose thoughts left with them, becomes the last one is for the ladder to avoid: what is older leaves first.
    """
    aside = ("call_id_too_long", "thinking_not_first")
    return [found for found in violations(dialect, body) if found.rule not in aside]


class TheViewIsValid(Watch):
    """Promise 4."""

    def __init__(self) -> None:
        self._last: Step | None = None

    def see(self, step: Step) -> None:
        """Hold a request against the rules of its provider."""
        if step.fitted is not None:
            assert violations(step.dialect, step.fitted.body()) == []
            what_is_written_is_what_is_shown(step)
            a_second_repair_changes_nothing(step)
            self._last = step

    def end(self) -> None:
        """Cut the last request everywhere that it may be cut."""
        if self._last is not None:
            every_cut_is_safe(self._last)


@ALONE
@given(stories())
def test_every_request_is_valid_a_second_repair_changes_nothing_and_every_cut_is_safe(story: Story) -> None:
    watch(story, TheViewIsValid())


def what_is_written_is_what_is_shown(step: Step) -> None:
    """The texts of the request are those of the items: a raw form and its parts never disagree."""
    assert step.fitted is not None
    wire = step.engine.wire
    read = (wire.read_message(text, id=str(place))[0] for place, text in enumerate(step.fitted.texts))
    assert Counter(leaf for message in read for leaf in _leaves(message)) == Counter(
        leaf for item in step.fitted.items for leaf in _leaves(item.message)
    )


def _leaves(message: Message) -> Iterator[str]:
    for part in message.parts:
        match part:
            case Text(text) if text:
                yield text
            case ToolCall():
                yield f"{part.id} {part.name} {_canonical(part.arguments)}"
            case ToolResult():
                texts = [inner.text for inner in part.parts if isinstance(inner, Text) and inner.text]
                yield from (
                    f"{part.call_id} {text}" for text in texts if "which this provider does not take" not in text
                )
            case _:
                pass


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments or "{}"))
    except ValueError:
        return arguments


def a_second_repair_changes_nothing(step: Step) -> None:
    assert step.fitted is not None
    again, counts = repair.mend(step.fitted.items, step.dialect, cutter_of(step))
    assert counts == ()
    assert again == list(step.fitted.items)


def every_cut_is_safe(step: Step) -> None:
    """Groups may leave: with a marker in the place of any run of them, there is nothing to repair."""
    assert step.fitted is not None
    cutter = cutter_of(step)
    groups = repair.groups(step.fitted.items, step.dialect)
    assert [item for group in groups for item in group] == list(step.fitted.items)
    for start in range(max(0, len(groups) - MOST_CUTS), len(groups)):
        for end in {start + 1, len(groups) - 1, (start + len(groups)) // 2}:
            if start < end < len(groups):
                kept = [item for group in groups[:start] for item in group]
                kept.append(cutter.marker("[context: 1 earlier message is not shown]", "gap"))
                nothing_to_repair(step, [*kept, *(item for group in groups[end:] for item in group)], cutter)


def nothing_to_repair(step: Step, items: list[Item], cutter: Cutter) -> None:
    again, counts = repair.mend(items, step.dialect, cutter)
    assert counts == ()
    texts = step.engine.wire.write_messages([item.message for item in again], step.transcript.log.media)
    assert refused(step.dialect, step.engine.wire.write_request(step.frame, texts)) == []


def cutter_of(step: Step) -> Cutter:
    return Cutter(step.engine.wire, COUNTER, step.transcript.log.media)
