"""The agent in a real terminal: what is typed, what is shown."""

from __future__ import annotations

import stat
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.agent.terminal.running import MAIN, environment, options
from tests.agent.terminal.tmux import Terminal, needs_tmux
from tests.shared import REPOSITORY
from unabridged.testing import Asked, Call, FakeProvider, Model, Reply, Scripted, serving

pytestmark = needs_tmux
EDIT = Call("edit", '{"path": "a.py"}')
LONG = "A sentence that says little, again and again, and takes room. " * 40


@contextmanager
def talking(home: Path, model: Model, *more: object, width: int = 100, **variables: str) -> Generator[Terminal]:
    """The command as a user types it."""
    with serving(FakeProvider(model, window=16_000)) as url:
        asked = [*MAIN, *options(url, home, "--window", 16_000, *more)]
        with Terminal(asked, environment(home, **variables), width=width) as terminal:
            yield terminal


@contextmanager
def working(home: Path, model: Model, *text: str) -> Generator[Terminal]:
    """The same with tools that ask before they do something."""
    (home / "project").mkdir(exist_ok=True)
    with serving(FakeProvider(model, window=16_000)) as url:
        program = str(REPOSITORY / "tests" / "agent" / "terminal" / "small_tools.py")
        asked = [sys.executable, program, str(home / "project"), str(home / "sessions.db"), url, *text]
        with Terminal(asked, environment(home)) as terminal:
            yield terminal


def test_an_answer_is_drawn_and_the_line_below_says_how_full_the_window_is(tmp_path: Path) -> None:
    with talking(tmp_path, Scripted(["All is **well**.\n\n- one\n- two\n"])) as terminal:
        terminal.type("Look around")
        shown = terminal.until("All is well.", " • one", "fake · ask · project", "k/16k)")
        assert "> Look around" in shown.replace("\u203a", ">")
        terminal.press("C-d")
        assert terminal.ended() == 0
        assert "go on with: unabridged agent --resume" in terminal.shown()
    kept = tmp_path / "data" / "unabridged" / "agent_history"
    assert "+Look around" in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_what_is_opened_again_shows_its_end(tmp_path: Path) -> None:
    with talking(tmp_path, Scripted(["The first answer."]), "-p", "Begin here") as terminal:
        assert terminal.ended() == 0
    with talking(tmp_path, Scripted(["The second answer."]), "--continue") as terminal:
        terminal.until("Begin here", "The first answer.", "(2 messages)")
        terminal.type("/new")
        terminal.until("a new session; the one before stays")
        terminal.type("/resume")
        terminal.until("resume which (a number)", "Begin here")
        terminal.type("1")
        terminal.until("Begin here (2 messages)")
        terminal.type("And now?")
        terminal.until("The second answer.")


def test_commands_that_look(tmp_path: Path) -> None:
    with talking(tmp_path, Scripted(["Fine."])) as terminal:
        terminal.type("Begin")
        terminal.until("Fine.")
        for typed, words in (
            ("/help", ["/undo-rewind", "Shift-Tab"]),
            ("/hlep", ["there is no command /hlep: did you mean /help?"]),
            ("/context", ["of 16k:", "constitution", "your words"]),
            ("/context why 1", ["nothing was ever taken out of it"]),
            ("/usage", ["1 answer in this session"]),
            ("/sessions", ["Begin", "entries"]),
            ("/diff", ["has changed no files"]),
            ("/model", ["fake, as asked for"]),
            ("/mode auto", ["mode: auto"]),
            ("/plan", ["mode: plan"]),
            ("/fork", ["going on on branch branch-1"]),
            ("/rewind 1", ["rewound to before message 1"]),
        ):
            terminal.press("C-u")
            terminal.type(typed)
            terminal.until(*words)
        terminal.press("C-u")
        terminal.type("/undo-rewind")
        terminal.until("the rewind is taken back")
        terminal.type("/model other")
        terminal.until("going on with other")
        terminal.type("/exit")
        assert terminal.ended() == 0


def test_a_compaction_is_a_divider_and_can_be_taken_back(tmp_path: Path) -> None:
    answers = [f"{LONG * 3}\n\nAnswer {number}." for number in range(4)]  # enough to be worth a summary
    summary = "The user said go on four times, and each answer was a sentence that says little."
    with talking(tmp_path, Scripted([*answers, summary])) as terminal:
        for number in range(4):
            terminal.type("Go on")
            terminal.until(f"Answer {number}.")
        terminal.type("/compact")
        terminal.until("asked for", "Nothing is deleted: /uncompact takes it back")
        terminal.type("/uncompact")
        terminal.until("the view is planned anew from the originals")
        terminal.type("/compact --dry-run")
        terminal.until("the view would come to")


