"""The straight line: what a fit changes, where it lands, and what it leaves alone."""

from __future__ import annotations

import json

import pytest

from tests.scene import Scene
from unabridged.engine import Engine
from unabridged.entry import CheckpointEntry, MessageEntry, ReportEntry, UndoEntry
from unabridged.log import Log
from unabridged.policy import Policy
from unabridged.report import FitReason, Phase, ResolvedBy
from unabridged.testing.notation import shown
from unabridged.transcript import Transcript
from unabridged.wire import wire

LONG = "U:task " + "U:q:100 A[c1] T(c1):500 A:a:100 " * 10 + "U:next"
"""Over the budget of a window of 8,000 tokens; a fit lands at about 4,500."""


def kinds(scene: Scene) -> list[str]:
    return [type(entry.payload).__name__ for entry in scene.transcript.log.entries]


@pytest.mark.parametrize("dialect", ["openai_chat", "anthropic"])
def test_below_the_budget_the_view_is_the_transcript(dialect: str) -> None:
    script = "U:task A[c1,c2] T(c1) T(c2):2k A:done U:next"
    scene = Scene(script, dialect=dialect)
    fitted = scene.fit()
    assert shown(fitted.items) == script
    assert fitted.report is None
    assert fitted.checkpoint is None


def test_below_the_budget_the_very_bytes_that_came_in_go_out() -> None:
    body = (
        b'{ "model":"m", "temperature":1.0, "messages":[\n  {"content":"Go.","role":"user"},\n'
        b'  {"role":"assistant","x_extra":{"b":1,"a":2},"content":"caf\\u00e9"},\n'
        b'  {"role":"user","content":"On."}\n], "tools":[] }'
    )
    frame, messages, media = wire("openai_chat").read_request(body, id_prefix="r")
    transcript = Transcript(Log())
    transcript.append(*messages, media=media)
    assert Engine(transcript, dialect="openai_chat").fit(frame, Policy(), window=8_000).body() == body


def test_a_fit_happens_when_the_request_reaches_the_budget() -> None:
    below = Scene("U:task:100 A:done:5.8k U:next")
    assert below.fit().tokens < 6_400
    assert below.fit().report is None
    over = Scene("U:task:100 A:done:6k U:next")
    report = over.report()
    assert report.tokens_before >= 6_400 > report.tokens_after


def test_system_text_and_tools_count() -> None:
    tool = {"type": "function", "function": {"name": "run", "description": "river " * 2_000, "parameters": {}}}
    bare = Scene("U:task A:done:2k U:next").fit()
    framed = Scene("U:task A:done:2k U:next", system="stone " * 1_000, tools=[tool]).fit()
    assert framed.tokens == pytest.approx(bare.tokens + 3_000 * 1.07, abs=60)


def test_a_report_says_what_was_asked_what_was_done_and_what_it_came_to() -> None:
    report = Scene(LONG).report()
    assert (report.phase, report.strategy, report.resolved_by) == (Phase.DONE, "trim", ResolvedBy.TRIM)
    assert report.reason is FitReason.THRESHOLD_EXCEEDED
    assert (report.budget, report.window, report.model) == (6_400, 8_000, "m")
    assert report.tokens_before >= 6_400
    assert report.tokens_after <= report.target
    assert report.over_budget is False


def test_between_steps_of_a_turn_the_phase_is_step() -> None:
    assert Scene("U:task " + "A[c1] T(c1):900 " * 9).report().phase is Phase.STEP


def test_counts_of_the_report_are_those_of_the_view() -> None:
    scene = Scene(LONG)
    fitted = scene.fit()
    assert fitted.report is not None
    sources = {item.source for item in fitted.items if item.source}
    assert fitted.report.dropped == len(scene.transcript.records) - len(sources)
    assert fitted.report.truncated == sum(item.changed for item in fitted.items if item.source)


