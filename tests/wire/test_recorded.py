"""Requests that a library's test-suite recorded, with every kind of block that providers have."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import msgspec
import pytest

from tests.shared import DATA, needs_data
from tests.wire.sdk import accept
from unabridged.errors import BadInput
from unabridged.message import Opaque
from unabridged.wire import wire

FILES = {
    "anthropic": "anthropic-messages.requests.jsonl.gz",
    "gemini": "gemini-contents.requests.jsonl.gz",
    "openai_chat": "openai-chat.requests.jsonl.gz",
    "openai_responses": "openai-responses.requests.jsonl.gz",
}
LEAST = {"anthropic": 90, "gemini": 90, "openai_chat": 90, "openai_responses": 60}
ACROSS = [(source, target) for source in FILES for target in FILES if source != target]


def recorded(dialect: str) -> Iterator[bytes]:
    """Every request body as it stands in its line, but for those that go on from what the provider keeps."""
    with gzip.open(DATA / "provider-requests" / FILES[dialect], "rb") as lines:
        for line in lines:
            body = bytes(msgspec.json.decode(line, type=dict[str, msgspec.Raw])["body"])
            if not json.loads(body).get("conversation"):
                yield body


@needs_data
@pytest.mark.parametrize("dialect", FILES)
def test_every_request_goes_back_out_as_the_bytes_that_came_in(dialect: str) -> None:
    seen = 0
    for body in recorded(dialect):
        frame, messages, media = wire(dialect).read_request(body, id_prefix="r")
        assert wire(dialect).write_request(frame, wire(dialect).write_messages(messages, media)) == body
        seen += 1
    assert seen > LEAST[dialect]


@needs_data
@pytest.mark.parametrize("dialect", FILES)
def test_every_message_is_in_its_request_character_by_character(dialect: str) -> None:
    for body in recorded(dialect):
        _, messages, media = wire(dialect).read_request(body, id_prefix="r")
        for message in messages:
            for text in wire(dialect).write_messages([message], media):
                assert text in body.decode()
            text = wire(dialect).write_message(message, media)
            assert wire(dialect).read_message(text, id=message.id)[0] == message


@needs_data
@pytest.mark.parametrize("dialect", FILES)
def test_every_message_can_be_written_from_its_parts(dialect: str) -> None:
    seen = 0
    for body in recorded(dialect):
        _, messages, media = wire(dialect).read_request(body, id_prefix="r")
        # Items of other services that speak the dialect their own way are not in the provider's types.
        known = [m for m in messages if m.parts and not any(isinstance(part, Opaque) for part in m.parts)]
        bare = [msgspec.structs.replace(message, raw=None) for message in known]
        for text in wire(dialect).write_messages(bare, media):
            accept(dialect, text)
            seen += 1
    assert seen > 200


@needs_data
@pytest.mark.parametrize(("source", "target"), ACROSS)
def test_every_conversation_can_go_on_with_another_provider(source: str, target: str) -> None:
    for body in recorded(source):
        _, messages, media = wire(source).read_request(body, id_prefix="r")
        texts = wire(target).write_messages(messages, media)
        for text in texts:
            accept(target, text)
        blob = json.dumps([json.loads(text) for text in texts], ensure_ascii=False)
        for message in messages:
            for call in message.calls:
                assert json.dumps(call.name) in blob


@needs_data
def test_a_request_that_goes_on_from_what_the_provider_keeps_is_refused_by_the_name_of_the_field() -> None:
    with gzip.open(DATA / "provider-requests" / FILES["openai_responses"], "rb") as lines:
        bodies = [bytes(msgspec.json.decode(line, type=dict[str, msgspec.Raw])["body"]) for line in lines]
    (kept,) = [body for body in bodies if json.loads(body).get("conversation")]
    with pytest.raises(BadInput, match="`conversation` stands for messages that only the provider has"):
        wire("openai_responses").read_request(kept, id_prefix="r")
