"""Requests of the four APIs: frames in another provider's words, and what has no place there."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.exporters.making import call, human, injected, losses, model, result, summary, talk, tool, written
from unabridged.framing import frame_of
from unabridged.importers import Imported
from unabridged.message import Message, Opaque, Raw, Reasoning

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
TOOLS: dict[str, dict[str, Any]] = {
    "openai_chat": {"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": SCHEMA}},
    "openai_responses": {"type": "function", "name": "read", "description": "Reads.", "parameters": SCHEMA},
    "anthropic": {"name": "read", "description": "Reads.", "input_schema": SCHEMA},
    "gemini": {
        "functionDeclarations": [{"name": "read", "description": "Reads.", "parametersJsonSchema": SCHEMA}],
    },
}
NAMES = {"openai": "openai_chat", "openai-responses": "openai_responses", "anthropic": "anthropic", "gemini": "gemini"}
TALK = (human("Fix it."), model(call("c1")), tool(result("c1", "ok")), model("Done."))


@pytest.mark.parametrize("source", TOOLS)
@pytest.mark.parametrize("to", NAMES)
def test_system_text_model_and_tools_are_said_in_the_words_of_every_provider(source: str, to: str) -> None:
    frame = frame_of(source, model="m", system="Be careful.", tools=[TOOLS[source]])
    body = json.loads(written(to, talk(*TALK, frame=frame)))

    assert body["tools"] == [TOOLS[NAMES[to]]]
    assert body.get("model", "m") == "m"
    said = {
        "openai": lambda: body["messages"][0]["content"],
        "openai-responses": lambda: body["instructions"],
        "anthropic": lambda: body["system"],
        "gemini": lambda: body["systemInstruction"]["parts"][0]["text"],
    }[to]()
    assert said == "Be careful."


def test_anthropic_gets_the_output_limit_that_it_demands() -> None:
    assert json.loads(written("anthropic", talk(*TALK)))["max_tokens"] > 0


def test_tools_that_the_provider_runs_and_parameters_of_its_own_are_counted() -> None:
    own = {"type": "web_search_20250305", "name": "web_search"}
    frame = frame_of("anthropic", model="m", tools=[own, TOOLS["anthropic"]], top_k=3, max_tokens=9)

    assert losses("openai", talk(*TALK, frame=frame)) == [
        "parameters of the request are left out: another provider has others (1)",
        "tools that only their own provider has are left out (1)",
    ]
    assert losses("anthropic", talk(*TALK, frame=frame)) == []


def test_system_text_in_blocks_is_one_text_elsewhere() -> None:
    frame = frame_of("anthropic", model="m")
    blocks = json.dumps([{"type": "text", "text": "Be careful."}, {"type": "text", "text": "Be short."}])
    frame = frame.__class__(dialect="anthropic", fields=(*frame.fields, ("system", blocks)))

    assert json.loads(written("openai", talk(*TALK, frame=frame)))["messages"][0] == {
        "role": "system",
        "content": "Be careful.\n\nBe short.",
    }


def foreign(*messages: Message) -> Imported:
    """A conversation whose messages have the forms of some other format."""
    return talk(*(msgspec.structs.replace(message, raw=Raw("pi", "{}")) for message in messages))


@pytest.mark.parametrize("to", NAMES)
def test_what_only_one_provider_understands_is_counted(to: str) -> None:
    thinking = model(Reasoning("Hm."), Opaque("web", "{}"), "Yes.")

    assert losses(to, foreign(human("Go"), thinking, summary("They went."), injected("It is 5."))) == [
        "thoughts are left out: only the model that had them can use them (1)",
        "items are said in words: this format has no place for them (1)",
        "messages of the client go out as a person's: this format cannot tell them apart (2)",
    ]


@pytest.mark.parametrize("to", NAMES)
def test_a_message_of_which_nothing_is_left_does_not_take_the_others_along(to: str) -> None:
    conversation = foreign(human("Go"), model(Reasoning("Hm.", "signed")), model("Yes."))
    body = json.loads(written(to, conversation))

    assert len(next(body[name] for name in ("messages", "input", "contents") if name in body)) == 2
    assert "messages are left out: nothing of them has a place here (1)" in losses(to, conversation)


def test_a_message_that_a_provider_refuses_empty_is_left_out() -> None:
    conversation = talk(human("Go"), model(), human("On"))

    assert [message["role"] for message in json.loads(written("anthropic", conversation))["messages"]] == ["user"] * 2
    assert losses("anthropic", conversation) == ["messages are left out: nothing of them has a place here (1)"]


def test_several_conversations_are_one_request_a_line() -> None:
    lines = written("openai", talk(*TALK), talk(human("Hello\nthere"), name="b")).splitlines()

    assert [len(json.loads(line)["messages"]) for line in lines] == [4, 1]
