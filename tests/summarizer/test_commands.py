from __future__ import annotations

import pytest

from tests.summarizer.spans import called, ran, record_of, span, summary_of
from unabridged.message import Message, Origin, Role, Text, ToolCall, ToolResult
from unabridged.summarizer.record import Ran, Record

PYTEST = """============================= FAILURES =============================
E       assert 1 == 2
FAILED tests/test_auth.py::test_login - assert 1 == 2
========================= 1 failed, 3 passed in 0.12s ========================="""
TRACEBACK = """Traceback (most recent call last):
  File "run.py", line 3, in <module>
    main()
ValueError: inner

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "run.py", line 9, in <module>
RuntimeError: the queue at port 8431 is gone"""


def only(runs: tuple[Ran, ...]) -> Ran:
    (ran,) = runs
    return ran


@pytest.mark.parametrize(
    ("result", "error", "outcome"),
    [
        ("Exit code 2\nmake: *** [all] Error 2", True, "exit 2"),  # Claude Code
        ("Exit code: 1\nWall time: 0.3 seconds\nOutput:\nno", False, "exit 1"),  # Codex
        ("Chunk ID: a6\nWall time: 0.6 seconds\nProcess exited with code 3\nOutput:\nno", False, "exit 3"),  # Codex
        ('{"output":"no","metadata":{"exit_code":4,"duration_seconds":0.1}}', False, "exit 4"),  # Codex, older
        ("Command: make\nDirectory: (root)\nOutput: no\nError: (none)\nExit Code: 5\nSignal: (none)", False, "exit 5"),
        (
            "no\n[The command completed with exit code 6.]\n[Current working directory: /w]",
            False,
            "exit 6",
        ),  # OpenHands
        ("no\n[Command finished with exit code 7]", False, "exit 7"),
        ("<returncode>8</returncode>\n<output>\nno\n</output>", False, "exit 8"),  # mini-SWE-agent
        ("no\n<exited with exit code 9>", False, "exit 9"),  # Copilot CLI
        ("no\n<shellId: 0 completed with exit code 10>", False, "exit 10"),
        ("no\n\nCommand exited with code 11", True, "exit 11"),  # pi
        ("EXIT CODE: 12\n\nSTDOUT:\nno", False, "exit 12"),
        ("no", True, "failed"),
    ],
)
def test_an_exit_code_is_read_in_the_form_that_each_client_gives_it(result: str, error: bool, outcome: str) -> None:
    assert only(record_of(ran("make all", result, error=error)).failures).outcome == outcome


def test_a_success_with_a_code_says_so_and_one_without_is_ok() -> None:
    record = record_of(ran("make a", "Exit code: 0\nOutput:\nfine"), ran("make b", "fine"))
    assert [(run.what, run.outcome) for run in record.commands] == [("make a", "exit 0"), ("make b", "ok")]


def test_an_exit_code_in_the_middle_of_an_output_is_the_outputs_own() -> None:
    log = "starting\nexit code: 7\n" + "more lines of a log\n" * 60
    assert record_of(ran("make all", log)).failures == ()


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (PYTEST, "FAILED tests/test_auth.py::test_login - assert 1 == 2"),
        (TRACEBACK, "RuntimeError: the queue at port 8431 is gone"),
        ("building\nsrc/a.go:12:3: undefined: x\nsrc/b.go:1:1: also", "src/a.go:12:3: undefined: x"),
        ("STDOUT:\n\nSTDERR:\nE: Could not open lock file", "E: Could not open lock file"),
        ("one\ntwo\nthe last line", "the last line"),
        ("", ""),
    ],
)
def test_a_failure_says_what_its_output_says_most_clearly(output: str, says: str) -> None:
    assert only(record_of(ran("make all", f"Exit code 1\n{output}", error=True)).failures).says == says


def test_a_pipe_does_not_hide_a_failure() -> None:
    failure = only(record_of(ran("pytest 2>&1 | tail -20", PYTEST)).failures)
    assert failure.outcome == "failed by its output"


def test_a_log_that_is_shown_is_no_failure_of_what_shows_it() -> None:
    assert record_of(ran("cat build.log | tail -5", PYTEST)).failures == ()


def test_a_failure_is_mended_when_the_same_command_succeeds_afterwards() -> None:
    record = record_of(ran("make test", "Exit code 2\nboom", error=True), ran("make test", "all fine"))
    assert only(record.failures).mended
    assert "succeeded later" in summary_of(ran("make test", "Exit code 2", error=True), ran("make test", "fine"))


def test_a_failure_is_not_mended_by_what_came_before_it() -> None:
    record = record_of(ran("make test", "fine"), ran("make test", "Exit code 2\nboom", error=True))
    assert not only(record.failures).mended


