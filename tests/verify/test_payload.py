"""The judge's own count: what it takes for text, and what for media."""

from __future__ import annotations

import pytest

from tests.verify.payload import FRAMING, count, message_tokens, payload_tokens

PAGES = 10_000


def counted(*content: object) -> int:
    return payload_tokens({"messages": [{"role": "user", "content": list(content)}]}, lambda block: PAGES) - FRAMING


@pytest.mark.parametrize(
    "source", [{"type": "base64", "data": "JVBERi0="}, {"type": "url", "url": "https://a.example"}]
)
def test_a_document_of_pages_is_media(source: object) -> None:
    assert counted({"type": "document", "source": source}) == PAGES


@pytest.mark.parametrize(
    "source",
    [
        {"type": "text", "media_type": "text/plain", "data": "Only a line."},
        {"type": "content", "content": "Only a line."},
        {"type": "content", "content": [{"type": "text", "text": "Only a line."}]},
    ],
    ids=["text", "one string", "blocks"],
)
def test_a_document_given_as_words_costs_its_words(source: object) -> None:
    document = {"type": "document", "source": source}
    assert counted(document) == count("Only a line.")
    assert counted({"type": "tool_result", "tool_use_id": "c", "content": [document]}) == count("Only a line.") + 1


def test_a_picture_inside_a_document_is_media() -> None:
    source = {"type": "content", "content": [{"type": "image", "source": {}}, {"type": "text", "text": "So."}]}
    assert counted({"type": "document", "source": source}) == PAGES + count("So.")


@pytest.mark.parametrize(
    ("item", "read"),
    [
        ({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "ls", "arguments": "{}"}, ["c", "ls", "{}"]),
        ({"type": "function_call_output", "call_id": "c", "output": "Only a line."}, ["c", "Only a line."]),
        ({"role": "user", "content": [{"type": "input_text", "text": "Only a line."}]}, ["Only a line."]),
        ({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"}, []),
        ({"role": "model", "parts": [{"text": "So.", "thoughtSignature": "c2lnbmVk"}]}, ["So."]),
        ({"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {"a": 1}}}]}, ["ls", '{"a":1}']),
        (
            {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "a\nb"}}}]},
            ["ls", "a\nb"],
        ),
        ({"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"n": 1}}}]}, ["ls", '{"n":1}']),
    ],
    ids=[
        *("call", "output", "words", "sealed thoughts", "Gemini's words", "Gemini's call"),
        *("Gemini's output", "another response of Gemini's"),
    ],
)
def test_of_an_item_or_a_content_counts_what_a_model_reads(item: dict[str, object], read: list[str]) -> None:
    assert message_tokens(item, lambda block: PAGES) == sum(map(count, read))


@pytest.mark.parametrize(
    "item",
    [
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,iVBO"}]},
        {"type": "function_call_output", "call_id": "", "output": [{"type": "input_file", "file_data": "JVBE"}]},
        {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "iVBO"}}]},
        {"role": "user", "parts": [{"file_data": {"mime_type": "video/mp4", "file_uri": "https://a.example"}}]},
    ],
    ids=["picture", "file in an output", "Gemini's picture", "Gemini's file"],
)
def test_media_of_an_item_or_a_content_are_media(item: dict[str, object]) -> None:
    assert message_tokens(item, lambda block: PAGES) == PAGES
