"""Each rule of OpenAI Responses: a sound request passes, and the same request broken one way does not."""

from __future__ import annotations

from typing import Any

import pytest

from unabridged.testing import Violation, violations

Item = dict[str, Any]


def user(content: object = "Go on.") -> Item:
    return {"role": "user", "content": content}


def said(text: object = "Done.", **more: object) -> Item:
    block = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "role": "assistant", "content": [block], **more}


def call(id: str = "c1", **more: object) -> Item:
    return {"type": "function_call", "call_id": id, "name": "ls", "arguments": "{}", **more}


def output(id: str = "c1", given: object = "ok", **more: object) -> Item:
    return {"type": "function_call_output", "call_id": id, "output": given, **more}


def custom(id: str = "c1") -> Item:
    return {"type": "custom_tool_call", "call_id": id, "name": "sql", "input": "select"}


def custom_output(id: str = "c1") -> Item:
    return {"type": "custom_tool_call_output", "call_id": id, "output": "ok"}


REASONING: Item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
SEARCH: Item = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
REFERENCE: Item = {"type": "item_reference", "id": "fc_1"}
PICTURE: Item = {"type": "input_image", "image_url": "https://example.org/a.png", "detail": "auto"}


def found(*items: object, **more: object) -> list[Violation]:
    return violations("openai_responses", {"model": "gpt-5", "input": list(items), **more})


SOUND: dict[str, list[object]] = {
    "a call and its output": [{"role": "developer", "content": "a"}, user(), call(), output(), said()],
    "something between a call and its output": [user(), call(), user(), call("c2"), output(), said(), output("c2")],
    "parallel calls answered in another order": [user(), call(), call("c2"), output("c2"), output()],
    "a custom call": [user(), custom(), custom_output()],
    "a function and a custom call of one id": [user(), call(), custom(), output(), custom_output()],
    "an answer first and last": [said(), user(), said()],
    "empty texts": [user(""), said(""), user([])],
    "items with and without ids": [
        user(),
        {**REASONING},
        said(id="msg_1"),
        {**call(), "id": "fc_1"},
        {**output(), "id": "fco_1"},
        call("c2"),
        output("c2"),
    ],
    "reasoning without an id": [user(), {"type": "reasoning", "summary": []}, said()],
    "reasoning before an item of the service's own": [user(), REASONING, SEARCH, {**REASONING, "id": "rs_2"}, said()],
    "reasoning in a row": [user(), REASONING, {**REASONING, "id": "rs_2"}, call(), output()],
    "every kind of block in its role": [
        user([{"type": "input_text", "text": "a"}, PICTURE, {"type": "input_file", "file_id": "file-1"}]),
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        call(),
        output(given=[{"type": "input_text", "text": "a"}, PICTURE]),
    ],
    "references": [user(), REFERENCE, output("c9"), {"id": "msg_1"}, user()],
    "a computer": [
        user(),
        {"type": "computer_call", "id": "cu_1", "call_id": "c1", "action": {"type": "screenshot"}},
        {"type": "computer_call_output", "call_id": "c1", "output": {"type": "computer_screenshot"}},
    ],
    "a local shell, whose output names its call by its id": [
        user(),
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "c1", "action": {"type": "exec"}},
        {"type": "local_shell_call_output", "id": "c1", "output": "ok"},
    ],
    "what a compaction left": [user(), {"type": "compaction", "encrypted_content": "gAAA"}, user()],
}


@pytest.mark.parametrize("what", SOUND)
def test_a_sound_request_has_no_violations(what: str) -> None:
    assert found(*SOUND[what]) == []


def test_one_string_is_a_sound_request() -> None:
    assert violations("openai_responses", {"input": "hello"}) == []


