"""Limits of Anthropic Messages: how many images, how large, how many cache marks and in what order."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable

import pytest

from unabridged.testing import violations

Json = dict[str, object]


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\x00\x00\x00"


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00\x00\x00"


def jpeg(width: int, height: int, metadata: int = 0) -> bytes:
    segments = b"".join(b"\xff\xe1" + struct.pack(">H", 65_000) + b"\x00" * 64_998 for _ in range(metadata))
    return b"\xff\xd8" + segments + b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"


def webp_extended(width: int, height: int) -> bytes:
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00" + size


def webp_lossless(width: int, height: int) -> bytes:
    bits = (width - 1) | (height - 1) << 14
    return b"RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f" + bits.to_bytes(4, "little")


def webp_lossy(width: int, height: int) -> bytes:
    return b"RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height)


def image(data: bytes, media_type: str = "image/png") -> Json:
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()},
    }


def rules(*blocks: object, **body: object) -> list[str]:
    messages = [{"role": "user", "content": list(blocks)}]
    return [violation.rule for violation in violations("anthropic", {"messages": messages, **body})]


@pytest.mark.parametrize("draw", [png, gif, jpeg, webp_extended, webp_lossless, webp_lossy])
def test_a_side_above_8000_pixels_is_refused_in_every_format(draw: Callable[[int, int], bytes]) -> None:
    assert rules(image(draw(8000, 7999))) == []
    assert rules(image(draw(10, 8001))) == ["image_too_large"]
    assert rules(image(draw(8001, 10))) == ["image_too_large"]


def test_the_size_of_a_jpeg_is_found_behind_its_metadata() -> None:
    assert rules(image(jpeg(9000, 10, metadata=4), "image/jpeg")) == ["image_too_large"]


@pytest.mark.parametrize(
    "data", [b"\x00", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8\xff", b"\xff\xd8", b"RIFF0000WEBPVP8X", b"no image"]
)
def test_an_image_whose_size_cannot_be_read_is_left_to_the_service(data: bytes) -> None:
    assert rules(image(data)) == []


def test_data_that_is_no_base64_is_left_to_the_service() -> None:
    assert rules({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "é" * 80}}) == []


def test_twenty_images_of_2048_pixels_are_taken_and_twenty_one_are_not() -> None:
    assert rules(*[image(png(2048, 100))] * 20) == []
    assert rules(*[image(png(2048, 100))] * 21) == ["image_too_large"] * 21
    assert rules(*[image(png(2000, 2000))] * 21) == []


def test_the_refusal_of_a_large_image_among_many_names_the_place_and_the_limit() -> None:
    blocks = [image(png(10, 10))] * 20 + [image(png(2001, 10))]
    (refused,) = violations("anthropic", {"messages": [{"role": "user", "content": blocks}]})
    assert refused.where == "messages.0.content.20"
    assert refused.says == (
        "messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size "
        "for many-image requests: 2000 pixels"
    )


def test_images_inside_results_count() -> None:
    messages = [
        {"role": "user", "content": [image(png(2500, 10))] * 11},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "shot", "input": {}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [image(png(10, 10))] * 10}],
        },
    ]
    assert {violation.rule for violation in violations("anthropic", {"messages": messages})} == {"image_too_large"}
    assert violations("anthropic", {"messages": messages[:1]}) == []


@pytest.mark.parametrize(("model", "most"), [("claude-haiku-4-5", 100), ("", 100), ("claude-opus-4-6", 600)])
def test_the_number_of_images_is_limited_by_the_model(model: str, most: int) -> None:
    assert rules(*[image(png(10, 10))] * most, model=model) == []
    assert rules(*[image(png(10, 10))] * (most + 1), model=model) == ["too_many_images"]


def marked(ttl: str | None = None) -> Json:
    return {"type": "text", "text": "words", "cache_control": {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}}


def test_four_cache_marks_are_taken_and_five_are_not() -> None:
    assert rules(*[marked()] * 4) == []
    assert rules(*[marked()] * 5) == ["too_many_cache_marks"]


def test_cache_marks_count_in_tools_system_results_and_on_the_request_itself() -> None:
    tool = {"name": "ls", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}
    outside: Json = {"tools": [tool], "system": [marked()], "cache_control": {"type": "ephemeral"}}
    assert rules(marked(), **outside) == []
    assert rules(marked(), marked(), **outside) == ["too_many_cache_marks"]
    messages = [
        {"role": "user", "content": [marked()]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "ls", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [marked()]}]},
    ]
    assert [found.rule for found in violations("anthropic", {"messages": messages, **outside})] == [
        "too_many_cache_marks"
    ]


def test_a_cache_mark_said_as_null_is_none() -> None:
    assert rules(*[{"type": "text", "text": "words", "cache_control": None}] * 5) == []


def test_a_long_lived_cache_mark_behind_a_short_lived_one_is_refused() -> None:
    assert rules(marked("1h"), marked("5m")) == []
    assert rules(marked(), marked("1h")) == ["cache_marks_out_of_order"]
    assert rules(marked("1h"), system=[marked("5m")]) == ["cache_marks_out_of_order"]
