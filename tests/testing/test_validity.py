"""The entrance to the rules: which dialects there are, what a body may be, and that any JSON gets an answer."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.errors import BadInput
from unabridged.testing import Violation, violations

DIALECTS = ["anthropic", "gemini", "openai_chat", "openai_responses"]
LISTED = {"openai_responses": "input", "gemini": "contents"}


def asked(dialect: str, role: str = "user") -> dict[str, object]:
    """A request of one message."""
    content: dict[str, object] = {"parts": [{"text": "hello"}]} if dialect == "gemini" else {"content": "hello"}
    return {LISTED.get(dialect, "messages"): [{"role": role, **content}]}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_bytes_and_decoded_json_get_the_same_answer(dialect: str) -> None:
    sound, broken = asked(dialect), asked(dialect, "nobody")
    assert violations(dialect, msgspec.json.encode(sound)) == violations(dialect, sound) == []
    assert violations(dialect, msgspec.json.encode(broken)) == violations(dialect, broken) != []


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'"\xff"'])
def test_bytes_that_are_no_json_object_are_refused(dialect: str, body: bytes) -> None:
    assert [found.rule for found in violations(dialect, body)] == ["body_not_json"]


def test_an_unknown_dialect_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match="'cobol': use one of anthropic, gemini, openai_chat, openai_responses"):
        violations("cobol", asked("anthropic"))


def test_a_violation_says_which_rule_where_and_what_the_provider_answers() -> None:
    (found,) = violations("anthropic", {"messages": []})
    assert found == Violation("messages_empty", "messages", "messages: at least one message is required")


_WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "tool",
        "text",
        "tool_use",
        "tool_result",
        "thinking",
        "image",
        "c1",
        "",
        "function",
        "model",
        "function_call",
        "function_call_output",
        "reasoning",
        "input_text",
    ]
)
_OPENAI_KEYS = ["tool_calls", "tool_call_id", "function", "call_id", "output", "arguments", "summary"]
_GEMINI_KEYS = ["parts", "functionCall", "function_response", "args", "inlineData"]
_KEYS = st.sampled_from(
    ["role", "content", "type", "text", "id", "tool_use_id", "source", "name", *_OPENAI_KEYS, *_GEMINI_KEYS]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(messages=st.lists(_JSON, max_size=5) | _JSON, rest=st.dictionaries(st.sampled_from(["system", "tools"]), _JSON))
def test_any_json_gets_an_answer_and_every_answer_points_into_the_body(
    dialect: str, messages: object, rest: dict[str, object]
) -> None:
    listed = LISTED.get(dialect, "messages")
    for found in violations(dialect, {**rest, listed: messages}):
        assert found.rule.replace("_", "").islower()
        assert found.where.partition(".")[0] in (listed, "system", "tools")
        assert found.says
