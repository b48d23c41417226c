"""The judge of recorded conversations notices what it is there for: each fault is made by hand, and must be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.scene import Scene
from tests.verify.bodies import Bodies
from tests.verify.content import lost
from tests.verify.floor import unconfirmed
from tests.verify.grid import FIRST, HOME, TONGUES, WINDOWS, Grid, Way, chosen, spoken, tongues, tried, ways
from tests.verify.judging import Judgement, judge_all
from unabridged.fitted import Fitted
from unabridged.frame import Frame
from unabridged.importers import Imported, read_bytes
from unabridged.message import Message, Role, Text, ToolResult
from unabridged.policy import ORDERS
from unabridged.strategy import BUILT_IN
from unabridged.wire import wire

ASKED = "U:task A[c1] T(c1):40 "
DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")


def told(scene: Scene, change: Callable[[Message], Message | None]) -> list[str]:
    """The kinds of fault that are told of a request in which each message was changed."""
    fitted = scene.fit()
    items = [msgspec.structs.replace(item, message=change(item.message)) for item in fitted.items]
    items = [item for item in items if item.message is not None]
    texts = wire(scene.dialect).write_messages([item.message for item in items], {})
    changed = msgspec.structs.replace(fitted, items=items, texts=texts)
    return faults(scene, changed)


def faults(scene: Scene, fitted: Fitted) -> list[str]:
    transcript = [record.message for record in scene.transcript.records]
    return [kind for kind, _ in lost(transcript, fitted, scene.dialect, Bodies(scene.dialect))]


def result_of(text: str) -> Callable[[Message], Message]:
    def change(message: Message) -> Message:
        if not message.results:
            return message
        result = ToolResult(message.results[0].call_id, (Text(text),))
        return msgspec.structs.replace(message, parts=(result,), raw=None)

    return change


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_is_lost_of_a_request_that_nobody_touched(dialect: str) -> None:
    assert told(Scene(ASKED, dialect=dialect), lambda message: message) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_unread_result_that_says_something_else_is_told(dialect: str) -> None:
    assert told(Scene(ASKED, dialect=dialect), result_of("something else")) == ["unread"]


def test_one_that_says_that_it_was_cut_is_right() -> None:
    assert told(Scene(ASKED), result_of("some [context: 30 tokens left out] thing")) == []


def test_one_that_is_left_out_is_told() -> None:
    assert told(Scene(ASKED), lambda message: None if message.results else message) == ["unread"]


def test_a_task_that_says_something_else_is_told() -> None:
    def change(message: Message) -> Message:
        other = msgspec.structs.replace(message, parts=(Text("another task"),), raw=None)
        return other if message.role is Role.USER and not message.results else message

    assert told(Scene(ASKED), change) == ["task"]


@pytest.mark.parametrize(("left_out", "kind"), [(0, "task"), (-1, "unread")])
def test_what_a_view_shows_and_the_body_does_not_say_is_told(left_out: int, kind: str) -> None:
    scene = Scene(ASKED)
    fitted = scene.fit()
    own = [msgspec.structs.replace(item.message, raw=None) for item in fitted.items]
    items = [msgspec.structs.replace(item, message=message) for item, message in zip(fitted.items, own, strict=True)]
    texts = wire("openai_chat").write_messages(own, {})
    del texts[left_out]
    assert faults(scene, msgspec.structs.replace(fitted, items=items, texts=texts)) == [kind]


def test_a_body_that_the_provider_would_refuse_is_told() -> None:
    fitted = Scene(ASKED).fit()
    bodies = Bodies("openai_chat")
    assert bodies.examined(fitted).broken is None
    broken = bodies.examined(msgspec.structs.replace(fitted, texts=fitted.texts[:-1])).broken
    assert broken is not None
    assert broken.rule == "tool_call_unanswered"


def test_a_body_costs_its_frame_and_its_messages() -> None:
    bare, framed = Scene(ASKED), Scene(ASKED, system="Be brief.")
    by_judge = [Bodies("openai_chat").examined(scene.fit()).tokens for scene in (bare, framed)]
    assert by_judge[1] - by_judge[0] == 4 + 3
    assert by_judge[1] <= framed.fit().sent.price


@pytest.mark.parametrize(("window", "is_right"), [(8_000, True), (128_000, False)])
def test_a_refusal_is_right_where_what_can_never_go_is_too_large(window: int, is_right: bool) -> None:
    said = Message(id="m", role=Role.USER, parts=(Text("stone " * 10_000),))
    assert (unconfirmed([said], Frame(dialect="openai_chat"), "openai_chat", window) == "") is is_right


def conversation(calls: int) -> Imported:
    listed = [{"role": role, "content": f"{role} {at}"} for at in range(calls) for role in ("user", "assistant")]
    body: dict[str, Any] = {"model": "m", "messages": listed}
    return read_bytes(msgspec.json.encode(body), "made")[0]


def test_every_strategy_order_and_window_has_its_place() -> None:
    every = ways((*BUILT_IN,), ORDERS)
    assert every[0] == FIRST
    assert {way for way in every if way.strategy != "none"} == {
        Way(strategy, order) for strategy in ("trim", "summarize") for order in ORDERS
    }
    assert WINDOWS == (8_000, 32_000, 128_000)
    assert set(TONGUES) == {HOME, *DIALECTS}


def test_its_own_dialect_is_walked_once_and_called_home() -> None:
    assert list(tongues(conversation(1), Grid((), TONGUES, (), False))) == [
        *(HOME, "anthropic", "gemini", "openai_responses")
    ]


@pytest.mark.parametrize("dialect", ["anthropic", "gemini", "openai_responses"])
def test_in_another_dialect_the_frame_goes_along(dialect: str) -> None:
    there = spoken(conversation(1), dialect)
    assert (there.dialect, there.frame.dialect) == (dialect, dialect)
    assert there.messages == conversation(1).messages


def test_of_a_short_transcript_every_call_is_chosen_and_of_a_long_one_the_last_are() -> None:
    assert len(chosen(conversation(12))) == 12
    long = chosen(conversation(400))
    assert len(long) <= 12
    assert {795, 797, 799} - long == {795}


def test_on_long_transcripts_policies_take_turns_and_the_first_is_always_there() -> None:
    grid = Grid(ways(("trim", "summarize", "none"), ORDERS), TONGUES, WINDOWS, False)
    long = conversation(13)
    turns = [tried(long, tongue, window, grid) for tongue in TONGUES for window in WINDOWS]
    assert all(FIRST in turn and len(turn) == 3 for turn in turns)
    assert {way for turn in turns for way in turn} == set(grid.ways)
    assert tried(conversation(12), HOME, 8_000, grid) == grid.ways
    assert tried(long, HOME, 8_000, grid._replace(everything=True)) == grid.ways


def judged(number: int, *, everything: bool) -> list[Judgement]:
    asked = Grid(ways(("trim", "none"), ORDERS), TONGUES, (8_000,), everything)
    return list(judge_all(conversation(number), asked))


def test_a_policy_that_is_never_asked_is_not_walked_unless_everything_is_wanted() -> None:
    spared, whole = judged(3, everything=False), judged(3, everything=True)
    assert {judgement.way for judgement in spared} == {FIRST}
    assert len(whole) == 4 * len(spared)
    assert all(judgement.counts == Counter(requests=3) for judgement in whole if judgement.dialect == HOME)
