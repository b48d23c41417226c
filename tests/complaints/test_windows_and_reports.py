"""Models with other windows than one believes, and reports that say what happened."""

from __future__ import annotations

from tests.scene import Scene
from unabridged import Conversation
from unabridged.report import FitReason, ResolvedBy
from unabridged.testing.notation import shown, tokens

LONG = "U:task " + "U:q:100 A[c1] T(c1):500 A:a:200 " * 10 + "U:next"


def test_a_switch_to_a_smaller_model_fits_before_the_next_request_and_back_shows_everything() -> None:
    scene = Scene(LONG, window=40_000)
    assert scene.fit(model="large").report is None
    scene.window = 8_000
    small = scene.fit(model="small")
    assert small.report is not None
    assert (small.report.model, small.report.budget) == ("small", 6_400)
    assert small.tokens < 6_400
    scene.window = 40_000
    assert shown(scene.fit(model="large").items) == LONG


def test_the_window_that_a_refusal_names_is_used_from_then_on() -> None:
    talk = Conversation(model="local", window=200_000)
    for _ in range(40):
        talk.user("Go on.")
        talk.add({"role": "assistant", "content": tokens(1_000)})
    talk.user("And now?")
    assert talk.fit().tokens > 32_768
    assert talk.overflowed(32_768).tokens <= 26_215
    for _ in range(10):
        talk.add({"role": "assistant", "content": tokens(2_000)})
        talk.user("Go on.")
        assert talk.fit().tokens <= 26_215


def test_a_tiny_question_that_asks_for_the_whole_window_gets_a_lower_output_limit() -> None:
    fitted = Scene("U:hello:121", window=4_096, max_tokens=4_096).fit()
    assert fitted.tokens + fitted.request()["max_tokens"] <= 4_096
    assert fitted.report is None


def test_history_is_left_alone_where_a_lower_output_limit_is_enough() -> None:
    scene = Scene("U:task A:a:4.4k U:next", window=10_200, max_tokens=5_800)
    fitted = scene.fit()
    assert shown(fitted.items) == "U:task A:a:4.4k U:next"
    assert fitted.tokens + fitted.request()["max_tokens"] <= 10_200


def test_before_and_after_are_whole_requests_by_one_counter() -> None:
    scene = Scene(LONG, system="Be brief.")
    whole = scene.again()
    whole.window = 100_000
    fitted = scene.fit(commit=False)
    assert fitted.report is not None
    assert fitted.report.tokens_before == whole.fit(commit=False).tokens
    assert fitted.report.tokens_after == fitted.tokens


def test_a_fit_that_did_not_reach_the_budget_is_not_called_a_success() -> None:
    report = Scene("U:task A:a:1k U:next:6.2k").report()
    assert report.over_budget is True
    assert report.reason is FitReason.FLOOR_OVER_BUDGET


def test_a_fit_by_shortening_alone_is_reported() -> None:
    report = Scene("U:task A[c1] T(c1):30k").report()
    assert (report.truncated, report.dropped, report.resolved_by) == (1, 0, ResolvedBy.TRIM)
