"""`unabridged agent --print` from outside: what it prints, what it exits with, and that its session stays whole."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.terminal.running import headless, started
from unabridged.store import open_store
from unabridged.testing import Asked, Call, Failure, FakeProvider, Reply, Scripted, serving
from unabridged.transcript import Transcript

TODO = Call("todo", '{"todos": [{"content": "look", "status": "completed"}]}')


class Slow:
    """Answers the first request at once, and the second when it is let go."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.go = threading.Event()

    def reply(self, asked: Asked) -> Reply:
        if asked.number == 0:
            return Reply(text="Looking.", calls=(TODO,))
        self.asked.set()
        self.go.wait(30)
        return Reply(text="Late.")


def served(*lines: Reply | Failure | str, window: int = 32_000) -> Any:
    return serving(FakeProvider(Scripted(lines), window=window))


def objects(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines()]


def test_the_answer_and_nothing_else_is_printed(tmp_path: Path) -> None:
    with served(Reply(calls=(TODO,)), "All is well.") as url:
        done = headless(url, tmp_path, "-p", "Look around")

    assert (done.returncode, done.stdout, done.stderr) == (0, "All is well.\n", "")


def test_what_is_piped_in_is_added_to_what_is_asked(tmp_path: Path) -> None:
    provider = FakeProvider(Scripted(["Fine."]))
    with serving(provider) as url:
        done = headless(url, tmp_path, "-p", "Review this:", piped="+ a line\n")

    assert done.returncode == 0
    assert provider.served[0].body["messages"][-1]["content"] == "Review this:\n\n+ a line"


def test_a_prompt_without_a_terminal_is_answered_as_with_print(tmp_path: Path) -> None:
    with served("Hello.") as url:
        assert headless(url, tmp_path, "Say hello").stdout == "Hello.\n"


def test_the_object_says_what_the_turn_came_to(tmp_path: Path) -> None:
    with served(Reply(calls=(TODO,)), "Done so.") as url:
        done = headless(url, tmp_path, "-p", "Work", "--json", "--window", "32000")

    (result,) = objects(done.stdout)
    assert (result["status"], result["text"], result["steps"]) == ("completed", "Done so.", 2)
    assert (result["model"], result["window"], result["reports"]) == ("fake", 32_000, [])
    assert result["usage"]["input"] > 0
    with open_store(tmp_path / "sessions.db") as store:
        assert store.project(str((tmp_path / "project").resolve())).has(result["session"])


def test_the_stream_has_the_events_the_fits_and_the_result_last(tmp_path: Path) -> None:
    note = "A sentence that says little, again and again. " * 140
    work = [Reply(text=note, calls=(TODO,)) for _ in range(5)]
    with served(*work, "Done.", window=8_000) as url:
        done = headless(url, tmp_path, "-p", "Work", "--stream-json", "--window", "8000")

    frames = objects(done.stdout)
    kinds = [frame["type"] for frame in frames]
    assert (kinds[0], kinds[-2:], done.returncode) == ("step", ["ended", "result"], 0)
    assert {"streamed", "usage", "call_waits", "call_runs", "call_ended", "moved", "context"} <= set(kinds)
    fits = [frame["report"] for frame in frames if frame["type"] == "context"]
    assert [fit for fit in fits if fit["phase"] != "compacting"] == frames[-1]["reports"]
    assert all(fit["tokens_after"] <= fit["budget"] for fit in frames[-1]["reports"])


@pytest.mark.parametrize(
    ("lines", "options", "code", "status"),
    [
        ([Failure(status=401, says="Incorrect API key")], (), 1, "model_error"),
        ([Reply(calls=(TODO,))] * 3, ("--max-steps", 2), 4, "max_steps"),
        ([Reply(calls=(TODO,))] * 3, ("--token-budget", 10), 4, "token_budget"),
        ([Reply(calls=(TODO,))] * 9, (), 4, "loop"),
    ],
)
def test_how_a_turn_ended_is_the_exit_code(
    tmp_path: Path, lines: list[Reply | Failure | str], options: tuple[object, ...], code: int, status: str
) -> None:
    with served(*lines) as url:
        done = headless(url, tmp_path, "-p", "Work", "--json", *options)

    assert (done.returncode, objects(done.stdout)[0]["status"]) == (code, status)


