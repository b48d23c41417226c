"""Loops, thresholds, wrong moments."""

from __future__ import annotations

import json

import pytest

from tests.scene import Scene
from unabridged import Conversation
from unabridged.budget import Budget
from unabridged.engine import Overflow
from unabridged.policy import Policy
from unabridged.testing import Asked, Call, FakeProvider, Reply
from unabridged.testing.notation import say, tokens


def test_when_the_newest_turns_hold_the_bulk_one_fit_is_enough() -> None:
    scene = Scene("U:task " + "U:q:20 A:a:100 " * 9 + "U:q:20 A[c1] T(c1):3k A:a:100 " * 3 + "U:next")
    report = scene.report()
    assert report.tokens_after <= report.target < report.budget
    for _ in range(5):
        assert scene.say("A:a:100 U:q:20").fit().report is None


def test_a_fixed_part_that_nearly_fills_the_budget_makes_no_loop() -> None:
    scene = Scene("U:task", system=tokens(5_500))
    fits = []
    for turn in range(30):
        fitted = scene.say("A:a:20 U:q:20").fit()
        fits += [turn] if fitted.report is not None else []
        assert fitted.tokens < 6_400
    assert len(fits) <= 15


def test_the_report_shows_that_the_fixed_part_is_the_cause() -> None:
    scene = Scene("U:task " + "A:a:60 U:q:20 " * 8, system=tokens(5_500))
    report = scene.report()
    assert report.floor > 0.9 * report.budget


def test_no_message_is_made_up_to_go_on_after_a_fit() -> None:
    scene = Scene("U:task " + "U:q:100 A:a:700 " * 9 + "U:next")
    people = [item for item in scene.fit().items if item.message.is_human]
    assert all(item.source is not None for item in people)


@pytest.mark.parametrize("asked", [None, 0, 32_000, 1_000_000])
def test_no_output_limit_eats_the_window(asked: int | None) -> None:
    assert Budget.of(Policy(), window=16_384, max_output=asked).total >= 8_192


def test_an_unknown_window_is_a_safe_one() -> None:
    talk = Conversation(model="m")
    talk.user("Hello.")
    for _ in range(30):
        talk.add({"role": "assistant", "content": tokens(5_000)})
        talk.user("Go on.")
    report = talk.fit().report
    assert report is not None
    assert (report.window, report.budget) == (128_000, 102_400)


def test_usage_of_the_long_request_does_not_call_for_another_fit() -> None:
    scene = Scene("U:task A:a:700 U:q A:a:700 U:q A:a:700 U:q")
    scene.window = 100_000
    long = scene.say("A:a:1k U:q " * 6).fit()
    scene.used(long, long.sent.price)
    scene.window = 8_000
    assert scene.fit().report is not None
    assert scene.say("A:a U:q").fit().report is None


def test_tokens_of_the_answer_are_not_counted_twice() -> None:
    talk = Conversation(model="m", window=40_000)
    talk.user(tokens(17_500))
    talk.fit()
    talk.answered({"prompt_tokens": 18_000, "completion_tokens": 12_000, "total_tokens": 30_000})
    fitted = talk.fit()
    assert (fitted.tokens, fitted.report) == (18_000, None)


def test_one_question_and_two_hundred_calls_go_on_to_the_end() -> None:
    scene = Scene("U:task", window=32_000)
    fits = 0
    for _ in range(200):
        fitted = scene.say("A[c1] T(c1):3k").fit()
        fits += fitted.report is not None
        assert fitted.tokens < 25_600
        assert fitted.items[0].source == "U:task"
    assert fits < 100


def test_a_window_that_is_smaller_than_it_says_is_learned_from_a_refusal_without_numbers() -> None:
    scene = Scene("U:task A:a:300 U:next A:a:300 U:more", window=1_000)
    scene.fit(overflow=Overflow())
    smaller = scene.fit().tokens
    assert smaller < 0.94 * 1_000 * 0.8
    assert scene.say("A:a:300 U:q").fit().tokens < 0.94 * 1_000


class Forgetful:
    """An agent that reads files in order, and reads each again of which it sees nothing any more."""

    def __init__(self, files: int) -> None:
        self._files = [f"src/part_{number:02}.py" for number in range(files)]
        self.asked = 0

    def reply(self, asked: Asked) -> Reply:
        seen = json.dumps(asked.body["messages"])
        missing = [file for file in self._files if file not in seen]
        if not missing:
            return Reply(text="All of them were read.")
        self.asked += 1
        return Reply(calls=(Call("read", json.dumps({"path": missing[0]})),))


def test_an_agent_does_not_do_again_what_it_no_longer_sees_the_result_of() -> None:
    model = Forgetful(40)
    provider = FakeProvider(model, window=16_000)
    talk = Conversation(model="m", window=16_000, policy=Policy(strategy="summarize"))
    talk.user("Read all files.")
    fits = 0
    for _ in range(60):
        fitted = talk.fit()
        fits += fitted.report is not None
        answer = provider.answer("openai_chat", fitted.request())["choices"][0]["message"]
        talk.add(answer)
        if not answer.get("tool_calls"):
            break
        for call in answer["tool_calls"]:
            talk.result(call["id"], tokens(600, call["id"]))
    assert provider.refused == []
    assert model.asked == 40
    assert fits < 20


def test_a_request_keeps_its_beginning_for_many_turns() -> None:
    talk = Conversation(model="m", window=32_000)
    say(talk, "U:task " + "U:q:200 A[c1] T(c1):700 A:a:300 " * 20)
    changes, before = 0, b""
    for _ in range(60):
        say(talk, "U:q:60 A:a:200")
        body = talk.fit().body()
        changes += not body.startswith(before[:-2])
        before = body
    assert talk.transcript.total.text.tokens > 32_000
    assert changes <= 3


def test_a_project_can_lower_what_every_step_costs() -> None:
    paid: dict[int | None, int] = {}
    for cap in (None, 40_000):
        scene = Scene("U:task", window=200_000, policy=Policy(max_context_tokens=cap))
        paid[cap] = 0
        for _ in range(120):
            fitted = scene.say("A[c1] T(c1):1k").fit()
            paid[cap] += fitted.tokens
            assert fitted.report is None or cap is not None
    assert paid[40_000] < 0.5 * (paid[None] or 0)
