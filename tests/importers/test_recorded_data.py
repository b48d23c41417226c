"""Real transcripts: every file opens, nothing is split, nothing is lost.

The counts of conversations, calls and pictures are those of the data's README. Its counts of messages take each line
with results as a message of its own, so messages are counted again here, from the lines.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.shared import DATA, needs_data
from unabridged.errors import BadInput
from unabridged.importers import Imported, read_file
from unabridged.message import Origin, Role, media_of
from unabridged.wire import wire

pytestmark = needs_data

SESSIONS = sorted(DATA.glob("*/*.claude.jsonl*"))
REQUESTS = {
    "provider-requests/openai-chat.requests.jsonl.gz": (99, 383, 121),
    "provider-requests/anthropic-messages.requests.jsonl.gz": (124, 441, 152),
    "tau-bench/gpt-4o-airline.part-shared.json.gz": (148, 3700, 1776),
    "openhands/litellm_proxy__anthropic__claude-sonnet-4-20250514-1757015040.416.json": (1, 10, 5),
    "openhands/litellm_proxy__deepseek__deepseek-chat-1757015076.651.json.gz": (1, 8, 4),
    "provider-requests/openai-responses.requests.jsonl.gz": (67, 273, 93),
    "provider-requests/gemini-contents.requests.jsonl.gz": (97, 458, 154),
}
"""Conversations, messages without the leading system messages, answers."""

NOT_UNDERSTOOD = ("Bedrock's Converse", "`conversation` stands for messages that only the provider has")

Json = dict[str, Any]


@cache
def imported(path: Path) -> list[Imported]:
    return read_file(path)


@cache
def listed() -> dict[str, tuple[int, int, int]]:
    """Conversations, tool calls and images of every file, as the README of the data has them."""
    rows = (line.strip("| \n").split("|") for line in (DATA / "README.md").read_text(encoding="utf-8").splitlines())
    cells = ([cell.strip() for cell in row] for row in rows if len(row) >= 8)
    return {row[0]: (int(row[2]), int(row[4]), int(row[5])) for row in cells if "/" in row[0] and row[2].isdigit()}


def name_of(path: Path) -> str:
    return path.relative_to(DATA).as_posix()


def text_of(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def lines(path: Path, kind: str) -> Iterator[Json]:
    for line in text_of(path).split(b"\n"):
        if line and (record := json.loads(line))["type"] == kind:
            yield record


def answers(path: Path) -> dict[str, list[Json]]:
    """Blocks of every message that a model gave, by message id."""
    found: dict[str, list[Json]] = {}
    for line in lines(path, "assistant"):
        if line["message"]["model"] != "<synthetic>":
            found.setdefault(line["message"]["id"], []).extend(line["message"]["content"])
    return found


def results(path: Path) -> Counter[str]:
    contents = (line["message"]["content"] for line in lines(path, "user"))
    blocks = (block for content in contents if isinstance(content, list) for block in content)
    return Counter(block["tool_use_id"] for block in blocks if block["type"] == "tool_result")


@pytest.mark.parametrize("path", SESSIONS, ids=name_of)
def test_conversations_calls_and_pictures_are_as_many_as_listed(path: Path) -> None:
    messages = [message for conversation in imported(path) for message in conversation.messages]
    calls = sum(len(message.calls) for message in messages)
    pictures = sum(1 for message in messages for _ in media_of(message))

    assert (len(imported(path)), calls, pictures) == listed()[name_of(path)]


@pytest.mark.parametrize("path", SESSIONS, ids=name_of)
def test_no_answer_is_split_and_no_block_of_one_is_lost(path: Path) -> None:
    bodies = [
        json.loads(wire("anthropic").write_message(message, conversation.media))
        for conversation in imported(path)
        for message in conversation.messages
        if message.role is Role.ASSISTANT
    ]

    assert sorted(json.dumps(body["content"], sort_keys=True) for body in bodies) == sorted(
        json.dumps(blocks, sort_keys=True) for blocks in answers(path).values()
    )


@pytest.mark.parametrize("path", SESSIONS, ids=name_of)
def test_no_result_is_lost_and_none_is_split_from_its_call_by_the_reading(path: Path) -> None:
    found: Counter[str] = Counter()
    for conversation in imported(path):
        for before, message in zip((None, *conversation.messages), conversation.messages, strict=False):
            found.update(result.call_id for result in message.results)
            if message.results and before is not None:
                assert {result.call_id for result in message.results} <= {call.id for call in before.calls}

    assert found == results(path)


@pytest.mark.parametrize("path", SESSIONS, ids=name_of)
def test_every_word_of_a_user_is_there(path: Path) -> None:
    said = Counter(
        message.text
        for conversation in imported(path)
        for message in conversation.messages
        if message.role is Role.USER and not message.results
    )
    expected: Counter[str] = Counter()
    for line in lines(path, "user"):
        content = line["message"]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not any(block["type"] == "tool_result" for block in blocks):
            expected["\n".join(block["text"] for block in blocks if block["type"] == "text")] += 1
    expected.update(
        line["attachment"]["prompt"]
        for line in lines(path, "attachment")
        if line["attachment"]["type"] == "queued_command"
    )

    assert said == expected


@pytest.mark.parametrize("path", SESSIONS, ids=name_of)
def test_every_answer_has_the_usage_that_was_reported_last(path: Path) -> None:
    reported = {line["message"]["id"]: line["message"] for line in lines(path, "assistant")}
    outputs = Counter(
        (message["model"], message["usage"]["output_tokens"])
        for message in reported.values()
        if message["model"] != "<synthetic>"
    )
    calls = [call for conversation in imported(path) for call in conversation.calls]

    assert Counter((call.model, call.usage.output) for call in calls if call.usage is not None) == outputs


@pytest.mark.parametrize("path", SESSIONS, ids=name_of)
def test_nothing_in_a_real_session_is_unreadable(path: Path) -> None:
    problems = [problem for conversation in imported(path) for problem in conversation.problems]

    assert [problem for problem in problems if not problem.startswith("left out, ")] == []


def test_origins_of_all_sessions_together() -> None:
    messages = [message for path in SESSIONS for conversation in imported(path) for message in conversation.messages]

    assert Counter(message.origin for message in messages) == {
        Origin.MODEL: 7043,
        Origin.TOOL_FEEDBACK: 6540,
        Origin.HUMAN: 502,
        Origin.INJECTED: 165,
        Origin.CLIENT_SUMMARY: 24,
    }


@pytest.mark.parametrize("name", REQUESTS)
def test_recorded_requests_are_read_whole(name: str) -> None:
    conversations = imported(DATA / name)
    messages = sum(len(conversation.messages) for conversation in conversations)
    calls = sum(len(conversation.calls) for conversation in conversations)

    assert (len(conversations), messages, calls) == REQUESTS[name]
    problems = [problem for conversation in conversations for problem in conversation.problems]
    assert [problem for problem in problems if not any(known in problem for known in NOT_UNDERSTOOD)] == []


@pytest.mark.parametrize("name", [name for name in REQUESTS if name.startswith("provider-requests/")])
def test_a_recorded_request_goes_out_again_as_the_same_json(name: str) -> None:
    bodies = [json.loads(line)["body"] for line in text_of(DATA / name).split(b"\n") if line]
    readable = [body for body in bodies if "conversation" not in body]  # which stands for what we cannot see
    for conversation, body in zip(imported(DATA / name), readable, strict=True):
        spoken = wire(conversation.dialect)
        texts = spoken.write_messages(conversation.messages, conversation.media)
        assert json.loads(spoken.write_request(conversation.frame, texts)) == body


def test_requests_of_the_other_provider_are_found_in_both_files() -> None:
    openai, anthropic, *_ = (Counter(each.dialect for each in imported(DATA / name)) for name in REQUESTS)

    assert openai == {"openai_chat": 95, "anthropic": 4}
    assert anthropic == {"anthropic": 123, "openai_chat": 1}


NOT_READ = {
    "claude-code-other/happy-trace_0.json.gz": "a Happy client log",
    "crosswoz-zh/*.zip": "not JSON, it begins with",
    "locomo/*.gz": "JSON of an unknown shape",
    "memorybank/*.json*": "JSON of an unknown shape",
    "xpersona/*.gz": "JSON of an unknown shape",
}


@pytest.mark.parametrize("pattern", NOT_READ)
def test_a_file_of_another_format_is_refused_in_one_line(pattern: str) -> None:
    paths = [*DATA.glob(pattern)]
    assert paths
    for path in paths:
        with pytest.raises(BadInput) as refused:
            read_file(path)
        assert str(refused.value).startswith(f"{path.name}: {NOT_READ[pattern]}")
        assert "\n" not in str(refused.value)
