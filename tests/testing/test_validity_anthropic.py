"""Each rule of Anthropic Messages: a sound request passes, and the same request broken one way does not."""

from __future__ import annotations

import pytest

from unabridged.testing import violations

Json = dict[str, object]


def user(*content: object) -> Json:
    return {"role": "user", "content": list(content) or "Go on."}


def says(*content: object) -> Json:
    return {"role": "assistant", "content": list(content) or "Done."}


def system(*content: object, **more: object) -> Json:
    return {"role": "system", "content": list(content) or "Be brief.", **more}


def text(words: object = "Look.", **more: object) -> Json:
    return {"type": "text", "text": words, **more}


def use(id: object = "c1", name: object = "ls", input: object = None) -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": {} if input is None else input}


def result(id: object = "c1", content: object = "ok", **more: object) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def search(id: str = "srvtoolu_1") -> Json:
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "rain"}}


def found(id: str = "srvtoolu_1") -> Json:
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": []}


def thought(**more: object) -> Json:
    return {"type": "thinking", "thinking": "Hm.", "signature": "c2ln", **more}


def image(source: object = None) -> Json:
    return {"type": "image", "source": source or {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


HIDDEN: Json = {"type": "redacted_thinking", "data": "ZGF0YQ=="}


def rules(*messages: object, **body: object) -> list[str]:
    return [violation.rule for violation in violations("anthropic", {"messages": list(messages), **body})]


SOUND: dict[str, list[object]] = {
    "one question": [user()],
    "a call and its result": [user(), says(text(), use()), user(result()), says()],
    "parallel calls answered in another order": [user(), says(use("c1"), use("c2")), user(result("c2"), result("c1"))],
    "calls and results in messages of one role": [
        user(),
        says(use("c1")),
        says(use("c2")),
        user(result("c1")),
        user(result("c2")),
    ],
    "words behind the results": [user(), says(use()), user(result(), text("And hurry."))],
    "words behind the results, in a message of their own": [user(), says(use()), user(result()), user(text())],
    "a result without content": [user(), says(use()), user({"type": "tool_result", "tool_use_id": "c1"})],
    "a result that is an empty string": [user(), says(use()), user(result(content=""))],
    "every kind of content in a result": [
        user(),
        says(use()),
        user(
            result(content=[text(), image(), {"type": "search_result"}, {"type": "tool_reference", "tool_name": "ls"}])
        ),
    ],
    "a failed call": [user(), says(use()), user(result(content=[text("no such file")], is_error=True))],
    "users and assistants in a row": [user(), user(), says(), says(), user()],
    "a prefill": [user(), says(text("The answer is"))],
    "nothing at all as the last words": [user(), {"role": "assistant", "content": ""}],
    "a server's tool": [user(), says(search(), found(), text()), user()],
    "a turn that the server paused": [user(), says(text(), search())],
    "a client's call beside a server's that still runs": [user(), says(search(), use()), user(result())],
    "a server's result that comes with the next turn": [
        user(),
        says(search(), use()),
        user(result()),
        says(found(), text()),
        user(),
    ],
    "a remote server's tool": [
        user(),
        says(
            {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "ls", "server_name": "files", "input": {}},
            {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "content": []},
        ),
        user(),
    ],
    "a result of a server tool that nobody here knows": [
        user(),
        says({**search(), "name": "next_year"}, {"type": "next_year_tool_result", "tool_use_id": "srvtoolu_1"}),
        user(),
    ],
    "thinking of earlier turns": [
        user(),
        says(thought(), text()),
        user(),
        says(HIDDEN, thought(), use()),
        user(result()),
    ],
    "thinking whose text is kept back": [user(), says(thought(thinking=""), text()), user()],
    "a blank text in front of thinking": [user(), says(text("\n\n"), thought(), use()), user(result())],
    "a system message between user and assistant": [user(), system(), says(), user()],
    "two system messages at the end": [user(), says(use()), user(result()), system(), system()],
    "a system message behind a server's result": [user(), says(search(), found()), system(), says()],
    "tools that become available": [
        user(),
        system({"type": "tool_addition", "tool": {"type": "tool_reference", "name": "ls"}}),
    ],
    "a directive of the system anywhere": [
        user(),
        says(),
        {"role": "system", "content": [], "output_config": {}},
        user(),
    ],
    "pictures and documents": [
        user(
            image(),
            image({"type": "url", "url": "https://example.org/a.png"}),
            image({"type": "file", "file_id": "file_1"}),
        ),
        user({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}}),
    ],
    "a compaction by the server": [user(), says({"type": "compaction", "content": "Before: …"}, text()), user()],
}


@pytest.mark.parametrize("messages", SOUND.values(), ids=SOUND.keys())
def test_a_sound_request_has_no_violations(messages: list[object]) -> None:
    assert rules(*messages) == []


def closed(*blocks: object) -> list[object]:
    """An assistant message of `blocks`, then a result for call c1."""
    return [user(), says(*blocks), user(result())]


def answered(*blocks: object) -> list[object]:
    """A call c1, then a user message of `blocks`."""
    return [user(), says(use()), user(*blocks)]


BROKEN: dict[str, tuple[str, list[object]]] = {
    "nothing": ("messages_empty", []),
    "a message that is text": ("message_not_an_object", [user(), "hello"]),
    "no role": ("role_unknown", [{"content": "hello"}]),
    "the role of another provider": ("role_unknown", [user(), {"role": "tool", "content": "ok"}]),
    "a field of another provider": ("message_field_unknown", [{**user(), "name": "Anna"}]),
    "no content": ("content_not_text_or_blocks", [{"role": "user"}]),
    "null as content": ("content_not_text_or_blocks", [{"role": "user", "content": None}]),
    "an object as content": ("content_not_text_or_blocks", [{"role": "user", "content": text()}]),
    "a block that is text": ("block_malformed", [user("hello")]),
    "a block without a type": ("block_malformed", [user({"text": "hello"})]),
    "a text block without text": ("block_malformed", [user({"type": "text"})]),
    "a part of another provider": ("block_kind_unknown", [user({"type": "image_url", "image_url": {}})]),
    "a call by the user": ("block_in_wrong_role", [user(use())]),
    "a result by the assistant": ("block_in_wrong_role", [user(), says(result())]),
    "thinking by the user": ("block_in_wrong_role", [user(thought())]),
    "a server's result by the user": ("block_in_wrong_role", [user(found())]),
    "a picture by the assistant": ("block_in_wrong_role", [user(), says(image())]),
    "a picture by the system": ("block_in_wrong_role", [user(), system(image())]),
    "an empty message of the user": (
        "content_empty",
        [user(), says(), {"role": "user", "content": []}, says(), user()],
    ),
    "an empty string of the user": ("content_empty", [{"role": "user", "content": ""}]),
    "an empty message beside another": ("content_empty", [user(), {"role": "user", "content": ""}]),
    "an empty answer in the middle": ("content_empty", [user(), {"role": "assistant", "content": []}, user()]),
    "an empty system message": ("content_empty", [user(), {"role": "system", "content": []}]),
    "an empty text": ("text_empty", [user(text("")), says()]),
    "an empty text beside a call": ("text_empty", closed(text(""), use())),
    "an empty text in a result": ("text_empty", answered(result(content=[text("")]))),
    "a text of spaces alone": ("text_blank", [user(text("  \n")), says()]),
    "a string of spaces alone": ("text_blank", [user(), {"role": "assistant", "content": "\n\n"}, user()]),
    "spaces in a system message beside words": ("text_blank", [user(), system(text(), text(" "))]),
    "a call with a dot in its id": ("call_id_malformed", closed(use("functions.ls:0"))[:2]),
    "a call with an empty id": ("call_id_malformed", closed(use(""))[:2]),
    "a call without an id": ("call_id_malformed", closed(use(None))[:2]),
    "an id that ends in a line break": ("call_id_malformed", closed(use("c1\n"))[:2]),
    "a result without an id": ("call_id_malformed", answered(result(None))),
    "a server's call with a client's id": ("call_id_malformed", [user(), says(search("c1"), found("c1")), user()]),
    "a call without a name": ("call_name_malformed", closed(use(name=None))),
    "a call with an empty name": ("call_name_malformed", closed(use(name=""))),
    "a call with a name of 201 letters": ("call_name_malformed", closed(use(name="f" * 201))),
    "input as text": ("input_not_an_object", closed(use(input='{"path": "."}'))),
    "input as a list": ("input_not_an_object", closed(use(input=["."]))),
    "no input": ("input_not_an_object", closed({"type": "tool_use", "id": "c1", "name": "ls"})),
    "a result that is an object": ("content_not_text_or_blocks", answered(result(content={"ok": True}))),
    "a block without a type in a result": ("block_malformed", answered(result(content=[{"text": "ok"}]))),
    "a call inside a result": ("result_content_kind", answered(result(content=[use()]))),
    "a part of another provider in a result": (
        "result_content_kind",
        answered(result(content=[{"type": "input_text"}])),
    ),
    "a picture in a failed result": (
        "error_result_not_text",
        answered(result(content=[text(), image()], is_error=True)),
    ),
    "two calls of one id in a turn": ("tool_use_id_repeated", closed(use(), use())),
    "two calls of one id in a turn of two messages": (
        "tool_use_id_repeated",
        [user(), says(use()), says(use()), user(result())],
    ),
    "an id that comes again in a later turn": (
        "tool_use_id_reused",
        [user(), says(use()), user(result()), says(use()), user(result())],
    ),
    "a call at the end": ("tool_use_unanswered", [user(), says(use())]),
    "a call and then words": ("tool_use_unanswered", [user(), says(use()), user()]),
    "a call and then the system": (
        "tool_use_unanswered",
        [user(), says(search(), found(), use(), search("srvtoolu_2"), found("srvtoolu_2")), system()],
    ),
    "a result of nothing": ("tool_result_without_tool_use", [user(result())]),
    "a result behind a plain answer": ("tool_result_without_tool_use", [user(), says(), user(result())]),
    "a result of an older call": (
        "tool_result_without_tool_use",
        [user(), says(use()), user(result()), says(use("c2")), user(result("c2"), result("c1"))],
    ),
    "a result given twice": ("tool_result_repeated", answered(result(), result())),
    "a result given twice in two messages": ("tool_result_repeated", [*answered(result()), user(result())]),
    "words in front of a result": ("tool_result_not_first", answered(text(), result())),
    "words between two results": (
        "tool_result_not_first",
        [user(), says(use("c1"), use("c2")), user(result("c1"), text(), result("c2"))],
    ),
    "a message in front of the result's": ("tool_result_not_first", [*answered(text()), user(result())]),
    "a server's call without a result": ("server_tool_use_unanswered", [user(), says(search(), text()), user()]),
    "words for a server's call that still runs": (
        "server_tool_use_unanswered",
        [user(), says(search(), use()), user(result(), text())],
    ),
    "a server's result that never came": (
        "server_tool_use_unanswered",
        [user(), says(search(), use()), user(result()), says(), user()],
    ),
    "a server's result without a call": ("server_result_without_use", [user(), says(found(), text()), user()]),
    "a server's result given twice": ("server_result_without_use", [user(), says(search(), found(), found()), user()]),
    "thinking without a signature": (
        "thinking_malformed",
        [user(), says({"type": "thinking", "thinking": "Hm."}, text())],
    ),
    "thinking with an empty signature": ("thinking_malformed", [user(), says(thought(signature=""), text())]),
    "thinking without its text": (
        "thinking_malformed",
        [user(), says({"type": "thinking", "signature": "c2ln"}, text())],
    ),
    "redacted thinking without data": ("thinking_malformed", [user(), says({"type": "redacted_thinking"}, text())]),
    "redacted thinking with empty data": (
        "thinking_malformed",
        [user(), says({"type": "redacted_thinking", "data": ""}, text())],
    ),
    "nothing but thinking": ("thinking_last", [user(), says(thought()), user()]),
    "thinking behind the answer": ("thinking_last", [user(), says(text(), HIDDEN), user()]),
    "a cache mark on thinking": (
        "cache_mark_on_thinking",
        [user(), says(thought(cache_control={"type": "ephemeral"}), text()), user()],
    ),
    "a system message first": ("system_message_first", [system(), user()]),
    "an answer first": ("first_message_not_user", [says(), user()]),
    "a system message behind an answer": ("system_message_misplaced", [user(), says(), system(), says()]),
    "a system message in front of a question": ("system_message_misplaced", [user(), system(), user()]),
    "two system messages in front of a question": ("system_message_misplaced", [user(), system(), system(), user()]),
    "last words that end in a space": ("trailing_whitespace", [user(), says(text("The answer is "))]),
    "a picture without a source": ("source_malformed", [user({"type": "image"})]),
    "a picture from nowhere": ("source_malformed", [user(image({"type": "disk", "path": "a.png"}))]),
    "a picture without data": ("source_malformed", [user(image({"type": "base64", "media_type": "image/png"}))]),
    "a picture of another type": (
        "image_type",
        [user(image({"type": "base64", "media_type": "image/bmp", "data": "Qk0="}))],
    ),
}


@pytest.mark.parametrize(("rule", "messages"), BROKEN.values(), ids=BROKEN.keys())
def test_a_request_broken_one_way_breaks_exactly_that_rule(rule: str, messages: list[object]) -> None:
    assert rules(*messages) == [rule]


@pytest.mark.parametrize("messages", [None, "hello", {"role": "user"}])
def test_messages_that_are_no_list_are_refused(messages: object) -> None:
    assert [violation.rule for violation in violations("anthropic", {"messages": messages})] == ["messages_not_a_list"]


def test_more_than_a_hundred_thousand_messages_are_refused() -> None:
    assert rules(*[user()] * 100_000) == []
    assert rules(*[user()] * 100_001) == ["too_many_messages"]


def test_an_empty_text_in_the_system_field_is_refused() -> None:
    assert rules(user(), system=[text("Be brief."), text("")]) == ["text_empty"]


MANUAL: Json = {"type": "enabled", "budget_tokens": 2000}


@pytest.mark.parametrize(
    ("thinking", "expected"),
    [(MANUAL, ["thinking_not_first"]), ({"type": "adaptive"}, []), ({"type": "disabled"}, []), (None, [])],
)
def test_only_manual_thinking_asks_for_thinking_in_front_of_the_last_calls(
    thinking: object, expected: list[str]
) -> None:
    assert rules(*closed(text(), use()), thinking=thinking) == expected


def test_manual_thinking_accepts_calls_behind_thinking_and_plain_answers_of_earlier_turns() -> None:
    messages = [
        user(),
        says(text()),
        user(),
        says(use("c0")),
        user(result("c0")),
        says(thought(), use()),
        user(result()),
    ]
    assert rules(*messages, thinking=MANUAL) == []


def test_manual_thinking_refuses_thinking_behind_other_blocks_in_any_turn() -> None:
    assert rules(user(), says(text(), thought(), text()), user(), thinking=MANUAL) == ["thinking_not_first"]


def test_manual_thinking_refuses_a_prefill() -> None:
    assert rules(user(), says(text("The answer is")), thinking=MANUAL) == ["thinking_not_first"]


@pytest.mark.parametrize(
    "model",
    ["claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-8-20260528", "anthropic/claude-opus-4.8", "claude-fable-5"],
)
def test_newer_models_do_not_go_on_from_last_words(model: str) -> None:
    assert rules(user(), says(), model=model) == ["ends_with_assistant"]


@pytest.mark.parametrize(
    "model",
    [
        "claude-sonnet-4-5-20250929",
        "claude-haiku-4-5",
        "claude-sonnet-4-20250514",
        "claude-3-5-sonnet-20241022",
        "in-house",
    ],
)
def test_older_models_and_unknown_ones_go_on_from_last_words(model: str) -> None:
    assert rules(user(), says(), model=model) == []


def test_newer_models_go_on_from_a_turn_that_the_server_paused() -> None:
    assert rules(user(), says(text(), search()), model="claude-opus-5") == []


@pytest.mark.parametrize(
    ("model", "expected"),
    [("claude-sonnet-4-6", ["system_message_unsupported"]), ("claude-opus-4-8", []), ("claude-opus-5-5", [])],
)
def test_system_messages_between_others_need_a_newer_model(model: str, expected: list[str]) -> None:
    assert rules(user(), system(), model=model) == expected


# The shapes of the pain log, sections B and C, as a faulty compaction would send them.


def test_every_cut_that_leaves_an_answer_or_a_result_in_front_is_refused() -> None:
    whole = [user(), says(use("c1"), use("c2")), user(result("c1"), result("c2")), says(), user()]
    assert [cut for cut in range(len(whole)) if rules(*whole[cut:])] == [1, 2, 3]


def test_a_call_kept_without_its_results_is_refused_and_names_the_ids() -> None:
    (refused,) = violations("anthropic", {"messages": [user(), says(text(), use("c1"), use("c2")), user()]})
    assert refused.where == "messages.1"
    assert refused.says.startswith(
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1, c2."
    )


def test_a_result_made_up_for_a_call_that_was_compacted_away_is_refused() -> None:
    (refused,) = violations("anthropic", {"messages": [user(text("summary")), user(result(), text())]})
    assert refused.rule == "tool_result_without_tool_use"
    assert refused.where == "messages.1.content.0"
    assert "unexpected `tool_use_id` found in `tool_result` blocks: c1." in refused.says


def test_one_answer_for_three_parallel_calls_is_refused() -> None:
    assert rules(user(), says(use("c1"), use("c2"), use("c3")), user(result("c2"), text())) == ["tool_use_unanswered"]


def test_the_call_of_a_pair_evicted_from_a_message_leaves_thinking_that_is_refused() -> None:
    assert rules(user(), says(thought(), use()), user(result()), says(thought()), user()) == ["thinking_last"]


def test_a_user_message_and_an_assistant_between_call_and_result_are_refused_on_both_sides() -> None:
    messages = [user(), says(use()), user(text()), says(), user(result())]
    assert rules(*messages) == ["tool_use_unanswered", "tool_result_without_tool_use"]


def test_the_refusals_about_server_tools_name_call_and_result_as_the_service_does() -> None:
    (open_call,) = violations("anthropic", {"messages": [user(), says(search(), text()), user()]})
    assert open_call.says == (
        "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding "
        "`web_search_tool_result` block"
    )
    (stray,) = violations("anthropic", {"messages": [user(), says(found(), text()), user()]})
    assert stray.says.endswith(
        "Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it."
    )
    remote: Json = {"type": "mcp_tool_use", "id": "m1", "name": "ls", "input": {}}
    (open_call,) = violations("anthropic", {"messages": [user(), says(remote, text()), user()]})
    assert "`mcp_tool_result` block" in open_call.says
    (stray,) = violations("anthropic", {"messages": [user(), says({"type": "mcp_tool_result", "tool_use_id": "m1"})]})
    assert "`mcp_tool_use` block before it" in stray.says


def test_the_refusals_of_blank_text_tell_a_system_message_from_the_others() -> None:
    (blank,) = violations("anthropic", {"messages": [user(text(" "))]})
    assert blank.says == "messages: text content blocks must contain non-whitespace text"
    (blank,) = violations("anthropic", {"messages": [user(), system(text(" "))]})
    assert blank.says == "messages.1: system text blocks must contain non-whitespace text"


def test_a_malformed_block_is_reported_before_the_rules_between_messages_are_tried() -> None:
    assert rules(says(text("")), user(result())) == ["text_empty"]