LONG = "x" * 65
BROKEN: dict[str, tuple[list[object], str, str, str]] = {
    "an item that is none": (
        [user(), 7],
        "item_not_an_object",
        "input.1",
        "Invalid type for 'input[1]': expected an input item, but got an integer instead.",
    ),
    "nothing for an item": (
        [None],
        "item_not_an_object",
        "input.0",
        "Invalid type for 'input[0]': expected an input item, but got null instead.",
    ),
    "an item without anything": (
        [{}],
        "role_unknown",
        "input.0",
        "Invalid value: ''. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    ),
    "a role of the other dialect": (
        [{"role": "tool", "content": "a"}],
        "role_unknown",
        "input.0",
        "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    ),
    "content that is missing": (
        [{"role": "user"}],
        "content_missing",
        "input.0.content",
        "Missing required parameter: 'input[0].content'.",
    ),
    "a block of the other dialect": (
        [user([{"type": "text", "text": "a"}])],
        "block_kind_unknown",
        "input.0.content.0.type",
        (
            "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'input_audio', "
            "'output_text', 'refusal', 'input_file', 'computer_screenshot', 'summary_text', "
            "and 'encrypted_content'."
        ),
    ),
    "words put into the model's mouth": (
        [{"role": "assistant", "content": [{"type": "input_text", "text": "a"}]}],
        "block_in_wrong_role",
        "input.0.content.0",
        "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    ),
    "the model's words as the user's": (
        [user([{"type": "output_text", "text": "a"}])],
        "block_in_wrong_role",
        "input.0.content.0",
        (
            "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file', "
            "'scoped_content', and 'input_audio'."
        ),
    ),
    "a block without its text": (
        [user([{"type": "input_text"}])],
        "block_malformed",
        "input.0.content.0.text",
        "Missing required parameter: 'input[0].content[0].text'.",
    ),
    "a call without an id": (
        [user(), {"type": "function_call", "name": "f", "arguments": "{}"}],
        "item_malformed",
        "input.1.call_id",
        "Missing required parameter: 'input[1].call_id'.",
    ),
    "arguments that are no text": (
        [user(), {**call(), "arguments": {}}, output()],
        "item_malformed",
        "input.1.arguments",
        "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
    ),
    "an output that is missing": (
        [user(), call(), {"type": "function_call_output", "call_id": "c1"}],
        "output_missing",
        "input.2.output",
        "Missing required parameter: 'input[2].output'.",
    ),
    "reasoning without a summary": (
        [user(), {"type": "reasoning", "id": "rs_1"}, said()],
        "item_malformed",
        "input.1.summary",
        "Missing required parameter: 'input[1].summary'.",
    ),
    "an id of another kind of item": (
        [said(id="item_1"), user()],
        "item_id_malformed",
        "input.0.id",
        "Invalid 'input[0].id': 'item_1'. Expected an ID that begins with 'msg'.",
    ),
    "an item twice": (
        [user(), said(id="msg_1"), user(), said(id="msg_1")],
        "item_repeated",
        "input.3",
        "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
    ),
    "a call that nothing answers": (
        [user(), call(), user()],
        "call_unanswered",
        "input.1",
        "No tool output found for function call c1.",
    ),
    "a computer that nothing answers": (
        [user(), {"type": "computer_call", "call_id": "c1"}],
        "call_unanswered",
        "input.1",
        "No tool output found for computer call c1.",
    ),
    "an output without a call": (
        [user(), output()],
        "output_without_call",
        "input.1",
        "No tool call found for function call output with call_id c1.",
    ),
    "an output before its call": (
        [output(), call(), output()],
        "output_without_call",
        "input.0",
        "No tool call found for function call output with call_id c1.",
    ),
    "an output of another kind": (
        [user(), custom(), output(), custom_output()],
        "output_without_call",
        "input.2",
        "No tool call found for function call output with call_id c1.",
    ),
    "a second output": (
        [user(), call(), output(), output()],
        "output_repeated",
        "input.3",
        "No tool call found for function call output with call_id c1.",
    ),
    "a call id that comes again": (
        [user(), call(), output(), call(), output()],
        "call_id_repeated",
        "input.3",
        "Duplicate 'call_id': c1",
    ),
    "reasoning before somebody else": (
        [user(), REASONING, user()],
        "reasoning_without_following_item",
        "input.1",
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ),
    "reasoning at the end": (
        [user(), REASONING],
        "reasoning_without_following_item",
        "input.1",
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ),
    "a reference to words, and an output": (
        [user(), {"type": "item_reference", "id": "msg_1"}, output()],
        "output_without_call",
        "input.2",
        "No tool call found for function call output with call_id c1.",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_request_is_refused_in_the_providers_words(what: str) -> None:
    items, rule, where, says = BROKEN[what]
    assert Violation(rule, where, says) in found(*items)


def test_of_ids_only_64_characters_are_taken() -> None:
    says = "string too long. Expected a string with maximum length 64, but got a string with length 65 instead."
    assert found(user(), call(LONG), output(LONG)) == [
        Violation("call_id_malformed", "input.1.call_id", f"Invalid 'input[1].call_id': {says}"),
        Violation("call_id_malformed", "input.2.call_id", f"Invalid 'input[2].call_id': {says}"),
    ]


def test_an_unknown_kind_of_item_is_told_the_known_ones() -> None:
    (violation,) = found({"type": "hologram"})
    assert violation.rule == "item_kind_unknown"
    assert violation.says.startswith("Invalid value: 'hologram'. Supported values are: 'additional_tools', ")
    assert violation.says.endswith("'tool_search_output', and 'web_search_call'.")


@pytest.mark.parametrize(
    ("body", "rule", "says"),
    [
        ({}, "input_missing", "Missing required parameter: 'input'."),
        (
            {"input": None},
            "input_not_text_or_items",
            "Invalid type for 'input': expected a string, but got an object instead.",
        ),
        (
            {"input": {"a": 1}},
            "input_not_text_or_items",
            "Invalid type for 'input': expected one of a string or array of input items, but got an object instead.",
        ),
        (
            {"input": []},
            "input_empty",
            "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
        ),
        (
            {"input": ""},
            "input_empty",
            "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
        ),
    ],
)
def test_a_request_has_something_to_say(body: dict[str, object], rule: str, says: str) -> None:
    assert violations("openai_responses", body) == [Violation(rule, "input", says)]


@pytest.mark.parametrize("field", ["previous_response_id", "conversation"])
def test_what_the_service_keeps_may_hold_the_call_that_an_output_answers(field: str) -> None:
    assert found(output(), **{field: "x_1"}) == []
    assert violations("openai_responses", {"input": [], field: "x_1"}) == []
    assert [violation.rule for violation in found(call(), **{field: "x_1"})] == ["call_unanswered"]
