"""What holds for every format alike: who reads a file, what comes of it, and that nothing in a file breaks a reader."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.importers.samples import ANSWER, GAVE, QUESTION, SAMPLES
from tests.importers.sessions import shown
from tests.importers.spoiling import spoiled
from unabridged.errors import BadInput
from unabridged.importers import IMPORTERS, Imported, read_bytes
from unabridged.importers.detection import Head
from unabridged.message import Origin, Role, ToolResult

FORMATS = sorted(SAMPLES)
WITH_CALLS = [name for name in FORMATS if name != "aider chat history"]


def read(name: str) -> Imported:
    (conversation,) = read_bytes(SAMPLES[name], "a.file")
    return conversation


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_is_read_by_the_importer_of_its_format(name: str) -> None:
    head = Head(SAMPLES[name])
    assert next(importer.name for importer in IMPORTERS if importer.recognises(head)) == name


@pytest.mark.parametrize("name", FORMATS)
def test_a_persons_words_are_human_and_the_models_are_its_own(name: str) -> None:
    messages = read(name).messages

    assert [message.text for message in messages if message.is_human] == [QUESTION]
    assert [message.text for message in messages if message.origin is Origin.MODEL][-1] == ANSWER
    assert read(name).problems == ()


@pytest.mark.parametrize("name", WITH_CALLS)
def test_a_call_and_what_it_gave_are_kept_as_such(name: str) -> None:
    messages = read(name).messages
    (call,) = (call for message in messages for call in message.calls)
    ((message, result),) = ((message, result) for message in messages for result in message.results)

    assert (call.name, json.loads(call.arguments)) in [("run", {"command": "pytest"}), ("run", {"path": "a.py"})]
    assert result.call_id == call.id
    assert shown(read(name))[-2].endswith(f"{call.id} = {GAVE if name != 'Claude Code session' else 'done'}")
    assert message.origin is Origin.TOOL_FEEDBACK


@pytest.mark.parametrize("name", FORMATS)
def test_every_answer_is_a_call_of_a_model(name: str) -> None:
    conversation = read(name)
    answers = [at for at, message in enumerate(conversation.messages) if message.role is Role.ASSISTANT]

    assert [call.answer for call in conversation.calls] == answers


@pytest.mark.parametrize("name", FORMATS)
def test_ids_come_from_the_bytes_and_the_position(name: str) -> None:
    first, again = read(name), read(name)
    longer = read_bytes(SAMPLES[name] + b"\n", "b.file")[0]

    assert [message.id for message in first.messages] == [message.id for message in again.messages]
    assert [message.id[-7:] for message in first.messages] == [f"-{at:06d}" for at in range(len(first.messages))]
    assert {message.id for message in first.messages}.isdisjoint(message.id for message in longer.messages)


@pytest.mark.parametrize("name", FORMATS)
def test_what_comes_of_it_is_the_same_behind_a_byte_order_mark(name: str) -> None:
    (marked,) = read_bytes(b"\xef\xbb\xbf" + SAMPLES[name], "a.file")
    assert shown(marked) == shown(read(name))


@given(spoiled())
def test_no_value_in_a_file_makes_a_reader_fail_otherwise_than_in_one_line(data: bytes) -> None:
    told, messages = "a.file: ", [1]
    try:
        messages = [len(conversation.messages) for conversation in read_bytes(data, "a.file")]
    except BadInput as refused:
        told = str(refused)

    assert told.startswith("a.file: ")
    assert "\n" not in told
    assert all(messages)


LINES = ["Claude Code session", "Codex rollout", "Copilot CLI session", "pi session"]


@pytest.mark.parametrize("name", LINES)
@given(st.data())
def test_a_torn_line_costs_no_other_line(name: str, data: st.DataObject) -> None:
    records = SAMPLES[name].splitlines()
    at = data.draw(st.integers(1, len(records) - 1))
    torn = [*records[:at], records[at][: data.draw(st.integers(2, len(records[at]) - 1))], *records[at + 1 :]]
    whole = [*records[:at], *records[at + 1 :]]
    try:
        kept = read_bytes(b"\n".join(whole), "a.file")[0]
    except BadInput:
        return
    found = read_bytes(b"\n".join(torn), "a.file")[0]

    assert shown(found) == shown(kept)
    assert any(problem.startswith(f"line {at + 1}: ") for problem in found.problems)


def test_importers_are_asked_in_order_and_each_has_a_name_of_its_own() -> None:
    names = [importer.name for importer in IMPORTERS]
    assert len(set(names)) == len(names)
    assert names[-2:] == ["Anthropic messages", "OpenAI messages"]  # whatever is left over could be theirs


def test_results_know_their_own_calls_where_an_id_comes_twice() -> None:
    records = [json.loads(line) for line in SAMPLES["pi session"].splitlines()]
    again = [{**records[2], "id": "e4", "parentId": "e3"}, {**records[3], "id": "e5", "parentId": "e4"}]
    (conversation,) = read_bytes(b"\n".join(json.dumps(each).encode() for each in records + again), "a.jsonl")

    results = [part for message in conversation.messages for part in message.parts if isinstance(part, ToolResult)]
    assert [result.call_id for result in results] == ["c1", "c1"]
