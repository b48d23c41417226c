"""Which lines are messages, which conversation each is of, and what is said about the rest."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests.importers.sessions import Session, call, shown, text
from unabridged.errors import BadInput
from unabridged.importers import read_bytes


def test_sub_agents_of_a_file_are_conversations_of_their_own() -> None:
    session = Session().user("Build it").assistant("m1", call("c1", "Task"))
    session.user("Find the bug", isSidechain=True, agentId="a1")
    session.user("Write the test", isSidechain=True, agentId="a2")
    session.assistant("m2", text("Found."), isSidechain=True, agentId="a1")
    session.assistant("m3", text("Written."), isSidechain=True, agentId="a2").results("c1")

    assert {conversation.name: shown(conversation) for conversation in session.read()} == {
        "session.jsonl": ["human: Build it", "assistant: call c1", "tool_feedback: c1 = done"],
        "session.jsonl#a1": ["human: Find the bug", "assistant: Found."],
        "session.jsonl#a2": ["human: Write the test", "assistant: Written."],
    }


def test_sub_agents_without_an_id_are_told_apart_by_their_chain_of_parents() -> None:
    session = Session().user("Build it", uuid="m")
    session.user("Find the bug", isSidechain=True, uuid="a", parentUuid=None)
    session.user("Write the test", isSidechain=True, uuid="b", parentUuid="m")
    session.line("progress", isSidechain=True, uuid="p", parentUuid="a")
    session.assistant("m2", text("Written."), isSidechain=True, uuid="d", parentUuid="b")
    session.assistant("m3", text("Found."), isSidechain=True, uuid="c", parentUuid="p")

    assert [shown(conversation) for conversation in session.read()] == [
        ["human: Build it"],
        ["human: Find the bug", "assistant: Found."],
        ["human: Write the test", "assistant: Written."],
    ]


def test_parents_that_go_in_circles_end_nothing() -> None:
    session = Session().user("Build it")
    session.user("One", isSidechain=True, uuid="a", parentUuid="b").user(
        "Two", isSidechain=True, uuid="b", parentUuid="a"
    )

    said = [line for conversation in session.read() for line in shown(conversation)]
    assert said == ["human: Build it", "human: One", "human: Two"]


def test_a_sub_agents_own_file_is_read() -> None:
    session = Session().user("Find the bug", isSidechain=True, agentId="a1")
    session.assistant("m1", text("Found."), isSidechain=True, agentId="a1")

    assert shown(session.read_one()) == ["human: Find the bug", "assistant: Found."]


def test_a_compaction_takes_nothing_away() -> None:
    session = Session().user("Go").assistant("m1", text("Done."))
    session.line("system", subtype="compact_boundary", content="Conversation compacted")
    session.user("This session is being continued.", isCompactSummary=True).assistant("m2", text("I go on."))

    assert shown(session.read_one()) == [
        "human: Go",
        "assistant: Done.",
        "client_summary: This session is being continued.",
        "assistant: I go on.",
    ]


@pytest.mark.parametrize(
    "kind",
    [
        "progress", "file-history-snapshot", "system", "queue-operation", "last-prompt", "custom-title", "mode",
        "summary", "pr-link", "something-new",
    ],
)  # fmt: skip
def test_a_line_of_another_kind_is_no_message(kind: str) -> None:
    session = Session().user("Go").line(kind, content="aside", message={"role": "user", "content": "aside"})

    assert shown(session.read_one()) == ["human: Go"]


@pytest.mark.parametrize("kind", ["skill_listing", "hook_additional_context", "nested_memory", "file"])
def test_an_attachment_without_its_wording_is_no_message(kind: str) -> None:
    session = Session().user("Go").line("attachment", attachment={"type": kind, "content": "aside", "prompt": "aside"})

    assert shown(session.read_one()) == ["human: Go"]


def test_answers_that_the_client_made_up_are_left_out_and_named() -> None:
    session = Session().user("Go").assistant("m1", text("API Error: 529"), isApiErrorMessage=True).user("Go!")
    made_up = {"id": "x", "model": "<synthetic>", "role": "assistant", "content": [text("No response requested.")]}
    session.line("assistant", message=made_up).assistant("m2", text("Done."))
    conversation = session.read_one()

    assert shown(conversation) == ["human: Go", "human: Go!", "assistant: Done."]
    assert conversation.problems == ("left out, made by the client and not by a model: lines 2, 4",)


def test_words_that_only_the_queue_holds_are_named() -> None:
    session = Session().user("Go").line("queue-operation", operation="enqueue", content="wait, the tests first")
    session.line("queue-operation", operation="enqueue", content="/model").queued("commit it")
    session.line("queue-operation", operation="enqueue", content="commit it")

    assert session.read_one().problems == ("left out, typed while the model was at work, in no message: lines 2",)


def test_bad_lines_do_not_end_the_reading() -> None:
    session = Session().user("one").user("two").user("three")
    session.lines[1:2] = ["[1,2]", '{"type":"user","uuid":"u2","mess', '{"type":"user","message":"hi"}', '{"uuid":7}']
    conversation = session.read_one()

    assert shown(conversation) == ["human: one", "human: three"]
    assert conversation.problems == (
        "line 2: not a record of this format: Expected `object`, got `array`",
        "line 3: torn or not JSON, 32 characters not readable",
        "line 5: not a record of this format: Expected `str | null`, got `int` - at `$.uuid`",
        "line 4: a line of type `user` without a message that can be read",
    )


def test_a_torn_last_line_is_named_and_the_rest_is_read() -> None:
    data = Session().user("one").user("two").data()[:-30]
    (conversation,) = read_bytes(data, "session.jsonl")

    assert shown(conversation) == ["human: one"]
    assert conversation.problems[0].startswith("line 2: torn")


def test_ids_come_from_the_bytes_and_the_position() -> None:
    session = Session().user("Go").assistant("m1", text("Done."))
    digest = hashlib.sha256(session.data()).hexdigest()[:12]

    assert [message.id for message in session.read_one().messages] == [f"{digest}-000000", f"{digest}-000001"]


def test_ids_of_several_conversations_carry_their_number() -> None:
    session = Session().user("Go").user("Find it", isSidechain=True, agentId="a1").user("On")
    digest = hashlib.sha256(session.data()).hexdigest()[:12]

    assert [[message.id for message in conversation.messages] for conversation in session.read()] == [
        [f"{digest}-1-000000", f"{digest}-1-000001"],
        [f"{digest}-2-000000"],
    ]


def test_a_session_without_a_message_is_refused_with_its_name() -> None:
    data = json.dumps({"type": "summary", "summary": "Old work", "leafUuid": "u1"}).encode()

    with pytest.raises(BadInput, match=r"^old\.jsonl: a Claude Code session without a message"):
        read_bytes(data, "old.jsonl")
