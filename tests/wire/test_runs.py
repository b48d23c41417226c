"""Runs of messages: what answers one message stands together, in the form that each provider wants."""

from __future__ import annotations

import json
from typing import Any

from tests.wire.sdk import accept
from unabridged.message import Media, MediaKind, Message, Origin, Part, Role, Text, ToolCall, ToolResult
from unabridged.wire import wire

PICTURE = Media(kind=MediaKind.IMAGE, url="https://example.org/a.png")


def message(role: Role, *parts: Part) -> Message:
    return Message(id="m", role=role, parts=parts)


def calls(*ids: str) -> Message:
    return message(Role.ASSISTANT, *(ToolCall(id, "f", "{}") for id in ids))


def result(id: str, *parts: Text | Media) -> ToolResult:
    return ToolResult(id, parts or (Text("done"),))


def at_home(dialect: str, body: str) -> Message:
    return wire(dialect).read_message(body, id="m")[0]


def write(dialect: str, *messages: Message) -> list[Any]:
    texts = wire(dialect).write_messages(messages, {})
    for text in texts:
        accept(dialect, text)
    return [json.loads(text) for text in texts]


def kinds(written: Any) -> list[str]:
    content = written["content"]
    return [written["role"]] + ([block["type"] for block in content] if isinstance(content, list) else ["string"])


def test_results_that_answer_one_message_become_one_message_for_anthropic() -> None:
    written = write(
        "anthropic",
        message(Role.USER, Text("go")),
        calls("c1", "c2", "c3"),
        message(Role.TOOL, result("c1")),
        message(Role.USER, result("c2"), Text("hint")),
        message(Role.TOOL, result("c3")),
        message(Role.USER, Text("thanks")),
    )
    assert list(map(kinds, written)) == [
        ["user", "string"],
        ["assistant", "tool_use", "tool_use", "tool_use"],
        ["user", "tool_result", "tool_result", "tool_result", "text"],
        ["user", "string"],
    ]
    assert [block.get("tool_use_id") for block in written[2]["content"]] == ["c1", "c2", "c3", None]


def test_blocks_that_are_merged_keep_every_character() -> None:
    one = '{"type":"tool_result","tool_use_id":"c1","content":"\\u0061","cache_control":{ }}'
    other = '{"type":"tool_result", "tool_use_id":"c2"}'
    texts = wire("anthropic").write_messages(
        [
            calls("c1", "c2"),
            at_home("anthropic", f'{{"role":"user","content":[{one},{{"type":"text","text":"x"}}],"y":1}}'),
            at_home("anthropic", f'{{"role":"user","content":[{other}]}}'),
        ],
        {},
    )
    assert texts[1] == f'{{"role":"user","content":[{one},{other},{{"type":"text","text":"x"}}],"y":1}}'


def test_an_answer_that_is_right_already_stays_as_it_is() -> None:
    body = '{ "role":"user", "content": [{"type":"tool_result","tool_use_id":"c1"} , {"type":"text","text":"x"}] }'
    assert wire("anthropic").write_messages([calls("c1"), at_home("anthropic", body)], {})[1] == body


def test_results_that_come_after_text_in_one_message_are_put_first() -> None:
    results = (
        '{"type":"tool_result","tool_use_id":"c1"},{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"c2"}'
    )
    body = f'{{"role":"user","content":[{results}]}}'
    _, written = write("anthropic", calls("c1", "c2"), at_home("anthropic", body))
    assert kinds(written) == ["user", "tool_result", "tool_result", "text"]


def test_results_that_answer_nothing_are_not_merged() -> None:
    orphans = [message(Role.TOOL, result("c1")), message(Role.TOOL, result("c2"))]
    assert len(write("anthropic", message(Role.USER, Text("go")), *orphans)) == 3


def test_a_conversation_can_be_written_run_by_run() -> None:
    asked = [message(Role.USER, Text("go")), calls("c1", "c2")]
    answers = [message(Role.TOOL, result("c1")), message(Role.TOOL, result("c2")), message(Role.USER, Text("thanks"))]
    for dialect in ("anthropic", "openai_chat"):
        assert write(dialect, *asked) + write(dialect, *answers) == write(dialect, *asked, *answers)


def test_results_after_two_messages_with_calls_stay_apart() -> None:
    answers = [calls("c1"), message(Role.TOOL, result("c1")), calls("c2"), message(Role.TOOL, result("c2"))]
    assert len(write("anthropic", *answers)) == 4


def test_what_comes_with_results_follows_after_the_last_of_them_for_openai() -> None:
    written = write(
        "openai_chat",
        calls("c1", "c2"),
        message(Role.USER, result("c1", PICTURE), Text("hint")),
        message(Role.TOOL, result("c2", PICTURE)),
        message(Role.USER, Text("thanks")),
    )
    assert [one["role"] for one in written] == ["assistant", "tool", "tool", "user", "user", "user"]
    assert kinds(written[3]) == ["user", "image_url", "text"]
    assert kinds(written[4]) == ["user", "image_url"]
    assert written[5]["content"] == "thanks"


def test_what_is_left_over_at_the_end_is_written_too() -> None:
    written = write("openai_chat", calls("c1"), message(Role.TOOL, result("c1", PICTURE)))
    assert [one["role"] for one in written] == ["assistant", "tool", "user"]


def test_tool_messages_of_its_own_stay_as_they_are_for_openai() -> None:
    bodies = ['{"role":"tool","tool_call_id":"c1","content":"\\u0061"}', '{"role":"user","content":"x"}']
    messages = [at_home("openai_chat", body) for body in bodies]
    assert wire("openai_chat").write_messages(messages, {}) == bodies


def test_a_marker_between_two_messages_is_merged_with_neither() -> None:
    marker = Message(id="x", role=Role.USER, parts=(Text("[gone]"),), origin=Origin.MARKER)
    for dialect in ("anthropic", "openai_chat"):
        assert len(write(dialect, message(Role.USER, Text("a")), marker, message(Role.USER, Text("b")))) == 3
