"""Real transcripts of every other tool: each file opens, and nothing in it is lost.

The counts are those of the data's README where it counts as we do; it counts leading system messages too, which are
the frame's here, and what a client printed in aider's files line by line.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.importers.test_recorded_data import imported, listed, name_of, text_of
from tests.shared import DATA, needs_data
from unabridged.importers import Imported
from unabridged.message import Origin, Role, ToolResult, media_of

pytestmark = needs_data

PATTERNS = [
    "codex-copilot-agentv/*.codex.jsonl.gz",
    "codex-copilot-agentv/*.copilot.jsonl*",
    "pi-mono/*.gz",
    "swe-agent/*.traj*",
    "openhands/basic_gui_mode.json",
    "openhands/multi_swe_bench_output.openhands.jsonl.gz",
    "inspect-logs/*.json*",
    "langgraph-deer-flow/*.json*",
    "glaive-toolcall/*.gz",
]
FILES = [path for pattern in PATTERNS for path in sorted(DATA.glob(pattern))]
CODEX = [path for path in FILES if ".codex." in path.name]


def messages_of(path: Path) -> list[Any]:
    return [message for conversation in imported(path) for message in conversation.messages]


def records(path: Path) -> list[Any]:
    return [json.loads(line) for line in text_of(path).split(b"\n") if line]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_conversations_and_calls_are_as_many_as_listed(path: Path) -> None:
    calls = sum(len(message.calls) for message in messages_of(path))
    conversations, listed_calls, _ = listed()[name_of(path)]

    if ".codex." in path.name:  # searches for tools, which the list counts too, are opaque items here
        listed_calls -= sum(each["payload"].get("type") == "tool_search_call" for each in records(path))
    assert (len(imported(path)), calls) == (conversations, listed_calls)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_pictures_are_kept_with_their_bytes(path: Path) -> None:
    media = {each.digest for message in messages_of(path) for each in media_of(message)}

    assert media <= {digest for conversation in imported(path) for digest in conversation.media}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_in_a_real_file_is_unreadable(path: Path) -> None:
    problems = [problem for conversation in imported(path) for problem in conversation.problems]

    assert [problem for problem in problems if not problem.endswith("its summary is not in the file")] == []


@pytest.mark.parametrize("path", CODEX, ids=name_of)
def test_every_codex_item_is_in_a_message_once_and_as_it_was(path: Path) -> None:
    (conversation,) = imported(path)
    found: Counter[str] = Counter()
    for message in (*conversation.frame.system, *conversation.messages):
        if message.raw is not None and message.raw.dialect == "openai_responses" and not message.raw.media:
            body = json.loads(message.raw.body)
            found.update(json.dumps(item) for item in (body if isinstance(body, list) else [body]))
    written = Counter(
        json.dumps(record["payload"])
        for record in records(path)
        if record["type"] == "response_item" and "base64," not in json.dumps(record)
    )

    assert written <= found


@pytest.mark.parametrize("path", CODEX, ids=name_of)
def test_what_people_typed_in_codex_is_what_its_events_say(path: Path) -> None:
    (conversation,) = imported(path)
    events = [each["payload"] for each in records(path) if each["type"] == "event_msg"]
    typed = [event["message"] for event in events if event["type"] == "user_message"]

    assert [message.text for message in conversation.messages if message.is_human] == typed


def test_nearly_every_codex_call_has_its_usage() -> None:
    calls = [call for path in CODEX for call in imported(path)[0].calls]

    assert (len(calls), sum(call.usage is None for call in calls)) == (1702, 5)


def results_answer_calls(conversation: Imported) -> tuple[int, int]:
    """Results with an open call before them, and without."""
    waiting: list[str] = []
    with_call = without = 0
    for message in conversation.messages:
        for part in message.parts:
            if isinstance(part, ToolResult) and part.call_id in waiting:
                waiting.remove(part.call_id)
                with_call += 1
            elif isinstance(part, ToolResult):
                without += 1
        waiting += [call.id for call in message.calls]
    return with_call, without


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_results_find_their_calls_as_far_as_the_file_has_them(path: Path) -> None:
    without = sum(results_answer_calls(conversation)[1] for conversation in imported(path))
    faulty = {"inspect-logs/log_tool_call_error.json": 11, "glaive-toolcall/glaive_toolcall_zh_demo.json.gz": 2}

    assert without == faulty.get(name_of(path), without if "openhands/multi" in name_of(path) else 0)


def test_origins_of_every_format_together() -> None:
    found = {
        pattern.partition("/")[0]: Counter(
            message.origin for path in DATA.glob(pattern) for message in messages_of(path) if message.role is Role.USER
        )
        for pattern in (*PATTERNS[2:4], "aider/*.gz", "langgraph-deer-flow/*.json*")
    }

    assert found == {
        "pi-mono": {Origin.HUMAN: 88},
        "swe-agent": {Origin.HUMAN: 19, Origin.TOOL_FEEDBACK: 129, Origin.INJECTED: 1},
        "aider": {Origin.HUMAN: 873, Origin.INJECTED: 2257},
        "langgraph-deer-flow": {Origin.HUMAN: 18},
    }
