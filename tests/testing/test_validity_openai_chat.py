"""Each rule of OpenAI Chat Completions: a sound request passes, and the same request broken one way does not."""

from __future__ import annotations

import pytest

from unabridged.testing import violations

Message = dict[str, object]


def user(content: object = "Go on.", **more: object) -> Message:
    return {"role": "user", "content": content, **more}


def says(content: object = "Done.", **more: object) -> Message:
    return {"role": "assistant", "content": content, **more}


def call(id: object = "c1", name: object = "ls", arguments: object = "{}") -> Message:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*ids: str) -> Message:
    return {"role": "assistant", "content": None, "tool_calls": [call(id) for id in ids]}


def tool(id: object = "c1", content: object = "ok") -> Message:
    return {"role": "tool", "tool_call_id": id, "content": content}


def text(words: object = "Look.") -> Message:
    return {"type": "text", "text": words}


def picture() -> Message:
    return {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}


SYSTEM: Message = {"role": "system", "content": "Be brief."}


def rules(*messages: object) -> list[str]:
    return [violation.rule for violation in violations("openai_chat", {"model": "gpt-5", "messages": list(messages)})]


SOUND: dict[str, list[object]] = {
    "a call and its result": [SYSTEM, user(), calls("c1"), tool(), says()],
    "parallel calls answered in another order": [user(), calls("c1", "c2"), tool("c2"), tool("c1"), says()],
    "an id that comes again in a later batch": [user(), calls("c1"), tool(), calls("c1"), tool(), says()],
    "empty texts": [user(""), says(""), user([]), calls("c1"), tool("c1", "")],
    "an assistant message first and last": [says(), user(), says()],
    "system messages in the middle, users in a row": [user(), user(), SYSTEM, user()],
    "a developer message": [{"role": "developer", "content": "Be brief."}, user()],
    "arguments that are not valid JSON": [user(), says(None, tool_calls=[call(arguments='{"path": ')]), tool()],
    "a call of a custom tool": [
        user(),
        says(None, tool_calls=[{"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select"}}]),
        tool(),
    ],
    "a refusal instead of content": [user(), {"role": "assistant", "refusal": "No."}],
    "spoken words instead of content": [user(), {"role": "assistant", "audio": {"id": "audio_1"}}],
    "no tool calls, said as null": [user(), says(tool_calls=None)],
    "a legacy function call": [
        user(),
        {"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{}"}},
        {"role": "function", "name": "ls", "content": "ok"},
    ],
    "every kind of part in its role": [
        {"role": "system", "content": [text()]},
        user(
            [
                text(),
                picture(),
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
                {"type": "file", "file": {"file_id": "file-1"}},
            ]
        ),
        says([text(), {"type": "refusal", "refusal": "No."}]),
        calls("c1"),
        tool("c1", [text()]),
    ],
    "a name with dots": [user(name="anna.k"), says()],
    "a call while the model still has to read its result": [user(), calls("c1"), tool()],
    "2,048 messages": [user()] * 2048,
    "128 calls at once": [user(), calls(*(f"c{n}" for n in range(128))), *(tool(f"c{n}") for n in range(128))],
    "the longest id and the longest names": [
        user(name="a" * 64),
        says(None, tool_calls=[call("c" * 40, "f" * 64)]),
        tool("c" * 40),
    ],
}


@pytest.mark.parametrize("messages", SOUND.values(), ids=SOUND.keys())
def test_a_sound_request_has_no_violations(messages: list[object]) -> None:
    assert rules(*messages) == []


