"""The edges of the straight line: floors over the budget, requests that can never fit, refusals, other models."""

from __future__ import annotations

import json

import pytest

from tests.scene import Scene
from unabridged.conversation import Conversation
from unabridged.engine import Overflow
from unabridged.errors import BadSetting, CannotFit
from unabridged.message import Message, Role, ToolCall
from unabridged.policy import Policy
from unabridged.report import Fallback, FitReason, ResolvedBy
from unabridged.testing import violations
from unabridged.testing.notation import shown, tokens

# A window of 8,000 tokens: the budget is 6,400, and 7,000 is the most that leaves room for a small answer. Until a
# report is in, 7 % are added to what is counted.

LONG = "U:task " + "U:q:100 A[c1] T(c1):500 A:a:100 " * 10 + "U:next"


def refusal(scene: Scene) -> CannotFit:
    with pytest.raises(CannotFit) as caught:
        scene.fit()
    return caught.value


def test_a_floor_over_the_budget_goes_out_when_a_small_answer_still_has_room() -> None:
    scene = Scene("U:task A:done:1k U:next:6.2k")
    fitted = scene.fit()
    assert shown(fitted.items) == "U:task …1 U:next:6.2k"
    assert fitted.report is not None
    assert fitted.report.reason is FitReason.FLOOR_OVER_BUDGET
    assert fitted.report.budget < fitted.report.tokens_after <= 7_000
    assert fitted.report.over_budget is True


def test_the_output_limit_is_lowered_to_what_the_floor_leaves() -> None:
    scene = Scene("U:task A:done:1k U:next:6.2k", max_completion_tokens=2_000)
    fitted = scene.fit()
    assert fitted.report is not None
    assert fitted.report.max_output == 8_000 - fitted.tokens
    assert fitted.request()["max_completion_tokens"] == 8_000 - fitted.tokens


def test_a_smaller_output_limit_stays_as_it_was_asked_for() -> None:
    scene = Scene("U:task A:done:1k U:next:6.2k", max_completion_tokens=200)
    assert scene.fit().request()["max_completion_tokens"] == 200


def test_where_nothing_can_be_taken_away_the_report_says_so() -> None:
    report = Scene("U:next:6.2k").report()
    assert (report.fallback, report.resolved_by) == (Fallback.NOTHING_EVICTABLE, ResolvedBy.NONE)
    assert (report.dropped, report.truncated) == (0, 0)


def test_a_question_larger_than_the_window_cannot_fit() -> None:
    error = refusal(Scene("U:task A:done U:next:9k"))
    assert (error.limit, error.window) == (7_750, 8_000)
    assert 9_007 <= error.floor <= 9_100
    assert dict(error.parts)["newest human message"] == 9_007


def test_the_parts_of_a_refusal_add_up_to_its_floor() -> None:
    error = refusal(Scene("U:task:500 A:done U:next:9k A[c1:300] T(c1):4k", system="stone " * 700))
    assert sum(tokens for _, tokens in error.parts) == error.floor


def test_a_refusal_says_in_words_what_to_make_smaller() -> None:
    assert str(refusal(Scene("U:next:9k"))).startswith("the request needs at least 9,0")
    assert "7,750 of the window of 8,000 can be used (" in str(refusal(Scene("U:next:9k")))
    assert "newest human message 9,007" in str(refusal(Scene("U:next:9k")))


def test_a_frame_larger_than_the_window_cannot_fit_whatever_is_said() -> None:
    error = refusal(Scene("U:task", system="stone " * 8_000))
    assert dict(error.parts)["frame"] >= 8_000


def test_a_refusal_changes_nothing_in_the_log() -> None:
    scene = Scene("U:task A:done U:next:9k")
    before = scene.transcript.log.entries
    refusal(scene)
    assert scene.transcript.log.entries == before


def test_a_request_is_not_refused_for_a_margin() -> None:
    # 6,900 tokens fit a window of 8,000, although 7 % more would not.
    assert Scene("U:next:6.9k").fit().report is not None


