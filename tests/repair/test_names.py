"""A call has a name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scene import Scene
from unabridged.conversation import Conversation
from unabridged.message import Message, Role, Text, ToolCall
from unabridged.testing import violations

DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_without_a_name_gets_one_and_keeps_its_result(dialect: str) -> None:
    limit: dict[str, Any] = {"max_tokens": 9} if dialect == "anthropic" else {}
    talk = Conversation(dialect=dialect, model="m", window=8_000, **limit)
    talk.user("Look.")
    talk.add(Message(id="a", role=Role.ASSISTANT, parts=(Text("I look."), ToolCall("c1", "", '{"path":"a"}'))))
    talk.result("c1", "It is empty.")
    fitted = talk.fit()
    assert violations(dialect, fitted.request()) == []
    assert b"It is empty." in fitted.body()
    assert fitted.report is not None
    assert dict(fitted.report.repairs)["names"] == 1


def test_in_the_providers_own_form_only_the_name_changes() -> None:
    scene = Scene("U:task")
    call = {"id": "c1", "type": "function", "function": {"name": "", "arguments": "{}"}, "index": 0}
    talk = Conversation(model="m", log=scene.transcript.log)
    talk.add({"role": "assistant", "content": None, "tool_calls": [call], "x": 1})
    talk.result("c1", "Fine.")
    shown = talk.fit().messages()[1]
    call["function"] = {"name": "unnamed", "arguments": "{}"}
    assert shown == {"role": "assistant", "content": None, "tool_calls": [call], "x": 1}


def test_calls_with_names_are_left_alone() -> None:
    scene = Scene("U:task A[c1] T(c1)")
    assert scene.fit().report is None