def test_what_was_asked_for_and_is_not_shown_exits_with_3(tmp_path: Path) -> None:
    with served("Done.", "Really done.") as url:
        done = headless(url, tmp_path, "-p", "Fix it and run the tests")

    assert (done.returncode, done.stdout) == (3, "Really done.\n")
    assert "completed unverified" in done.stderr


@pytest.mark.parametrize(
    "options", [("--threshold", 80), ("--mode", "wild"), ("--json", "--stream-json"), ("--max-steps", 0), ()]
)
def test_options_that_cannot_work_exit_with_2(tmp_path: Path, options: tuple[object, ...]) -> None:
    asked = ("-p", "Work", *options) if options else ()
    done = headless("http://127.0.0.1:9", tmp_path, *asked)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_what_is_missing_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    done = headless("http://127.0.0.1:9", tmp_path, "-p", "Work", "--cwd", tmp_path / "nowhere")

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "nowhere: name one that is there" in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_a_session_that_goes_on(tmp_path: Path, number: signal.Signals, code: int) -> None:
    slow = Slow()
    with serving(FakeProvider(slow)) as url:
        running = started(url, tmp_path, "-p", "Work", "--json")
        assert slow.asked.wait(30)
        running.send_signal(number)
        out, err = running.communicate(timeout=30)
        slow.go.set()

        (result,) = objects(out.decode())
        assert (running.returncode, result["status"], err) == (code, "interrupted", b"")
        again = headless(url, tmp_path, "--continue", "--json")

    (went_on,) = objects(again.stdout)
    assert (again.returncode, went_on["text"], went_on["session"]) == (0, "Late.", result["session"])


def test_a_call_that_was_open_is_told_of(tmp_path: Path, killed: str) -> None:
    with served("Went on.") as url:
        done = headless(url, tmp_path, "--continue", "--json")

    (result,) = objects(done.stdout)
    assert (result["session"], result["open_calls"]) == (killed, [["todo", "interrupted"]])


@pytest.fixture
def killed(tmp_path: Path) -> Generator[str]:
    """A session whose worker died in the middle of a call."""
    from unabridged import Conversation
    from unabridged.store.recovery import started as began

    (tmp_path / "project").mkdir()
    with open_store(tmp_path / "sessions.db") as store:
        session = store.project(str((tmp_path / "project").resolve())).create(title="Work")
        with session.turn():
            talk = Conversation(dialect="openai_chat", model="fake", log=session.log)
            talk.user("Work")
            function = {"name": "todo", "arguments": '{"todos": []}'}
            talk.add({"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]})
            began(session.log, Transcript(session.log).records[-1].message.id, "c1")
        yield session.id


def test_continuing_where_nothing_was_interrupted_asks_for_words(tmp_path: Path) -> None:
    with served("One.") as url:
        headless(url, tmp_path, "-p", "Work")
        done = headless(url, tmp_path, "--continue")

    assert (done.returncode, done.stdout) == (1, "")
    assert "say what is to be done" in done.stderr


def test_a_session_is_opened_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    provider = FakeProvider(Scripted(["One.", "Two."]))
    with serving(provider) as url:
        (first,) = objects(headless(url, tmp_path, "-p", "Begin", "--json").stdout)
        done = headless(url, tmp_path, "--resume", first["session"][:8], "-p", "Go on", "--json")

    assert objects(done.stdout)[0]["session"] == first["session"]
    assert [m["content"] for m in provider.served[1].body["messages"][-3:]] == ["Begin", "One.", "Go on"]