def test_calls_of_the_unread_step_whose_arguments_fill_the_window_cannot_fit() -> None:
    error = refusal(Scene("U:task A[c1:9k] T(c1)"))
    assert dict(error.parts)["unread step"] >= 9_000


def test_an_asked_output_of_more_than_half_the_window_is_lowered() -> None:
    fitted = Scene("U:task", max_completion_tokens=6_000).fit()
    assert fitted.request()["max_completion_tokens"] == 4_000
    assert fitted.report is None


def test_an_asked_output_within_the_reserve_goes_out_as_it_came() -> None:
    assert Scene("U:task", max_completion_tokens=1_500).fit().request()["max_completion_tokens"] == 1_500


def test_no_output_limit_is_put_where_none_was_asked_for() -> None:
    assert Scene(LONG).fit().request().keys() == {"model", "messages"}


def test_settings_that_cannot_work_together_are_refused_at_the_first_fit() -> None:
    with pytest.raises(BadSetting, match="maxContextTokens"):
        Scene("U:task", policy=Policy(max_context_tokens=9_000)).fit()


def test_an_overflow_that_names_the_window_is_fitted_to_it() -> None:
    scene = Scene(LONG, window=200_000)
    scene.fit()
    report = scene.fit(overflow=Overflow(4_000)).report
    assert report is not None
    assert (report.reason, report.window, report.budget) == (FitReason.PROVIDER_OVERFLOW, 4_000, 3_200)
    assert report.tokens_after <= 3_200


def test_an_overflow_without_numbers_is_answered_with_four_fifths() -> None:
    scene = Scene("U:task A[c1] T(c1):3k A:done U:next")
    before = scene.fit().tokens
    report = scene.fit(overflow=Overflow()).report
    assert report is not None
    assert report.reason is FitReason.PROVIDER_OVERFLOW
    assert report.budget == int(0.8 * before)
    assert report.tokens_after <= report.budget


def test_an_overflow_that_names_a_window_which_holds_the_request_is_answered_with_less_all_the_same() -> None:
    scene = Scene("U:task A[c1] T(c1):3k A:done U:next")
    before = scene.fit().tokens
    report = scene.fit(overflow=Overflow(8_000)).report
    assert report is not None
    assert report.tokens_after <= 0.8 * before


