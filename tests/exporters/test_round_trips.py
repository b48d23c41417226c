"""Out and in again: what a format holds comes back as the same messages, and its own form as the same characters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.importers.samples import SAMPLES
from tests.importers.sessions import shown
from tests.importers.spoiling import spoiled
from tests.shared import DATA, needs_data
from unabridged.errors import BadInput
from unabridged.exporters import EXPORTERS, Exporter, Losses, exporter
from unabridged.exporters.log_file import write_log
from unabridged.importers import Imported, read_bytes, read_file
from unabridged.message import Message, Part, Reasoning, ToolCall, ToolResult
from unabridged.normal import normal_bytes

HOMES = {
    "Claude Code session": "claude-code",
    "Codex rollout": "codex",
    "Gemini CLI session": "gemini-cli",
    "pi session": "pi",
    "ShareGPT file": "sharegpt",
    "aider chat history": "aider",
    "OpenAI Responses items": "openai-responses",
    "Gemini contents": "gemini",
    "OpenAI messages": "openai",
}
"""Formats that are written as well as read."""
ROLES_AND_ORIGINS = ("codex", "pi")
"""Formats of other tools that say of any message who made it."""
ALL = sorted(SAMPLES)
FILES = {
    "codex-copilot-agentv/*.codex.jsonl.gz": "codex",
    "pi-mono/*.gz": "pi",
    "glaive-toolcall/*.gz": "sharegpt",
    "aider/*.gz": "aider",
    "claude-code-context-evaluator/*.gz": "claude-code",
    "claude-code-other/*.jsonl.gz": "claude-code",
    "provider-requests/openai-responses*.gz": "openai-responses",
    "provider-requests/gemini*.gz": "gemini",
    "tau-bench/*.gz": "openai",
}


def sample(name: str) -> Imported:
    (conversation,) = read_bytes(SAMPLES[name], "a.file")
    return conversation


def written(to: Exporter, *conversations: Imported) -> tuple[str, list[str]]:
    losses = Losses()
    return "".join(to.write(conversations, losses)), losses.sentences


def again(to: Exporter, *conversations: Imported) -> list[Imported]:
    return read_bytes(written(to, *conversations)[0].encode("utf-8", "backslashreplace"), "b.file")


def said(message: Message) -> tuple[str, str, bytes]:
    return message.role, message.origin, normal_bytes(message)


def pieces(conversation: Imported) -> list[str]:
    """What was said, call by call and text by text: every format with calls keeps it, whoever says it in which role."""
    found: list[str] = []
    for message in conversation.messages:
        for part in message.parts:
            found += _pieces(part)
    return found


def _pieces(part: Part) -> list[str]:
    match part:
        case ToolCall(name=name, arguments=arguments):
            return [f"{name} {json.dumps(json.loads(arguments), sort_keys=True)}"]
        case ToolResult(parts=parts):
            return [f"-> {piece}" for inner in parts for piece in _pieces(inner)]
        case Reasoning():
            return []
        case _:
            return [part.text if hasattr(part, "text") else str(part)]  # type: ignore[union-attr]  # what has a text


@pytest.mark.parametrize("name", HOMES)
def test_a_conversation_goes_back_into_its_own_format_as_it_was(name: str) -> None:
    conversation = sample(name)
    to = exporter(HOMES[name])
    (back,) = again(to, conversation)

    assert [said(message) for message in back.messages] == [said(message) for message in conversation.messages]
    assert [message.raw for message in back.messages] == [message.raw for message in conversation.messages]
    assert [(call.answer, call.usage) for call in back.calls] == [
        (call.answer, call.usage) for call in conversation.calls
    ]
    assert not [loss for loss in written(to, conversation)[1] if "aider does not restore" not in loss]


@pytest.mark.parametrize("name", HOMES)
def test_writing_twice_gives_the_same_characters(name: str) -> None:
    to = exporter(HOMES[name])
    assert written(to, sample(name)) == written(to, sample(name))


@pytest.mark.parametrize("to", [each for each in EXPORTERS if each.name != "aider"], ids=lambda to: to.name)
@pytest.mark.parametrize("name", ALL)
def test_what_was_said_called_and_given_back_survives_in_every_format_with_tools(name: str, to: Exporter) -> None:
    (back,) = again(to, sample(name))

    assert pieces(back) == pieces(sample(name))
    humans = [message.text for message in back.messages if message.is_human]
    assert [message.text for message in sample(name).messages if message.is_human] == [
        text for text in humans if "Aider v0.1" not in text and "Tokens: " not in text
    ]


@pytest.mark.parametrize("to", ROLES_AND_ORIGINS)
@pytest.mark.parametrize("name", [name for name in ALL if name != "Claude Code session" and name != "Gemini contents"])
def test_formats_that_can_say_who_made_a_message_give_the_same_messages(name: str, to: str) -> None:
    (back,) = again(exporter(to), sample(name))

    assert [said(message) for message in back.messages] == [said(message) for message in sample(name).messages]


@pytest.mark.parametrize("name", ALL)
def test_aider_gets_a_persons_words_and_the_models_and_prints_the_rest(name: str) -> None:
    (back,) = again(exporter("aider"), sample(name))
    original = sample(name)

    assert [message.text for message in back.messages if message.is_human] == [
        message.text for message in original.messages if message.is_human
    ]
    assert [message.text for message in back.messages if message.role == "assistant"] == [
        message.text for message in original.messages if message.role == "assistant" and message.text
    ]


@pytest.mark.parametrize("name", ALL)
def test_a_log_gives_back_the_very_messages_and_from_it_the_very_file(name: str, tmp_path: Path) -> None:
    conversation = sample(name)
    write_log(conversation, tmp_path / "a.jsonl")
    (back,) = read_file(tmp_path / "a.jsonl")

    assert back.messages == conversation.messages
    assert back.media == conversation.media
    assert (back.dialect, back.frame.system, back.frame.fields) == (
        conversation.dialect,
        conversation.frame.system,
        conversation.frame.fields,
    )
    if name in HOMES:
        assert [shown(each) for each in again(exporter(HOMES[name]), back)] == [shown(conversation)]
        assert [each.raw for each in again(exporter(HOMES[name]), back)[0].messages] == [
            message.raw for message in conversation.messages
        ]


@given(spoiled(), st.sampled_from(EXPORTERS))
def test_whatever_can_be_read_can_be_written_and_read_again(data: bytes, to: Exporter) -> None:
    try:
        conversations = read_bytes(data, "a.file")
    except BadInput:
        return
    for conversation in conversations:
        text, _ = written(to, conversation)
        if any(message.is_human and message.text for message in conversation.messages):
            assert read_bytes(text.encode("utf-8", "backslashreplace"), "b.file")


@needs_data
@pytest.mark.parametrize("pattern", FILES)
def test_real_conversations_go_back_into_their_own_format_as_they_were(pattern: str) -> None:
    to = exporter(FILES[pattern])
    for path in sorted(DATA.glob(pattern)):
        conversations = read_file(path)
        back = (
            again(to, *conversations)
            if to.holds_several
            else [found for conversation in conversations for found in again(to, conversation)]
        )
        assert [[said(message) for message in each.messages] for each in back] == [
            [said(message) for message in each.messages] for each in conversations
        ]