def test_a_failure_is_not_mended_by_the_same_command_in_another_folder() -> None:
    record = record_of(ran("cd a && npm test", "Exit code 1", error=True), ran("cd b && npm test", "fine"))
    assert not only(record.failures).mended


def test_a_failure_in_an_earlier_summary_is_mended_by_a_later_span() -> None:
    earlier = summary_of(ran("make test", "Exit code 2\nboom", error=True))
    record = record_of(ran("make test 2>&1 | tail -3", "Exit code: 0\nfine"), previous=earlier)
    assert only(record.failures) == Ran(what="make test", outcome="exit 2", says="boom", failed=True, mended=True)


def test_an_edit_that_worked_at_the_second_try_is_not_worth_a_line() -> None:
    edit = {"file_path": "/a.py", "old_string": "x", "new_string": "y"}
    record = record_of(called("Edit", edit, "String to replace not found", error=True), called("Edit", edit, "updated"))
    assert (record.failures, record.commands) == ((), ())


@pytest.mark.parametrize(
    "command",
    [
        "ls -la && cat README.md",
        "cd src && grep -rn 'def main' . | head -5",
        "git status --short && git diff HEAD~1 -- a.py | head",
        "git -C /repo log --oneline -5",
        "sed -n '1,40p' a.py",
        "gh pr view 12 --json title",
        "for f in *.py; do wc -l $f; done",
        "FOO=1 timeout 5 cat a.txt",
        "npm ls --depth 0",
        "python3 --version",
    ],
)
def test_what_only_looks_is_not_listed(command: str) -> None:
    record = record_of(ran(command, "output"))
    assert (record.commands, record.failures) == ((), ())


@pytest.mark.parametrize(
    "command",
    ["make", "git commit -m 'x'", "git push", "npm run build", "python a.py", "gh pr create -t x", "docker up"],
)
def test_what_does_something_is_listed(command: str) -> None:
    assert only(record_of(ran(command, "output")).commands).what == command


def test_a_commit_says_which_one_it_is() -> None:
    output = "[main 9759b67d] use the private remote\n 1 file changed, 2 insertions(+)"
    assert only(record_of(ran("git commit -am x", output)).commands).says == "[main 9759b67d] use the private remote"


def test_a_call_of_any_other_tool_is_told_with_its_arguments() -> None:
    arguments = {"reservation_id": "JG7FMM", "cabin": "economy", "flights": [{"number": "HAT028"}]}
    run = only(record_of(called("update_reservation_flights", arguments, '{"price": 241}')).commands)
    assert run.what == "update_reservation_flights reservation_id=JG7FMM, cabin=economy, flights=[[HAT028]]"
    assert run.says == '{"price": 241}'


def test_a_call_that_a_person_declined_says_so() -> None:
    declined = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    assert only(record_of(ran("rm -rf data", declined, error=True)).commands).outcome == "declined by the user"


def test_a_command_that_still_runs_is_no_success() -> None:
    record = record_of(
        ran("make test", "Exit code 2", error=True), ran("make test", "Command running in background with ID: b7")
    )
    assert not only(record.failures).mended


def test_a_command_in_the_background_has_the_outcome_that_a_later_look_at_it_gave() -> None:
    started = "Chunk ID: a6\nWall time: 1.0 seconds\nProcess running with session ID 43225\nOutput:\n"
    ended = "Chunk ID: a7\nWall time: 9.0 seconds\nProcess exited with code 1\nOutput:\nerror: no such target"
    record = record_of(
        called("exec_command", {"cmd": "make all"}, started),
        called("write_stdin", {"session_id": 43225, "chars": ""}, ended),
    )
    assert record.failures == (Ran(what="make all", outcome="exit 1", says="error: no such target", failed=True),)


def test_a_call_without_a_result_is_listed_as_such() -> None:
    message = Message(
        id="x", role=Role.ASSISTANT, parts=(ToolCall("c", "bash", '{"command":"make"}'),), origin=Origin.MODEL
    )
    assert only(record_of(message).commands).outcome == "no result"


def test_a_result_belongs_to_the_nearest_earlier_open_call() -> None:
    first, second = ran("make one"), ran("make two")
    messages = span(first[0], second[0], second[1])
    answered = Message(
        id="r", role=Role.TOOL, parts=(ToolResult("c", (Text("Exit code: 3"),)),), origin=Origin.TOOL_FEEDBACK
    )
    record: Record = record_of([*messages[:2], answered])
    assert only(record.failures).what == "make two"
    assert only(record.commands).outcome == "no result"


def test_a_long_command_is_shown_in_part_and_is_still_the_same_command() -> None:
    script = "python - <<'EOF'\n" + "\n".join(f"print({number})" for number in range(200)) + "\nEOF"
    record = record_of(ran(script, "Exit code 1", error=True), ran(script, "fine"))
    assert len(only(record.failures).what) <= 180
    assert only(record.failures).mended
