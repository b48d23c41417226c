"""Session memory: from the log, by rules, within its tokens."""

from __future__ import annotations

import json

from unabridged import Conversation
from unabridged.agent.memory import SessionMemory


def called(talk: Conversation, id: str, name: str, arguments: dict[str, object], result: str) -> None:
    function = {"name": name, "arguments": json.dumps(arguments)}
    made = {"id": id, "type": "function", "function": function}
    talk.add({"role": "assistant", "content": None, "tool_calls": [made]})
    talk.result(id, result)


def worked(talk: Conversation, nth: int) -> None:
    edits = [{"old": "a", "new": "b"}]
    called(talk, f"e{nth}", "edit", {"path": f"src/m{nth}.py", "edits": edits}, "edited")
    said = f"exit code: {nth % 2}\n1 {'failed' if nth % 2 else 'passed'}"
    called(talk, f"s{nth}", "shell", {"command": f"pytest tests/test_{nth}.py"}, said)


def test_it_holds_goal_changes_failures_and_to_dos() -> None:
    talk = Conversation(model="m", window=50_000)
    talk.user("Fix the parser. Never touch secrets.txt.")
    worked(talk, 0)
    worked(talk, 1)
    called(talk, "t", "todo", {"todos": [{"content": "Write docs", "status": "pending"}]}, "ok")
    talk.user("Also the lexer.")
    text = SessionMemory().text(talk.transcript)
    for said in ("Never touch secrets.txt", "Also the lexer", "src/m0.py", "pytest tests/test_1.py", "Write docs"):
        assert said in text


def test_it_is_bounded_however_long_the_session_is_and_reads_nothing_twice() -> None:
    talk = Conversation(model="m", window=50_000)
    talk.user("Fix it. Never touch secrets.txt.")
    memory = SessionMemory(most=600)
    for nth in range(120):
        worked(talk, nth)
        if nth % 40 == 0:
            memory.text(talk.transcript)
    text = memory.text(talk.transcript)
    assert talk.transcript.counter.count(text) <= 660
    assert "Never touch secrets.txt" in text
    assert text == memory.text(talk.transcript)


def test_another_branch_is_remembered_anew() -> None:
    talk = Conversation(model="m", window=50_000)
    talk.user("First.")
    talk.add({"role": "assistant", "content": "Done."})
    second = talk.user("The second.")
    memory = SessionMemory()
    assert "The second" in memory.text(talk.transcript)
    other = talk.transcript.branch_from(second.id, why="rewind", inclusive=False)
    assert "The second" not in memory.text(other)


def test_nothing_to_remember_is_no_text() -> None:
    assert SessionMemory().text(Conversation(model="m").transcript) == ""