def test_a_fit_alters_no_entry_and_appends_what_it_decided() -> None:
    scene = Scene(LONG)
    before = scene.transcript.log.entries
    scene.fit()
    assert scene.transcript.log.entries[: len(before)] == before
    assert kinds(scene)[len(before) :] == ["FrameEntry", "CheckpointEntry", "ReportEntry"]


def test_the_report_that_is_given_is_the_one_that_is_kept() -> None:
    scene = Scene(LONG)
    report = scene.report()
    assert scene.transcript.log.entries[-1].payload == ReportEntry(report)


def test_a_fit_that_nobody_commits_leaves_no_trace() -> None:
    scene = Scene(LONG)
    before = scene.transcript.log.entries
    first = scene.fit(commit=False)
    assert scene.transcript.log.entries == before
    assert scene.fit(commit=False).texts == first.texts


def test_the_frame_is_logged_when_it_changes() -> None:
    scene = Scene("U:task", system="Be brief.")
    scene.fit()
    scene.say("A:done U:next").fit()
    assert kinds(scene).count("FrameEntry") == 1
    scene.frame = Scene(system="Be careful.").frame
    scene.say("A:done U:last").fit()
    assert kinds(scene).count("FrameEntry") == 2


def test_one_fit_does_not_call_for_the_next() -> None:
    scene = Scene(LONG)
    assert scene.fit().report is not None
    assert scene.fit().report is None
    assert scene.say("A:a:200 U:q:200").fit().report is None


def test_the_same_state_gives_the_same_bytes_in_a_new_process() -> None:
    scene = Scene(LONG)
    scene.fit()
    scene.say("A[c2] T(c2):5k")
    scene.fit()
    scene.say("A:done U:last")
    other = scene.again()
    assert other.fit(commit=False).body() == scene.fit(commit=False).body()


def test_between_two_fits_the_view_only_grows() -> None:
    scene = Scene("U:task")
    sent: list[str] = []
    fits = 0
    for step in range(40):
        fitted = scene.say(f"A[c{step}] T(c{step}):300").fit()
        if fitted.report is None:
            assert list(fitted.texts[: len(sent)]) == sent
        else:
            fits += 1
        sent = list(fitted.texts)
    assert 3 <= fits <= 8


def test_ignoring_every_checkpoint_gives_the_whole_transcript() -> None:
    scene = Scene(LONG)
    scene.fit()
    messages = [entry.payload for entry in scene.transcript.log.entries if isinstance(entry.payload, MessageEntry)]
    plain = Transcript(Log())
    plain.append(*[payload.message for payload in messages])
    assert [record.message for record in plain.records] == [record.message for record in scene.transcript.records]
    engine = Engine(plain, dialect="openai_chat")
    assert shown(engine.fit(scene.frame, Policy(), window=1_000_000).items) == LONG


def test_a_larger_window_shows_the_whole_transcript_again() -> None:
    scene = Scene(LONG)
    scene.fit()
    scene.window = 32_000
    fitted = scene.fit()
    assert shown(fitted.items) == LONG
    assert fitted.report is not None
    assert (fitted.report.reason, fitted.report.resolved_by) == (FitReason.CHECKPOINT_LIFTED, ResolvedBy.NONE)
    assert fitted.report.tokens_after == fitted.report.tokens_full


def test_what_was_lifted_stays_lifted() -> None:
    scene = Scene(LONG)
    scene.fit()
    scene.window = 32_000
    scene.fit()
    for _ in range(3):
        assert scene.say("A:a U:q").fit().report is None
    assert shown(scene.again().fit().items).startswith(LONG)


def test_a_window_that_is_only_a_little_larger_lifts_nothing() -> None:
    scene = Scene(LONG)
    view = scene.view()
    scene.window = 10_000
    assert scene.view() == view


