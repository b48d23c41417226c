"""Roles stand in an order that Anthropic accepts."""

from __future__ import annotations

import json

from tests.repair.mending import Mended, anthropic, gemini, openai
from tests.scene import Scene
from unabridged.message import Message, Origin, Role, Text
from unabridged.repair import groups
from unabridged.wire import wire


def test_a_view_that_starts_with_an_answer_gets_a_beginning() -> None:
    mended = anthropic("A:hello U:task A:done")
    assert str(mended) == "…begins A:hello U:task A:done"
    assert mended.repairs == {"order": 1}


def test_a_greeting_may_come_first_where_the_provider_allows_it() -> None:
    assert str(openai("A:hello U:task")) == "A:hello U:task"


def test_an_answer_to_be_continued_ends_without_white_space() -> None:
    mended = anthropic("U:task A:done:0")
    assert mended.sent()[1]["content"] == [{"type": "text", "text": "done"}]


def test_only_the_last_answer_loses_its_white_space() -> None:
    mended = anthropic("U:task A:done:0 U:next")
    assert mended.items == mended.came


def test_questions_in_a_row_stay_as_they_are() -> None:
    mended = anthropic("U:task U:more I:reminder A:done U:next")
    assert mended.items == mended.came


def test_system_text_in_the_middle_stays_where_the_provider_has_it() -> None:
    mended = openai("U:task S:rules A:done")
    assert mended.items == mended.came


def test_system_text_of_another_provider_goes_out_with_the_users_role() -> None:
    scene = Scene("U:task", dialect="anthropic")
    scene.transcript.append(Message(id="S:rules", role=Role.SYSTEM, parts=(Text("Be brief."),), origin=Origin.INJECTED))
    assert [message["role"] for message in scene.fit().messages()] == ["user", "user"]
    assert scene.fit().messages()[1]["content"] == "Be brief."


def test_a_conversation_with_gemini_begins_with_the_user() -> None:
    mended = gemini("A:hello U:task A:done")
    assert str(mended) == "…begins A:hello U:task A:done"
    assert mended.repairs == {"order": 1}


def test_system_text_is_the_users_for_gemini() -> None:
    scene = Scene("U:task", dialect="gemini")
    scene.transcript.append(Message(id="S:rules", role=Role.SYSTEM, parts=(Text("Be brief."),), origin=Origin.INJECTED))
    assert scene.fit().messages()[1] == {"role": "user", "parts": [{"text": "Be brief."}]}


def test_an_answer_to_be_continued_keeps_its_white_space_where_the_provider_takes_it() -> None:
    mended = gemini("U:task A:done:0")
    assert mended.items == mended.came


def test_a_last_answer_of_thoughts_and_white_space_is_left_out() -> None:
    scene = Scene("U:task", dialect="anthropic", max_tokens=500)
    body = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
            {"type": "text", "text": " \n"},
        ],
    }
    append(scene, body)
    assert scene.view() == "U:task"


def test_behind_a_last_answer_that_says_nothing_the_one_before_it_is_the_last() -> None:
    scene = Scene("U:task", dialect="anthropic", max_tokens=500)
    append(scene, {"role": "assistant", "content": "Well, \n"})
    append(scene, {"role": "assistant", "content": []})
    assert scene.fit().messages()[-1] == {"role": "assistant", "content": "Well,"}


def test_thoughts_do_not_go_on_into_an_answer_that_is_left_out() -> None:
    scene = Scene("U:task", dialect="anthropic", max_tokens=500)
    thoughts = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    append(scene, {"role": "assistant", "content": [thoughts]})
    append(scene, {"role": "assistant", "content": ""})
    scene.say("U:next")
    assert scene.view() == "U:task U:next"


def test_thoughts_and_the_answer_that_goes_on_from_them_leave_together() -> None:
    scene = Scene("U:task", dialect="anthropic", max_tokens=500)
    thoughts = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    append(scene, {"role": "assistant", "content": [thoughts]})
    append(scene, {"role": "assistant", "content": "So it is."})
    items = scene.say("U:next").fit().items
    assert [len(group) for group in groups(items, "anthropic")] == [1, 2, 1]


def append(scene: Scene, body: dict[str, object]) -> None:
    message, media = scene.engine.wire.read_message(json.dumps(body), id=f"m{len(scene.transcript.records)}")
    scene.transcript.append(message, media=media)


def test_an_answer_to_system_text_stays_with_it_where_the_provider_looks_at_what_follows() -> None:
    def sizes(dialect: str) -> list[int]:
        return [len(group) for group in groups(Mended("U:task A:a U:more S:rules A:b U:next", dialect).items, dialect)]

    assert sizes("anthropic") == [1, 1, 1, 2, 1]
    assert sizes("openai_chat") == [1, 1, 1, 1, 1, 1]


def test_system_texts_in_a_row_count_as_one_and_stay_where_the_provider_takes_them() -> None:
    scene = Scene("U:task", dialect="anthropic")
    talk = scene.transcript
    for number in range(2):
        talk.append(of_anthropic(f"S{number}", {"role": "system", "content": f"Rule {number}."}))
    assert [message["role"] for message in scene.fit().messages()] == ["user", "system", "system"]
    talk.append(of_anthropic("A", {"role": "assistant", "content": "Yes."}))
    assert [message["role"] for message in scene.fit().messages()] == ["user", "system", "system", "assistant"]


def test_system_texts_before_a_question_are_the_users() -> None:
    scene = Scene("U:task", dialect="anthropic")
    for number in range(2):
        scene.transcript.append(of_anthropic(f"S{number}", {"role": "system", "content": f"Rule {number}."}))
    scene.say("U:next")
    assert [message["role"] for message in scene.fit().messages()] == ["user"] * 4


def test_system_text_may_follow_what_a_tool_of_the_server_gave_back() -> None:
    scene = Scene("U:task", dialect="anthropic")
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "rivers"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    scene.transcript.append(of_anthropic("A", {"role": "assistant", "content": [use, found]}))
    scene.transcript.append(of_anthropic("S", {"role": "system", "content": "Be brief."}))
    assert [message["role"] for message in scene.fit().messages()] == ["user", "assistant", "system"]


def of_anthropic(id: str, message: object) -> Message:
    """Read a message as Anthropic writes it."""
    return wire("anthropic").read_message(json.dumps(message), id=id)[0]
