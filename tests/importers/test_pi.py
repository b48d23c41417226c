"""pi: the tree of a session, the messages that are nobody's words, what was aborted."""

from __future__ import annotations

import base64
from typing import Any

from tests.importers.samples import lines
from tests.importers.sessions import Json, shown
from unabridged.importers import Imported, read_bytes
from unabridged.message import Origin, Reasoning
from unabridged.report import Usage

HEAD = {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/"}


def entry(id: str, parent: str | None, type: str = "message", **members: Any) -> Json:
    return {"type": type, "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00Z", **members}


def user(words: str) -> Json:
    return {"role": "user", "content": words}


def answer(*blocks: Json, **members: Any) -> Json:
    return {"role": "assistant", "content": list(blocks), "model": "m", **members}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def read(*entries: Json) -> list[Imported]:
    return read_bytes(lines(HEAD, *entries), "session.jsonl")


def chain(*messages: Json) -> Imported:
    entries = [entry(str(at), str(at - 1) if at else None, message=each) for at, each in enumerate(messages)]
    (conversation,) = read(*entries)
    return conversation


def test_the_conversation_is_the_path_to_the_last_record_and_other_branches_are_their_own() -> None:
    found = read(
        entry("a", None, message=user("Go")),
        entry("b", "a", message=answer(text("No."))),
        entry("c", "b", "label", label="here"),
        entry("d", "a", message=answer(text("Yes."))),
    )

    assert {each.name: shown(each) for each in found} == {
        "session.jsonl": ["human: Go", "assistant: Yes."],
        "session.jsonl#c": ["human: Go", "assistant: No."],
    }


def test_a_branch_without_a_message_of_its_own_is_none() -> None:
    found = read(
        entry("a", None, message=user("Go")),
        entry("b", "a", "model_change", modelId="n"),
        entry("c", "a", message=answer(text("Yes."))),
    )

    assert [shown(each) for each in found] == [["human: Go", "assistant: Yes."]]


def test_what_follows_a_broken_line_goes_on_where_it_broke() -> None:
    found = read(entry("a", None, message=user("Go")), entry("c", "b", message=answer(text("Done."))))

    assert [shown(each) for each in found] == [["human: Go", "assistant: Done."]]


def test_parents_that_go_in_circles_end_nothing() -> None:
    (conversation,) = read(entry("a", "b", message=user("one")), entry("b", "a", message=user("two")))

    assert shown(conversation) == ["human: one", "human: two"]


def test_a_session_of_the_first_version_is_read_in_file_order() -> None:
    old = [{"type": "message", "timestamp": "t", "message": each} for each in (user("Go"), answer(text("Done.")))]

    assert [shown(each) for each in read(*old)] == [["human: Go", "assistant: Done."]]


def test_summaries_and_what_extensions_say_are_not_a_persons() -> None:
    (conversation,) = read(
        entry("a", None, message=user("Go")),
        entry("b", "a", "compaction", summary="All is well.", firstKeptEntryId="a"),
        entry("c", "b", "branch_summary", summary="Tried B.", fromId="x"),
        entry("d", "c", "custom_message", customType="x", content="note", display=True),
        entry("e", "d", message={"role": "bashExecution", "command": "ls", "output": "a.py"}),
    )

    assert shown(conversation) == [
        "human: Go",
        "client_summary: All is well.",
        "injected: Tried B.",
        "injected: note",
        "injected: ls\na.py",
    ]


def test_a_command_whose_output_was_kept_from_the_model_is_left_out_and_named() -> None:
    hidden = {"role": "bashExecution", "command": "ls", "output": "a.py", "excludeFromContext": True}
    conversation = chain(user("Go"), hidden)

    assert shown(conversation) == ["human: Go"]
    assert conversation.problems == ("left out, commands whose output was kept from the model: lines 3",)


def test_thoughts_keep_their_signature_and_pictures_their_bytes() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "thinkingSignature": "c2ln"}
    picture = {"type": "image", "data": base64.b64encode(b"png").decode(), "mimeType": "image/png"}
    conversation = chain(user("Go") | {"content": [text("Look"), picture]}, answer(thinking, text("So.")))

    assert shown(conversation) == ["human: Look + <image>", "assistant: (hm) + So."]
    assert conversation.messages[1].parts[0] == Reasoning("hm", "c2ln")
    assert list(conversation.media.values()) == [b"png"]


def test_usage_includes_what_was_cached_and_an_aborted_answer_has_none() -> None:
    figures = {"input": 3, "output": 7, "cacheRead": 40, "cacheWrite": 5}
    conversation = chain(
        user("Go"), answer(usage=dict.fromkeys(figures, 0), stopReason="aborted"), user("On"), answer(usage=figures)
    )

    assert [call.usage for call in conversation.calls] == [None, Usage(input=48, cached=40, cache_write=5, output=7)]


def test_calls_of_an_answer_that_was_aborted_stay() -> None:
    call = {"type": "toolCall", "id": "c1", "name": "run", "arguments": {}, "partialJson": "{"}
    conversation = chain(user("Go"), answer(call, stopReason="aborted"), user("Stop"))

    assert shown(conversation)[1:] == ["assistant: call c1", "human: Stop"]


def test_a_message_of_an_unknown_role_is_named() -> None:
    conversation = chain(user("Go"), {"role": "ghost", "content": "Boo"})

    assert conversation.problems == ("line 3: a message without a role that is known",)
    assert [message.origin for message in conversation.messages] == [Origin.HUMAN]


def test_summaries_of_the_client_and_what_it_runs_have_roles_of_their_own() -> None:
    conversation = chain(
        {"role": "compactionSummary", "summary": "All is well."},
        {"role": "branchSummary", "summary": "Another way was tried."},
        {"role": "bashExecution", "command": "ls", "output": "a.py"},
        {"role": "user", "content": [{"type": "image", "data": "cG5n", "mimeType": "image/png"}, {"type": "later"}]},
    )

    assert shown(conversation) == [
        "client_summary: All is well.",
        "injected: Another way was tried.",
        "injected: ls\na.py",
        "human: <image> + <later>",
    ]
    assert list(conversation.media.values()) == [b"png"]