BROKEN: dict[str, tuple[str, list[object]]] = {
    "nothing": ("messages_empty", []),
    "more than 2,048 messages": ("too_many_messages", [user()] * 2049),
    "a message that is text": ("message_not_an_object", [user(), "hello"]),
    "no role": ("role_unknown", [{"content": "hello"}]),
    "a role of nobody": ("role_unknown", [{"role": "model", "content": "hello"}]),
    "the role in capitals": ("role_unknown", [{"role": "User", "content": "hello"}]),
    "a user without content": ("content_missing", [{"role": "user"}]),
    "a user with null": ("content_missing", [user(None)]),
    "a system message with null": ("content_missing", [{"role": "system", "content": None}, user()]),
    "a result with null": ("content_missing", [user(), calls("c1"), tool("c1", None)]),
    "an assistant with nothing": ("content_missing", [user(), says(None), user()]),
    "an assistant with a null call": ("content_missing", [user(), says(None, function_call=None), user()]),
    "content that is a number": ("content_not_text_or_parts", [user(7)]),
    "content that is an object": ("content_not_text_or_parts", [user({"text": "hello"})]),
    "a part that is text": ("part_malformed", [user(["hello"])]),
    "a part without a type": ("part_malformed", [user([{"text": "hello"}])]),
    "a text part without text": ("part_malformed", [user([{"type": "text"}])]),
    "a picture without a URL": ("part_malformed", [user([{"type": "image_url", "image_url": {}}])]),
    "a block of another provider": ("part_kind_unknown", [user([{"type": "tool_result", "content": "ok"}])]),
    "a part of another surface": ("part_kind_unknown", [user([{"type": "input_text", "text": "hello"}])]),
    "a picture in a result": ("part_in_wrong_role", [user(), calls("c1"), tool("c1", [picture()])]),
    "a picture in a system message": ("part_in_wrong_role", [{"role": "system", "content": [picture()]}, user()]),
    "a picture by the assistant": ("part_in_wrong_role", [user(), says([picture()])]),
    "a refusal by the user": ("part_in_wrong_role", [user([{"type": "refusal", "refusal": "No."}])]),
    "a name with a space": ("name_malformed", [user(name="Anna K")]),
    "a name of 65 letters": ("name_malformed", [user(name="a" * 65)]),
    "an empty name": ("name_malformed", [user(name="")]),
    "no calls in the list of calls": ("tool_calls_empty", [user(), says(tool_calls=[]), user()]),
    "calls that are an object": ("tool_calls_not_a_list", [user(), says(tool_calls={"id": "c1"})]),
    "129 calls at once": (
        "too_many_tool_calls",
        [user(), calls(*(f"c{n}" for n in range(129))), *(tool(f"c{n}") for n in range(129))],
    ),
    "a call that is text": ("call_malformed", [user(), says(tool_calls=["ls"])]),
    "a call without a type": (
        "call_malformed",
        [user(), says(tool_calls=[{"id": "c1", "function": {"name": "ls", "arguments": "{}"}}]), tool()],
    ),
    "a call without a function": (
        "call_malformed",
        [user(), says(tool_calls=[{"id": "c1", "type": "function"}]), tool()],
    ),
    "a call without an id": (
        "call_id_missing",
        [user(), says(tool_calls=[{"type": "function", "function": {"name": "ls", "arguments": "{}"}}]), tool()],
    ),
    "a call with an empty id": ("call_id_missing", [user(), says(tool_calls=[call("")]), tool()]),
    "a call with an id of 41 letters": ("call_id_too_long", [user(), says(tool_calls=[call("c" * 41)]), tool()]),
    "a result without an id": ("call_id_missing", [user(), calls("c1"), {"role": "tool", "content": "ok"}]),
    "a result with a null id": ("call_id_missing", [user(), calls("c1"), tool(None)]),
    "a function without a name": ("call_name_malformed", [user(), says(tool_calls=[call(name=None)]), tool()]),
    "a function with an empty name": ("call_name_malformed", [user(), says(tool_calls=[call(name="")]), tool()]),
    "a function with a dot": ("call_name_malformed", [user(), says(tool_calls=[call(name="fs.ls")]), tool()]),
    "a function name that ends in a line break": (
        "call_name_malformed",
        [user(), says(tool_calls=[call(name="ls\n")]), tool()],
    ),
    "a function name of 65 letters": ("call_name_malformed", [user(), says(tool_calls=[call(name="f" * 65)]), tool()]),
    "arguments as an object": (
        "arguments_not_text",
        [user(), says(tool_calls=[call(arguments={"path": "."})]), tool()],
    ),
    "arguments left out": ("arguments_not_text", [user(), says(tool_calls=[call(arguments=None)]), tool()]),
    "a legacy call without a name": ("call_name_malformed", [user(), says(function_call={"arguments": "{}"})]),
    "a legacy result without a name": (
        "function_message_without_name",
        [user(), {"role": "function", "content": "ok"}],
    ),
    "two calls of one id in a batch": ("call_id_repeated", [user(), calls("c1", "c1"), tool(), says()]),
    "a call at the end": ("tool_call_unanswered", [user(), calls("c1")]),
    "a result of a call before it": (
        "tool_message_repeated",
        [user(), calls("c1", "c2"), tool("c1"), tool("c1"), tool("c2")],
    ),
    "a result at the start": ("tool_message_without_call", [tool(), user()]),
    "a result behind a plain answer": ("tool_message_without_call", [user(), says(), tool()]),
    "a result of an unknown call": ("tool_message_without_call", [user(), calls("c1"), tool("c1"), tool("c9"), says()]),
    "a result given again after the batch": (
        "tool_message_without_call",
        [user(), calls("c1"), tool(), says(), tool()],
    ),
}


