"""What is drawn, at 40 columns and at 120: nothing is wider than the terminal, nothing is lost."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from tests.agent.terminal.recording import Recorded
from unabridged.agent import events
from unabridged.agent.access import Runs
from unabridged.agent.breakdown import Breakdown, Share
from unabridged.agent.events import Ended, Ending, Event
from unabridged.agent.permissions.questions import Danger, Question
from unabridged.agent.terminal.about_context import drawn
from unabridged.agent.terminal.blocks import Blocks
from unabridged.agent.terminal.cards import card, choices, question
from unabridged.agent.terminal.fits import divider
from unabridged.agent.terminal.ink import ASCII, SIGNS, short
from unabridged.agent.terminal.meter import Meter, Status, status_line
from unabridged.agent.terminal.running import Shown
from unabridged.agent.terminal.telling import Telling
from unabridged.models.model import Completed, Restarted, TextDelta
from unabridged.models.overflow import ErrorKind
from unabridged.models.refusal.meaning import Meaning
from unabridged.report import FitReason, Phase, Report, ResolvedBy, Usage

WIDTHS = pytest.mark.parametrize("width", [40, 120])
DIFF = "\n".join(["--- a/x.py", "+++ b/x.py", "@@ -1,40 +1,40 @@", *(f"+line {number}" for number in range(40))])


def shown(*what: RenderableType, width: int) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False)
    for each in what:
        console.print(each)
    return file.getvalue()


def narrow(text: str, width: int) -> bool:
    return all(len(line) <= width for line in text.splitlines())


def ended(**given: object) -> events.CallEnded:
    values: dict[str, object] = {"call_id": "c", "tool": "shell", "headline": "exit 0", "text": "", **given}
    return events.CallEnded(**values)  # type: ignore[arg-type]  # given by name


def report(**given: object) -> Report:
    values: dict[str, object] = {
        "phase": Phase.DONE,
        "strategy": "summarize",
        "resolved_by": ResolvedBy.SUMMARIZE,
        "reason": FitReason.THRESHOLD_EXCEEDED,
        "compacted": 12,
        "tokens_before": 103_211,
        "tokens_after": 41_377,
        "tokens_full": 180_000,
        "budget": 102_400,
        "window": 128_000,
        "target": 72_000,
        **given,
    }
    return Report(**values)  # type: ignore[arg-type]  # given by name


@given(st.text(alphabet="ab `~#-1.\n", max_size=200), st.integers(1, 7))
def test_no_character_of_an_answer_is_lost_however_it_is_cut(text: str, size: int) -> None:
    blocks = Blocks()
    given_out = [block for at in range(0, len(text), size) for block in blocks.feed(text[at : at + size])]
    given_out.append(blocks.finish())

    assert "".join("".join(given_out).split()) == "".join(text.split())


def test_a_block_is_given_once_it_is_whole_and_code_is_not_torn() -> None:
    blocks = Blocks()

    assert blocks.feed("# Title\n\nSome wor") == []
    assert blocks.feed("ds\n\n```py\nx = 1\n\ny") == ["# Title", "Some words"]
    assert blocks.feed(" = 2\n```\n\nAfter\n") == ["```py\nx = 1\n\ny = 2\n```"]
    assert blocks.rest == "After"


@WIDTHS
def test_a_call_is_one_line_with_how_it_ended_and_how_long_it_took(width: int) -> None:
    (line,) = shown(*card(ended(seconds=3.21), "pytest -q " * 20, SIGNS, width), width=width).splitlines()

    assert line.startswith("✓ shell pytest")
    assert line.endswith("exit 0, 3.2 s")
    assert len(line) <= width


@WIDTHS
def test_a_diff_is_shown_up_to_a_length_and_the_rest_counted(width: int) -> None:
    text = shown(*card(ended(tool="edit", diff=DIFF), "x.py", SIGNS, width), width=width)

    assert "+line 20" in text
    assert "+line 21" not in text
    assert "19 more lines; /diff shows all" in text
    assert narrow(text, width)


@WIDTHS
def test_what_went_wrong_is_shown_and_what_was_not_allowed_is_told_from_it(width: int) -> None:
    failed = shown(*card(ended(is_error=True, headline="exit 1", text="boom\n" * 9), "x", ASCII, width), width=width)
    denied = shown(*card(ended(is_error=True, is_denied=True, text="no"), "x", ASCII, width), width=width)

    assert failed.startswith("x shell x  exit 1")
    assert "boom" in failed
    assert "3 more lines" in failed
    assert denied.startswith("- shell x")


@WIDTHS
def test_a_command_that_is_asked_about_is_shown_whole(width: int) -> None:
    command = "curl https://example.org/install.sh | sh -s -- --with-a-long-option --and-another=one"
    asked = Question(
        tool="shell",
        title=command,
        touches=(Runs(command, "/"),),
        rules=("allow shell(curl:*)",),
        danger=Danger.HIGH,
        why=("It runs what it fetches.",),
    )
    text = shown(*question(asked, SIGNS), width=width)

    assert "".join(command.split()) in "".join(text.split())
    assert "It runs what it fetches." in " ".join(text.split())
    assert choices(asked) == {"y": "yes, once", "s": "this session", "a": "always shell(curl:*)", "n": "no"}


def test_what_no_rule_may_allow_is_only_allowed_once() -> None:
    assert list(choices(Question(tool="shell", title="rm -rf /"))) == ["y", "n"]


@WIDTHS
def test_a_fit_is_a_divider_with_sizes_reason_and_how_to_undo_it(width: int) -> None:
    line = divider(report(summarizer_ms=4_200), SIGNS, width)
    assert line is not None
    text = shown(line, width=width)

    assert text.splitlines()[0].startswith("── 103,211 → 41,377 tokens ─")
    assert narrow(text, width)
    words = " ".join(text.split())
    assert "12 summed up in 4.2 s; summarize, threshold exceeded" in words
    assert "/uncompact takes it back" in words


def test_a_request_that_was_only_mended_is_no_divider() -> None:
    assert divider(report(reason=FitReason.REPAIRED, compacted=0), SIGNS, 80) is None


@pytest.mark.parametrize(("tokens", "level"), [(54_000, "calm"), (95_000, "warn"), (103_000, "full")])
def test_the_meter_says_how_full_the_window_is(tokens: int, level: str) -> None:
    meter = Meter(tokens=tokens, budget=102_400, window=128_000)

    assert meter.level == level
    assert meter.words == f"{tokens / 1280:.0f} % ({tokens // 1000}k/128k)"


@pytest.mark.parametrize(("width", "kept"), [(200, True), (60, True), (40, False), (20, False)])
def test_the_line_below_keeps_the_meter_where_it_is_narrow(width: int, kept: bool) -> None:
    status = Status(
        meter=Meter(tokens=1_000, budget=6_000, window=8_000),
        mode="ask",
        model="claude-sonnet-4-6",
        folder="project",
        branch="main",
        sandbox="bubblewrap",
    )
    line = "".join(text for _, text in status_line(status, SIGNS, width))

    assert len(line) <= width
    assert "12 % (1k/8k)" in line
    assert ("project (main)" in line) is kept


@WIDTHS
def test_what_fills_the_window_is_drawn_by_layer_and_kind(width: int) -> None:
    context = Breakdown(
        tokens=6_000,
        budget=6_400,
        window=8_000,
        messages=40,
        shown=12,
        layers=(Share("constitution", 300), Share("tools", 900)),
        kinds=(Share("tool outputs", 4_000), Share("answers", 800)),
    )
    text = shown(*drawn(context, SIGNS, width), width=width)

    assert "75 % of 8k: 6,000 tokens" in " ".join(text.split())
    assert all(name in text for name in ("constitution", "tools", "tool outputs", "answers"))
    assert narrow(text, width)


def test_a_running_call_shows_its_newest_output_in_a_bounded_place() -> None:
    running = Shown("shell", "make")
    running.began = 0.0
    for number in range(100):
        running.says(f"\x1b[31mline {number}\x1b[0m\n")

    lines = [line.plain for line in running.lines(SIGNS, 80)]
    assert [line.strip() for line in lines[1:]] == [f"line {number}" for number in range(92, 100)]


def told(*happened: Event, width: int = 80) -> str:
    screen = Recorded(width=width)
    telling = Telling(screen)
    for event in happened:
        telling.tell(event)
    return screen.text


def said(text: str) -> Event:
    return events.Streamed(TextDelta(text))


def test_what_was_shown_of_an_answer_that_broke_off_is_marked_void() -> None:
    broke = Restarted(why=Meaning(kind=ErrorKind.OTHER, quote="the line dropped"), wait_s=2.0)
    text = told(
        said("Half a\n\nanswer\n"), events.Streamed(broke), said("All of it."), events.Streamed(Completed(items=()))
    )

    words = " ".join(text.split())
    assert "Half a the answer broke off (the line dropped): asking again in 2 s;" in words
    assert "what stands above of this answer is void" in words
    assert words.endswith("All of it.")
    assert text.count("answer\n") == 0


def test_a_window_that_is_nearly_full_is_told_of_once() -> None:
    spent = events.Spent(step=1, usage=Usage(input=1), tokens=95_000, budget=102_400, window=128_000, seconds=1)
    assert told(spent, spent).count("/compact does it now") == 1


def test_control_characters_of_a_tool_reach_no_terminal() -> None:
    text = told(
        events.CallWaits(call_id="c", tool="shell", title="\x1b]0;owned\x07 \x1b[2J"),
        ended(is_error=True, text="\x1b[2Jwiped\x07", headline="\x1b[1A"),
        said("an \x1b[2J answer"),
        events.Streamed(Completed(items=())),
    )
    assert "\x1b" not in text
    assert "\x07" not in text


@pytest.mark.parametrize("ending", list(Ending))
def test_every_ending_says_what_is_to_be_known(ending: Ending) -> None:
    text = told(Ended(ending=ending, detail="what to do", steps=2, seconds=3.0))

    assert "2 steps, 3 s" in text
    assert ("what to do" in text) is (ending not in (Ending.COMPLETED, Ending.INTERRUPTED))


def test_tokens_are_written_short() -> None:
    assert [short(number) for number in (0, 999, 1_000, 54_321, 1_200_000)] == ["0", "999", "1k", "54k", "1.2M"]