@pytest.mark.parametrize(("key", "shown"), [("y", "✓ edit a.py"), ("n", "⊘ edit a.py")])
def test_an_edit_is_shown_and_asked_about(tmp_path: Path, key: str, shown: str) -> None:
    with working(tmp_path, Scripted([Reply(calls=(EDIT,)), "Done."]), "Edit it") as terminal:
        terminal.until("? edit", "-old line", "+new line", "y yes, once", "a always", "n no")
        terminal.press(key)
        if key == "n":
            terminal.until("no: what instead?")
            terminal.type("leave it alone")
        terminal.until(shown, "Done.")


def test_what_is_allowed_for_the_session_is_not_asked_again_and_files_are_put_back(tmp_path: Path) -> None:
    with working(tmp_path, Scripted([Reply(calls=(EDIT,)), Reply(calls=(EDIT,)), "Both done."]), "Edit") as terminal:
        terminal.until("s this session")
        terminal.press("s")
        terminal.until("Both done.", "no sandbox")
        terminal.type("/diff")
        terminal.until("+after")
        terminal.type("/rewind")
        terminal.until("go back to before which")
        terminal.type("1")
        terminal.until("These files would be put back:", "a.py", "b both")
        terminal.press("b")
        terminal.until("2 files put back")


@pytest.mark.parametrize("key", ["Escape", "C-c"])
def test_a_turn_is_interrupted_in_the_middle_of_a_call(tmp_path: Path, key: str) -> None:
    waiting = Call("shell", '{"command": "make wait"}')
    with working(tmp_path, Scripted([Reply(calls=(waiting,)), "Went on."]), "Sleep") as terminal:
        terminal.until("? shell", "make wait")
        terminal.press("y")
        terminal.until("● shell make wait", "running make wait")
        terminal.press(key)
        terminal.until("interrupted: what was done so far is kept")
        terminal.type("Go on")
        terminal.until("Went on.")
        terminal.type("!ls")
        terminal.until("✓ shell ls  exit 0")
        terminal.press("C-c")
        terminal.press("C-c")
        assert terminal.ended() == 0


def test_a_question_is_left_with_escape_and_with_control_c(tmp_path: Path) -> None:
    with working(tmp_path, Scripted([Reply(calls=(EDIT,))] * 2), "Edit") as terminal:
        terminal.until("y yes, once")
        terminal.press("Escape")
        terminal.until("no: what instead?")
        terminal.press("Escape")
        terminal.until("⊘ edit a.py", "y yes, once")
        terminal.press("C-c")
        terminal.until("interrupted: what was done so far is kept")


class Waiting:
    """Answers when it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def reply(self, asked: Asked) -> Reply:
        self.go.wait(60)
        return Reply(text=f"Answer {asked.number}.")


def test_what_is_typed_while_a_turn_runs_is_sent_after_it(tmp_path: Path) -> None:
    model = Waiting()
    with talking(tmp_path, model) as terminal:
        terminal.type("First")
        terminal.until("thinking")
        terminal.type("Second\\")
        terminal.type("of two lines")
        terminal.until("queued: Second of two lines", "1 queued")
        terminal.type("/rewind")
        terminal.until("/rewind waits until nothing runs")
        model.go.set()
        terminal.until("Answer 0.", "Answer 1.")


def test_a_terminal_of_40_columns(tmp_path: Path) -> None:
    with talking(tmp_path, Scripted(["Fine, in a sentence that is longer than the line."]), width=40) as terminal:
        terminal.type("Begin")
        terminal.until("Fine, in a sentence", "fake · ask")
        terminal.type("/context")
        terminal.until("constitution")
        assert [line for line in terminal.shown().splitlines() if len(line.rstrip()) > 40] == []


def test_a_dumb_terminal_takes_lines(tmp_path: Path) -> None:
    with talking(tmp_path, Scripted(["Plainly **so**."]), TERM="dumb") as terminal:
        terminal.until("/help lists commands")
        terminal.type("Begin")
        terminal.until("Plainly so.")
        terminal.type("/exit")
        assert terminal.ended() == 0


def test_no_colour_where_none_is_wanted(tmp_path: Path) -> None:
    with talking(tmp_path, Scripted(["Fine."]), NO_COLOR="1") as terminal:
        terminal.type("Begin")
        terminal.until("Fine.", "fake · ask")
        shown = terminal.shown(colours=True)
        assert not any(f"\x1b[{code}m" in shown for code in (31, 32, 33, 36, 90))


def test_what_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    with talking(tmp_path, Scripted([]), "--add-dir", tmp_path / "nowhere") as terminal:
        assert terminal.ended() == 1
        assert "Traceback" not in terminal.until("nowhere: name one that is there")
