"""At home nothing changes: what was read is written as the same characters."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.strategies import MESSAGES
from unabridged.errors import BadInput
from unabridged.message import Media, MediaKind, MediaSpan, media_of
from unabridged.wire import wire

PICTURE = bytes(range(256))
PICTURE_TEXT = base64.b64encode(PICTURE).decode()
DIGEST = hashlib.sha256(PICTURE).hexdigest()

dialects = st.sampled_from(sorted(MESSAGES))


@given(st.data(), dialects)
def test_any_message_goes_back_out_as_the_characters_that_came_in(data: st.DataObject, dialect: str) -> None:
    body = data.draw(MESSAGES[dialect])
    message, media = wire(dialect).read_message(body, id="m")
    assert wire(dialect).write_message(message, media) == body


@given(st.data(), dialects)
def test_every_media_item_with_a_digest_has_its_bytes_beside_it(data: st.DataObject, dialect: str) -> None:
    message, blobs = wire(dialect).read_message(data.draw(MESSAGES[dialect]), id="m")
    for media in media_of(message):
        if media.digest is not None:
            assert hashlib.sha256(blobs[media.digest]).hexdigest() == media.digest
            assert len(blobs[media.digest]) == media.size


def _anthropic_image(data: str) -> dict[str, object]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def _result(*blocks: object) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": "t", "content": list(blocks)}


HOLDERS = {
    "an Anthropic image": ("anthropic", _anthropic_image(PICTURE_TEXT)),
    "an Anthropic image in a result": (
        "anthropic",
        _result({"type": "text", "text": "a"}, _anthropic_image(PICTURE_TEXT)),
    ),
    "an Anthropic document": (
        "anthropic",
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PICTURE_TEXT}},
    ),
    "an image URL": (
        "openai_chat",
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE_TEXT}", "detail": "low"}},
    ),
    "a recording": ("openai_chat", {"type": "input_audio", "input_audio": {"data": PICTURE_TEXT, "format": "wav"}}),
    "a Responses image": (
        "openai_responses",
        {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE_TEXT}", "detail": "low"},
    ),
    "a Responses file": ("openai_responses", {"type": "input_file", "filename": "a", "file_data": PICTURE_TEXT}),
    "a file": (
        "openai_chat",
        {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PICTURE_TEXT}"}},
    ),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_long_base64_leaves_the_body_and_comes_back(holder: str) -> None:
    dialect, block = HOLDERS[holder]
    body = json.dumps({"role": "user", "content": [block, {"type": "text", "text": "what is it?"}, block]})
    message, blobs = wire(dialect).read_message(body, id="m")
    assert message.raw is not None
    assert message.raw.body == body.replace(PICTURE_TEXT, "")
    assert [span.digest for span in message.raw.media] == [DIGEST, DIGEST]
    assert blobs == {DIGEST: PICTURE}
    assert {media.digest for media in media_of(message)} == {DIGEST}
    assert wire(dialect).write_message(message, blobs) == body


def test_long_base64_leaves_an_output_and_a_content_of_gemini_and_comes_back() -> None:
    image = {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE_TEXT}"}
    inline = {"inline_data": {"mime_type": "image/png", "data": PICTURE_TEXT}}
    response = {"name": "f", "response": {}, "parts": [inline]}
    for dialect, message in (
        ("openai_responses", {"type": "function_call_output", "call_id": "c", "output": [image, image]}),
        ("gemini", {"role": "user", "parts": [inline, {"function_response": response}]}),
    ):
        body = json.dumps(message)
        read, blobs = wire(dialect).read_message(body, id="m")
        assert read.raw is not None
        assert read.raw.body == body.replace(PICTURE_TEXT, "")
        assert {media.digest for media in media_of(read)} == {DIGEST}
        assert wire(dialect).write_message(read, blobs) == body


STAYS = {
    "short": base64.b64encode(b"short").decode(),
    "without padding": PICTURE_TEXT.rstrip("="),
    "URL-safe": base64.urlsafe_b64encode(PICTURE).decode(),
    "with line breaks": PICTURE_TEXT[:76] + "\n" + PICTURE_TEXT[76:],
}


@pytest.mark.parametrize("make", STAYS)
def test_base64_that_would_not_come_back_the_same_stays_and_is_known_all_the_same(make: str) -> None:
    body = json.dumps({"role": "user", "content": [_anthropic_image(STAYS[make])]})
    message, blobs = wire("anthropic").read_message(body, id="m")
    assert message.raw is not None
    assert (message.raw.body, message.raw.media) == (body, ())
    (media,) = media_of(message)
    blob = b"short" if make == "short" else PICTURE
    assert (media.digest, media.size, blobs) == (hashlib.sha256(blob).hexdigest(), len(blob), {media.digest: blob})


def test_base64_whose_slashes_are_escaped_stays() -> None:
    body = json.dumps({"role": "user", "content": [_anthropic_image(PICTURE_TEXT)]}).replace("/", r"\/")
    message, blobs = wire("anthropic").read_message(body, id="m")
    assert message.raw is not None
    assert message.raw.media == ()
    assert blobs == {DIGEST: PICTURE}


def test_a_slash_that_is_escaped_right_before_the_data_is_not_torn_from_its_backslash() -> None:
    data = "/" + "A" * 299
    body = json.dumps({"role": "user", "content": [_anthropic_image(data)]}).replace('"/A', '"\\/A')
    message, blobs = wire("anthropic").read_message(body, id="m")
    assert message.raw is not None
    assert message.raw.media == ()
    assert wire("anthropic").write_message(message, blobs) == body


def test_what_is_no_base64_is_media_of_unknown_size() -> None:
    body = json.dumps({"role": "user", "content": [_anthropic_image("not base64!")]})
    message, blobs = wire("anthropic").read_message(body, id="m")
    assert list(media_of(message)) == [Media(kind=MediaKind.IMAGE, mime="image/png")]
    assert blobs == {}


def test_spans_count_characters_of_the_body_they_were_taken_from() -> None:
    text = json.dumps({"role": "user", "content": [{"type": "text", "text": "日本"}, _anthropic_image(PICTURE_TEXT)]})
    body = text.encode().decode("unicode_escape")
    message, blobs = wire("anthropic").read_message(body, id="m")
    assert message.raw is not None
    assert message.raw.media == (MediaSpan(body.index(PICTURE_TEXT), DIGEST),)
    assert wire("anthropic").write_message(message, blobs) == body


def test_a_message_whose_media_are_not_at_hand_cannot_be_written() -> None:
    body = json.dumps({"role": "user", "content": [_result(_anthropic_image(PICTURE_TEXT))]})
    message, _ = wire("anthropic").read_message(body, id="m-7")
    with pytest.raises(BadInput, match=f"m-7 needs media {DIGEST}"):
        wire("anthropic").write_message(message, {})