@pytest.mark.parametrize(("rule", "messages"), BROKEN.values(), ids=BROKEN.keys())
def test_a_request_broken_one_way_breaks_exactly_that_rule(rule: str, messages: list[object]) -> None:
    assert rules(*messages) == [rule]


@pytest.mark.parametrize("messages", [None, "hello", {"role": "user"}])
def test_messages_that_are_no_list_are_refused(messages: object) -> None:
    assert [found.rule for found in violations("openai_chat", {"messages": messages})] == ["messages_not_a_list"]


def test_a_missing_list_of_messages_is_refused() -> None:
    assert [found.rule for found in violations("openai_chat", {"model": "gpt-5"})] == ["messages_not_a_list"]


# The shapes of the pain log, sections B and C, as a faulty compaction would send them.


def test_every_cut_between_a_call_and_its_result_is_refused_and_every_other_is_not() -> None:
    whole = [SYSTEM, user("first"), calls("c1", "c2"), tool("c1"), tool("c2"), says(), user("last")]
    refused = [cut for cut in range(len(whole)) if rules(SYSTEM, *whole[cut:])]
    assert refused == [3, 4]


def test_a_call_kept_without_its_results_is_refused() -> None:
    assert rules(user(), calls("c1", "c2"), user("next")) == ["tool_call_unanswered"]


def test_a_result_made_up_for_a_call_that_was_compacted_away_is_refused() -> None:
    assert rules(user("summary"), tool("c1", "interrupted"), user("next")) == ["tool_message_without_call"]


def test_one_answer_for_three_parallel_calls_is_refused_and_names_the_other_two() -> None:
    found = violations("openai_chat", {"messages": [user(), calls("c1", "c2", "c3"), tool("c2"), user()]})
    assert [violation.rule for violation in found] == ["tool_call_unanswered"]
    assert found[0].where == "messages.1"
    assert found[0].says.endswith("did not have response messages: c1, c3")


def test_the_result_of_a_compaction_that_removed_its_own_call_is_refused() -> None:
    assert rules(user("summary"), says(), tool("c9")) == ["tool_message_without_call"]


def test_a_user_message_between_a_call_and_its_result_is_refused_on_both_sides() -> None:
    assert rules(user(), calls("c1"), user("hurry"), tool()) == ["tool_call_unanswered", "tool_message_without_call"]


def test_two_batches_in_a_row_that_are_both_answered_after_the_second_are_refused() -> None:
    found = rules(user(), calls("c1"), calls("c2"), tool("c1"), tool("c2"))
    assert found == ["tool_call_unanswered", "tool_message_without_call"]


def test_the_refusals_name_the_place_as_the_service_does() -> None:
    (found,) = violations("openai_chat", {"messages": [user(), says(tool_calls=[call(arguments={})]), tool()]})
    assert found.where == "messages.1.tool_calls.0.function.arguments"
    assert found.says == (
        "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead."
    )


def test_the_refusal_of_a_part_says_which_role_it_stands_in() -> None:
    (image,) = violations("openai_chat", {"messages": [{"role": "system", "content": [picture()]}]})
    assert image.says == (
        "Invalid 'messages[0]'. Image URLs are only allowed for messages with role 'user', but this message with role "
        "'system' contains an image URL."
    )
    (refusal,) = violations("openai_chat", {"messages": [user([{"type": "refusal", "refusal": "No."}])]})
    assert "'refusal' is not allowed for messages with role 'user'" in refusal.says


def test_a_malformed_message_is_reported_before_the_rules_between_messages_are_tried() -> None:
    assert rules(user(None), calls("c1")) == ["content_missing"]
