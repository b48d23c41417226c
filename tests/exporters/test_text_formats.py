"""ShareGPT and aider: formats of texts, which have no ids, no pictures and few roles."""

from __future__ import annotations

import json

import pytest

from tests.exporters.making import PICTURE, call, human, injected, losses, model, result, talk, tool, written
from tests.importers.sessions import shown
from unabridged.framing import frame_of
from unabridged.importers import read_bytes
from unabridged.message import Reasoning, Text

TALK = (human("Fix it."), model("I look.", call("c1")), tool(result("c1", "ok")), model("Done."))


def test_sharegpt_gives_calls_and_results_turns_of_their_own() -> None:
    (record,) = json.loads(written("sharegpt", talk(*TALK)))

    assert [(turn["from"], turn["value"]) for turn in record["conversations"]] == [
        ("human", "Fix it."),
        ("gpt", "I look."),
        ("function_call", '{"name":"read","arguments":{"path":"a.py"}}'),
        ("observation", "ok"),
        ("gpt", "Done."),
    ]


def test_sharegpt_lists_calls_that_were_made_at_once() -> None:
    conversation = talk(
        human("Go"), model(call("c1"), call("c2")), tool(result("c1", "one")), tool(result("c2", "two"))
    )
    (record,) = json.loads(written("sharegpt", conversation))
    (back,) = read_bytes(written("sharegpt", conversation).encode(), "b.json")

    assert [turn["from"] for turn in record["conversations"]] == [
        "human",
        "function_call",
        "observation",
        "observation",
    ]
    assert len(json.loads(record["conversations"][1]["value"])) == 2
    assert [part.parts for message in back.messages for part in message.results] == [(Text("one"),), (Text("two"),)]


def test_sharegpt_takes_the_system_text_and_the_tools() -> None:
    tools = [{"name": "read", "description": "Reads.", "input_schema": {"type": "object"}}]
    frame = frame_of("anthropic", model="m", system="Be careful.", tools=tools)
    (record,) = json.loads(written("sharegpt", talk(*TALK, frame=frame)))

    assert record["system"] == "Be careful."
    assert json.loads(record["tools"]) == [{"name": "read", "description": "Reads.", "parameters": {"type": "object"}}]


def test_sharegpt_counts_what_it_cannot_say() -> None:
    conversation = talk(human("Go", PICTURE), injected("It is 5."), model(Reasoning("Hm."), call("c1")))

    assert losses("sharegpt", conversation) == [
        "pictures and items are said in words (1)",
        "messages of the client go out as a person's: this format cannot tell them apart (1)",
        "thoughts are left out (1)",
        "ids of calls are left out: this format has none (1)",
    ]


def test_no_conversation_is_an_empty_list() -> None:
    assert json.loads(written("sharegpt")) == []


def test_aider_prints_for_people_what_it_does_not_restore() -> None:
    conversation = talk(*TALK, injected("It is 5."), frame=frame_of("openai_chat", system="Be careful."))

    assert written("aider", conversation) == (
        "\n# aider chat started at 2026-01-01 00:00:00\n"
        "\n#### Fix it.  \n"
        "\nI look.\n"
        '\n> read {"path":"a.py"}  \n'
        "\n> ok  \n"
        "\nDone.\n"
        "\n> It is 5.  \n"
    )
    assert losses("aider", conversation) == [
        "system texts are left out: the client brings its own (1)",
        "calls are printed for people: aider has no tools (1)",
        "results are printed for people: aider does not restore them (1)",
        "messages of the client are printed for people: aider does not restore them (1)",
    ]


@pytest.mark.parametrize("line", ["#### A heading", "> A quote", "# A title"])
def test_an_answer_in_aiders_own_signs_stays_an_answer(line: str) -> None:
    conversation = talk(human("Go"), model(f"Here:\n{line}  \nDone."), human("On"))
    (back,) = read_bytes(written("aider", conversation).encode(), "b.md")

    assert shown(back) == ["human: Go", f"assistant: Here:\n{line}\nDone.", "human: On"]


def test_chats_stand_one_behind_the_other() -> None:
    text = written("aider", talk(human("One"), model("1")), talk(human("Two"), model("2"), name="b"))

    assert [shown(each) for each in read_bytes(text.encode(), "b.md")] == [
        ["human: One", "assistant: 1"],
        ["human: Two", "assistant: 2"],
    ]
