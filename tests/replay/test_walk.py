"""The walk: one value for each recorded model call, as its agent made them."""

from __future__ import annotations

import msgspec
import pytest

from tests.replay.sessions import claude_lines, openai_request
from unabridged.errors import BadSetting
from unabridged.importers import Imported, read_bytes
from unabridged.message import Origin
from unabridged.policy import Policy
from unabridged.replay.walk import Step, calls_of, is_dead, walk
from unabridged.report import Usage


def claude(calls: int) -> Imported:
    (conversation,) = read_bytes("\n".join(claude_lines(calls)).encode(), "session.jsonl")
    return conversation


def openai(calls: int) -> Imported:
    (conversation,) = read_bytes(msgspec.json.encode(openai_request(calls)), "request.json")
    return conversation


def walked(conversation: Imported, window: int) -> list[Step]:
    return list(walk(conversation, Policy(), window=window))


def test_each_call_sees_what_came_before_its_answer() -> None:
    steps = walked(claude(4), 100_000)

    assert [(step.number, step.messages) for step in steps] == [(1, 1), (2, 3), (3, 5), (4, 7)]
    for step in steps:
        assert step.fitted is not None
        assert len(step.fitted.items) == step.messages


def test_what_nobody_answered_yet_is_one_call_more() -> None:
    conversation = openai(4)

    assert len(conversation.calls) == 3
    assert [call.messages for call in calls_of(conversation)] == [1, 3, 5, 7]


def test_an_opening_line_is_no_call() -> None:
    messages = [{"role": "assistant", "content": "Hello, I am the desk."}, {"role": "user", "content": "Hello."}]
    (conversation,) = read_bytes(msgspec.json.encode({"model": "m", "messages": messages}), "greeting.json")

    assert [call.messages for call in calls_of(conversation)] == [2]


def test_a_frame_is_made_for_files_that_know_none() -> None:
    (step, *_) = walked(claude(2), 100_000)

    assert step.fitted is not None
    request = step.fitted.request()
    assert (request["model"], request["max_tokens"]) == ("claude-test", 20_000)


def test_the_frame_of_a_recorded_request_is_kept() -> None:
    (step, *_) = walked(openai(2), 100_000)

    assert step.fitted is not None
    request = step.fitted.request()
    assert list(request) == ["model", "messages", "tools"]


def test_the_whole_transcript_is_told_at_every_step() -> None:
    steps = walked(claude(30), 8_000)

    grown = [step.full for step in steps]
    assert grown == sorted(grown)
    assert steps[0].tokens == steps[0].full
    assert steps[-1].full > 2 * 8_000


def test_two_walks_are_the_same() -> None:
    first, second = walked(claude(30), 8_000), walked(claude(30), 8_000)

    bodies = [step.fitted.body() if step.fitted else None for step in first]
    assert bodies == [step.fitted.body() if step.fitted else None for step in second]
    assert [step.report for step in first] == [step.report for step in second]


def test_the_task_is_in_every_request() -> None:
    for step in walked(claude(40), 8_000):
        assert step.fitted is not None
        task = step.fitted.items[0].message
        assert task.origin is Origin.HUMAN
        assert task.text.startswith("Find out why")


def test_a_setting_that_cannot_work_is_refused_at_the_first_step() -> None:
    with pytest.raises(BadSetting, match="window"):
        walked(claude(2), 10)


def test_an_answer_takes_what_the_file_reports_or_else_what_its_text_does() -> None:
    conversation = claude(3)
    reported = msgspec.structs.replace(conversation.calls[1], usage=Usage(input=900, output=123))
    calls = (conversation.calls[0], reported, conversation.calls[2])

    first, second, last = walked(msgspec.structs.replace(conversation, calls=calls), 100_000)
    assert second.output == 123
    assert 5 < last.output < first.output < 60


def test_a_walk_that_leaves_nothing_out_dies_where_the_window_is_outgrown() -> None:
    steps = list(walk(claude(30), Policy(strategy="none"), window=8_000))

    dead = [is_dead(step) for step in steps]
    assert dead == sorted(dead)
    assert (dead[0], dead[-1]) == (False, True)
