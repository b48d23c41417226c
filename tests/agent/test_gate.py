"""The completion gate: what a person asks to be shown, by the meaning of a sentence, and what the log shows."""

from __future__ import annotations

import json

import pytest

from unabridged import Conversation
from unabridged.agent.gate import CompletionGate
from unabridged.agent.gate.requests import Check, checks_in

ASKED = {
    "please run the tests": {Check.TESTS},
    "Fix the failing test.": {Check.TESTS},
    "Fix the bug in parser.py and make sure all tests pass": {Check.TESTS},
    "Can you run the test suite and fix lint errors?": {Check.TESTS, Check.LINT},
    "could you please get the tests green": {Check.TESTS},
    "run pytest -q tests/unit until it passes": {Check.TESTS},
    "The tests should all pass afterwards.": {Check.TESTS},
    "implement X (tests must stay green)": {Check.TESTS},
    "make sure it still builds": {Check.BUILD},
    "Build the project and run mypy": {Check.BUILD, Check.TYPES},
    "check that the linter is happy": {Check.LINT},
    "no type errors please: fix all mypy errors": {Check.TYPES},
    "Why is it slow? Find out, then run the tests.": {Check.TESTS},
    "运行测试": {Check.TESTS},
    "确保测试全部通过": {Check.TESTS},
    "Bitte die Tests ausführen.": {Check.TESTS},
    "testleri çalıştır": {Check.TESTS},
}
NOTHING = (
    "How does the build work in this repo?",
    "Build me a todo app",
    "build a CLI for the parser",
    "这个项目的构建流程是怎样的？",
    "explain what a unit test is",
    "what is 2+2?",
    "Is the build broken?",
    "Which tests cover the parser?",
    "add a test for foo",
    "Write unit tests for the parser",
    "Refactor foo. Don't run the tests.",
    "Refactor foo without running the tests",
    "Create AGENTS.md: describe how to build and test this project.",
    "Add type hints to the module",
    "```\nrun the tests\n```\nwhat does this say?",
    "> please run the tests\nThat is what he wrote. Translate it.",
    "不要运行测试",
    "Tell me how to run the tests",
)


@pytest.mark.parametrize("text", ASKED)
def test_what_is_asked_for_is_seen(text: str) -> None:
    assert set(checks_in(text)) == ASKED[text]


@pytest.mark.parametrize("text", NOTHING)
def test_questions_and_other_work_ask_for_nothing(text: str) -> None:
    assert list(checks_in(text)) == []


class Talk:
    """A turn, call by call."""

    def __init__(self, task: str) -> None:
        self.talk = Conversation(model="m", window=50_000)
        self.talk.user(task)
        self._count = 0

    def call(self, name: str, result: str, **arguments: object) -> Talk:
        self._count += 1
        id = f"c{self._count}"
        function = {"name": name, "arguments": json.dumps(arguments)}
        called = {"id": id, "type": "function", "function": function}
        self.talk.add({"role": "assistant", "content": None, "tool_calls": [called]})
        self.talk.result(id, result)
        return self

    def answers(self, text: str = "Done.") -> str:
        self.talk.add({"role": "assistant", "content": text})
        return CompletionGate().missing(self.talk)


PASSED = "3 passed in 0.1s\n[exit 0, 0.3 s, sandbox: landlock]"
FAILED = "1 failed, 2 passed\n[exit 1, 0.3 s, sandbox: none]"
KILLED = "\n[ended by SIGKILL, 0.3 s, sandbox: none]"


def test_a_command_that_passed_after_the_last_change_is_enough() -> None:
    talk = Talk("Fix it and run the tests.").call("edit", "ok", path="a.py", edits=[{"old": "a", "new": "b"}])
    assert talk.call("shell", PASSED, command="pytest -q").answers() == ""


def test_a_change_after_the_command_wants_another_run() -> None:
    talk = Talk("Fix it and run the tests.").call("shell", PASSED, command="pytest -q")
    assert "a.py was changed after `pytest -q` ran" in talk.call("write", "ok", path="a.py", content="x").answers()


def test_a_command_that_failed_or_went_on_shows_nothing() -> None:
    assert "ended with exit 1" in Talk("Run the tests.").call("shell", FAILED, command="pytest").answers()
    assert "ended with ended by" not in Talk("Run the tests.").call("shell", KILLED, command="pytest").answers()
    assert "SIGKILL" in Talk("Run the tests.").call("shell", KILLED, command="pytest").answers()
    piped = "=== 1 failed, 2 passed in 1s ===\n[exit 0, 1.0 s, sandbox: none]"
    hidden = Talk("Run the tests.").call("shell", piped, command="pytest | tail")
    assert "wrote that it failed" in hidden.answers()
    waits = Talk("Run the tests.").call(
        "shell", "started as job-1; read what it writes with job_output\n[sandbox: none]", command="pytest"
    )
    assert "no command of this turn ran that" in waits.answers()


def test_other_commands_show_nothing() -> None:
    assert "no command" in Talk("Run the tests.").call("shell", PASSED, command="ls tests").answers()


def test_open_to_dos_of_this_turn_are_named_and_older_ones_are_not() -> None:
    todos = [{"content": "Write docs", "status": "pending"}, {"content": "Fix", "status": "completed"}]
    talk = Talk("Do both.").call("todo", "ok", todos=todos)
    assert talk.answers() == "To-dos are open: Write docs."
    talk.talk.user("What is 2+2?")
    assert talk.answers("4") == ""


def test_an_answer_that_asks_the_person_is_no_end() -> None:
    assert Talk("Run the tests.").answers("Which of the two suites do you mean?") == ""