def test_a_second_refusal_makes_the_request_smaller_again() -> None:
    scene = Scene(LONG, window=200_000)
    sizes = [scene.fit().tokens] + [scene.fit(overflow=Overflow()).tokens for _ in range(3)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4


def test_what_an_overflow_taught_holds_for_the_rest_of_the_session() -> None:
    scene = Scene(LONG, window=200_000)
    scene.fit()
    scene.fit(overflow=Overflow(4_000))
    scene.say("A:a:2k U:q")
    assert scene.fit().tokens <= 3_200
    assert scene.again().fit().tokens <= 3_200


def test_what_an_overflow_taught_of_one_model_does_not_hold_for_another() -> None:
    scene = Scene(LONG, window=200_000)
    scene.fit(overflow=Overflow(4_000))
    assert shown(scene.fit(model="larger").items) == LONG


def test_an_overflow_below_a_cap_of_the_policy_is_no_contradiction() -> None:
    scene = Scene(LONG, window=200_000, policy=Policy(max_context_tokens=100_000))
    scene.fit()
    assert scene.fit(overflow=Overflow(4_000)).tokens <= 3_200
    assert scene.say("A:a U:q").fit().tokens <= 3_200


def test_an_overflow_of_what_can_never_fit_is_refused_with_the_numbers() -> None:
    scene = Scene("U:task A:done U:next:5k", window=200_000)
    scene.fit()
    with pytest.raises(CannotFit) as caught:
        scene.fit(overflow=Overflow(4_000))
    assert (caught.value.window, caught.value.limit) == (4_000, 3_875)


def test_usage_teaches_the_ratio_of_a_model() -> None:
    scene = Scene("U:task")
    for _ in range(12):
        fitted = scene.say("A:a:150 U:q:150").fit()
        scene.used(fitted, int(1.3 * fitted.sent.price))
    fitted = scene.say("A:a:150 U:q:150").fit()
    assert 1.25 * fitted.sent.price <= fitted.tokens <= 1.36 * fitted.sent.price


def test_usage_teaches_fixed_parts_that_nobody_sees() -> None:
    scene = Scene("U:task A:done:2k U:next")
    fitted = scene.fit()
    assert fitted.tokens < 2_300
    scene.used(fitted, fitted.sent.price + 3_000)
    assert scene.fit().tokens == fitted.sent.price + 3_000


def test_hidden_fixed_parts_bring_the_fit_forward() -> None:
    scene = Scene("U:task A[c1] T(c1):1.2k A:done:2k U:next")
    fitted = scene.fit()
    assert fitted.report is None
    scene.used(fitted, fitted.sent.price + 2_500)
    report = scene.say("A:a:600 U:q").report()
    assert report.tokens_before >= 6_400 > report.tokens_after


def test_what_one_model_reported_does_not_count_for_another() -> None:
    scene = Scene("U:task A:done:2k U:next")
    fitted = scene.fit(model="one")
    scene.used(fitted, fitted.sent.price + 3_000)
    assert scene.fit(model="other").tokens < 2_300


def test_a_report_for_the_long_request_does_not_call_for_another_fit_of_the_short_one() -> None:
    scene = Scene(LONG, window=9_000)
    first = scene.fit()
    scene.used(first, first.sent.price)
    scene.window = 5_000
    second = scene.fit()
    assert second.report is not None
    scene.used(second, second.sent.price)
    assert scene.say("A:a U:q").fit().report is None


def test_margins_shrink_after_three_reports() -> None:
    scene = Scene("U:task A:done:1k U:next")
    grown: list[int] = []
    for _ in range(4):
        fitted = scene.say("A:a:500 U:q:500").fit()
        grown.append(fitted.tokens - fitted.sent.price)
        scene.used(fitted, fitted.sent.price)
    assert grown[0] == pytest.approx(0.07 * (2_000 + 60), abs=10)
    assert grown[1] == grown[2] == pytest.approx(0.07 * 1_014, abs=2)
    assert grown[3] == pytest.approx(0.02 * 1_014, abs=2)


def test_where_nothing_was_said_there_is_nothing_to_take_out() -> None:
    scene = Scene("", window=2_000, system="river " * 1_700)
    assert scene.engine.fit(scene.frame, scene.policy, window=2_000, model="m", overflow=Overflow()).checkpoint is None
    assert scene.engine.fit(scene.frame, scene.policy, window=2_000, model="m").checkpoint is None


def test_arguments_written_in_escapes_count_as_what_is_left_of_them_once_they_are_cut() -> None:
    scene = Scene("U:task", dialect="anthropic", max_tokens=500)
    call = {"type": "tool_use", "id": "late", "name": "write", "input": {"text": "切り詰める" * 600}}
    message, _ = scene.engine.wire.read_message(json.dumps({"role": "assistant", "content": [call]}), id="asker")
    scene.transcript.append(message)
    scene.say("U:meanwhile A[c2] T(c2) T(late):100")  # unread, and its call stands with it
    assert scene.fit().tokens <= 6_400


def test_a_cut_saves_what_repair_left_of_an_argument_and_no_more() -> None:
    arguments = json.dumps({"path": "a.py", "content": "\ud83d " * 20_000, "mode": 3})
    scene = Scene("U:task", dialect="anthropic", window=6_000)
    talk = Conversation(dialect="anthropic", model="m", max_tokens=100, window=6_000, log=scene.transcript.log)
    talk.add(Message(id="a", role=Role.ASSISTANT, parts=(ToolCall("c1", "write", arguments),)))
    talk.result("c1", "Written.")
    for nth in range(8):
        talk.add(Message(id=f"a{nth}", role=Role.ASSISTANT, parts=(ToolCall(f"d{nth}", "read", "{}"),)))
        talk.result(f"d{nth}", tokens(500, f"t{nth}"))
    fitted = talk.fit()
    assert fitted.tokens <= 4_800
    assert violations("anthropic", fitted.request()) == []