def test_growth_of_what_is_known_does_not_lift_a_checkpoint() -> None:
    scene = Scene("U:task " + "U:q:200 A:a:400 " * 11 + "U:next")
    fitted = scene.fit()
    assert fitted.report is not None
    scene.used(fitted, fitted.sent.price // 2)  # by this count the whole transcript would be far below the budget
    assert scene.say("A:a U:q").fit().report is None


def test_a_smaller_window_fits_before_the_next_request() -> None:
    scene = Scene(LONG, window=32_000)
    assert scene.fit().report is None
    scene.window = 4_000
    report = scene.say("A:a U:q").report()
    assert report.budget == 3_200
    assert report.tokens_after < 3_200


def test_back_and_forth_between_two_windows_shows_what_each_can_hold() -> None:
    scene = Scene(LONG)
    small = scene.view()
    scene.window = 32_000
    assert scene.view() == LONG
    scene.window = 8_000
    assert scene.view() == small


def test_an_undone_fit_is_planned_again_from_the_originals() -> None:
    scene = Scene("U:task A[c1] T(c1):9k A:a:1k U:next")
    first = scene.fit()
    scene.say("A:a:4k U:last")
    second = scene.fit()
    assert second.checkpoint is not None
    scene.transcript.record(UndoEntry(second.checkpoint.id))
    third = scene.fit()
    assert third.checkpoint is not None
    assert third.checkpoint.parent is None
    assert first.report is not None
    assert third.report is not None
    assert third.report.tokens_before == third.report.tokens_full > second.tokens


def test_a_checkpoint_that_does_not_match_is_ignored_and_the_report_says_why() -> None:
    scene = Scene(LONG)
    checkpoint = scene.fit().checkpoint
    assert checkpoint is not None
    branch = scene.transcript.branch_from("A:a:100#3", why="rewind")
    branch.record(CheckpointEntry(checkpoint))
    other = Scene(transcript=branch)
    fitted = other.fit()
    assert "…" not in shown(fitted.items)
    assert fitted.report is not None
    assert fitted.report.ignored == (f"{checkpoint.id}: reaches to a message that is not on this branch",)


def test_an_ignored_checkpoint_is_told_once() -> None:
    scene = Scene(LONG)
    checkpoint = scene.fit().checkpoint
    assert checkpoint is not None
    branch = scene.transcript.branch_from("A:a:100#3", why="rewind")
    branch.record(CheckpointEntry(checkpoint))
    other = Scene(transcript=branch)
    assert other.fit().report is not None
    assert other.say("U:q A:a U:q").fit().report is None


def test_repairs_are_told_once() -> None:
    scene = Scene("U:task A[c1] U:next A:done U:last")
    report = scene.report()
    assert (report.reason, report.repaired, report.repairs) == (FitReason.REPAIRED, 1, (("calls", 1),))
    assert scene.say("A:done U:more").fit().report is None


def test_a_second_repair_is_told_too() -> None:
    scene = Scene("U:task A[c1] U:next A:done U:last")
    scene.fit()
    assert scene.say("A[c2] U:more A:done U:end").report().repaired == 2


def test_an_empty_transcript_gives_a_request_that_is_valid() -> None:
    assert Scene(dialect="anthropic").fit().messages() == [
        {
            "role": "user",
            "content": "[context: what came before this is not part of the conversation]",
        }
    ]


def test_the_request_is_what_an_sdk_takes() -> None:
    fitted = Scene("U:task", system="Be brief.", temperature=0.5).fit()
    assert fitted.request() == {
        "model": "m",
        "temperature": 0.5,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "task"}],
    }


def test_half_a_surrogate_pair_is_shown_as_a_strict_reader_takes_it() -> None:
    scene = Scene()
    message, _ = wire("openai_chat").read_message(json.dumps({"role": "user", "content": "\ud83d"}), id="U:odd")
    scene.transcript.append(message)
    assert scene.fit().request()["messages"] == [{"role": "user", "content": "\ufffd"}]
    assert scene.transcript.records[0].message.text == "\ud83d"
