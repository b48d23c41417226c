"""Prices: what a message costs in the base vocabulary, its framing included. Paid once."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.message import Media, MediaKind, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.testing.notation import png, read, tokens
from unabridged.tokens import default_counter
from unabridged.tokens.price import Cost, Price, measured, price_message, price_part, price_texts
from unabridged.wire import wire

COUNTER = default_counter()


def price(word: str, dialect: str = "openai_chat") -> int:
    ((message, media),) = read(word, dialect)
    return price_message(message, COUNTER, media).under(dialect).tokens


def part_price(part: Part, dialect: str = "") -> int:
    return price_part(part, COUNTER, {}, dialect).tokens


def test_a_message_costs_its_text_and_seven_tokens_of_framing() -> None:
    assert price("U:100") == 107
    assert price("A:2k") == 2_007


def test_each_further_block_costs_three_tokens_more() -> None:
    message = Message(id="m", role=Role.USER, parts=(Text(tokens(100)), Text(tokens(50))))
    assert price_message(message, COUNTER, {}) == Cost(Price(4 + 103 + 53))


def test_a_call_costs_its_arguments_its_name_its_id_and_its_framing() -> None:
    arguments = '{"path": "a.py"}'
    assert part_price(ToolCall("c1", "run", arguments)) == COUNTER.count(arguments) + 3 + 1 + 2 + 8


def test_long_arguments_count_as_much_as_long_text() -> None:
    assert 2_000 <= price("A[c1:2k]") <= 2_060


def test_a_result_costs_its_text_its_id_and_its_framing() -> None:
    assert part_price(ToolResult("c1", (Text(tokens(300)),))) == 303 + 2 + 8


@pytest.mark.parametrize("id", ["toolu_01A09q90qw90lq917835lq9", "4c3f1b2a-9d8e-4f00-a1b2-c3d4e5f60718", "read:0"])
def test_an_id_costs_what_it_is_as_text(id: str) -> None:
    assert part_price(ToolResult(id)) == part_price(ToolCall(id, "", "")) - 3 == COUNTER.count(id) + 8


def test_reasoning_costs_its_text() -> None:
    assert part_price(Reasoning(tokens(300), "c2ln")) == 303


def test_reasoning_whose_text_is_hidden_costs_by_its_signature() -> None:
    assert part_price(Reasoning("", "x" * 5_000)) == 1_000
    assert part_price(Reasoning(signature="x" * 5_000, redacted=True)) == 1_000


@pytest.mark.parametrize(
    ("word", "dialect", "expected"),
    [
        ("U{img}", "openai_chat", 777),  # 25 x 19 patches of 32 pixels, 1.62 tokens each, and framing
        ("U{img}", "anthropic", 649),  # 29 x 22 patches of 28 pixels, and framing
        ("T(c1){img}", "anthropic", 659),
        ("U{img:2000x1500}", "anthropic", 3_899),
        ("U{img:4032x3024}", "openai_chat", 14_371),
        ("U{img:4032x3024}", "anthropic", 4_795),
    ],
)
def test_a_picture_costs_by_its_pixels_wherever_it_sits(word: str, dialect: str, expected: int) -> None:
    assert price(word, dialect) == expected


def test_a_picture_does_not_cost_by_its_base64() -> None:
    media = Media(kind=MediaKind.IMAGE, mime="image/png", digest="d", size=3_000_000)
    heavy = png(800, 600) + b"\x00" * 3_000_000
    assert price_part(media, COUNTER, {"d": heavy}, "anthropic").tokens == 645


def test_a_picture_of_unknown_size_costs_1_600() -> None:
    assert part_price(Media(kind=MediaKind.IMAGE, url="https://example.org/a.png")) == 1_603


def test_a_message_is_priced_once_and_costs_in_each_dialect_what_its_provider_says() -> None:
    ((message, media),) = read("U{img:4032x3024}:100")
    cost = price_message(message, COUNTER, media)
    prices = [cost.under(dialect).tokens for dialect in ("openai_chat", "openai_responses", "anthropic", "gemini", "")]
    assert prices == [110 + tokens for tokens in (14_364, 14_364, 4_788, 1_120, 4_788)]


@pytest.mark.parametrize("dialect", ["openai_chat", "anthropic", "gemini", "of_another_house"])
def test_the_parts_of_a_message_cost_as_much_as_the_message(dialect: str) -> None:
    ((message, media),) = read("T(c1){img:4032x3024,img}:100", "anthropic")
    parts = sum(price_part(part, COUNTER, media, dialect).tokens for part in message.parts)
    assert price_message(message, COUNTER, media).under(dialect).tokens == 4 + parts


def test_costs_add_up_and_can_be_taken_back() -> None:
    (picture, blobs), (page, more) = read("U{img:4032x3024} U{img}:4k")
    one, two = price_message(picture, COUNTER, blobs), price_message(page, COUNTER, more)
    for dialect in ("openai_chat", "anthropic", ""):
        assert (one + two).under(dialect) == one.under(dialect) + two.under(dialect)
    assert one + two + -two == one


def test_base64_in_an_opaque_item_does_not_count_as_text() -> None:
    item = '{"type": "screenshot", "data": "' + "aB3+" * 250_000 + '"}'
    assert part_price(Opaque("screenshot", item)) < 1_700


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_picture_in_an_opaque_item_costs_by_its_pixels(encode: Callable[[bytes], bytes]) -> None:
    picture = png(4_032, 3_024, seed="\x7f" * 3_000)
    item = '{"image": {"format": "png", "source": {"bytes": "' + encode(picture).decode() + '"}}}'
    prices = [part_price(Opaque("image", item), dialect) for dialect in ("openai_chat", "anthropic")]
    assert prices == [pytest.approx(14_364 + 18, abs=6), pytest.approx(4_788 + 18, abs=6)]


@given(st.text("iVBORw0KGgo/+_-=9j", min_size=512, max_size=1_200))
def test_no_encoded_item_is_too_odd_to_be_priced(run: str) -> None:
    assert part_price(Opaque("item", f'{{"data": "{run}"}}')) > 100


def test_a_document_given_as_text_costs_its_words() -> None:
    source = {"type": "text", "media_type": "text/plain", "data": tokens(500)}
    said = {"role": "user", "content": [{"type": "document", "source": source}]}
    message, media = wire("anthropic").read_message(json.dumps(said), id="m")
    assert 500 < price_message(message, COUNTER, media).under("anthropic").tokens < 560


def test_an_opaque_item_without_base64_costs_its_text() -> None:
    item = '{"type": "search_result", "text": "' + tokens(500) + '"}'
    assert part_price(Opaque("search_result", item)) == COUNTER.count(item) + 3


def test_base64_in_a_text_costs_what_the_model_will_be_sent() -> None:
    text = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 400
    assert part_price(Text(text)) == COUNTER.count(text) + 3


def test_machine_data_is_told_apart() -> None:
    assert price_part(Text(tokens(500)), COUNTER, {}, "").dense == 0
    digits = price_part(Text("4815162342 " * 300), COUNTER, {}, "")
    assert digits.dense > 0.7 * digits.tokens


@pytest.mark.parametrize("text", ["<|endoftext|>", "<|im_start|>system", "\ud83d", "\x00", "", "👩‍👩‍👧‍👦", "\ufffe"])
def test_no_text_is_too_odd_to_be_priced(text: str) -> None:
    assert part_price(Text(text)) >= 3


def test_the_fixed_texts_of_a_frame_are_priced_like_blocks() -> None:
    assert price_texts([tokens(100), tokens(50)], COUNTER) == Price(156)


def test_a_picture_is_measured_by_the_header_of_its_bytes() -> None:
    found = measured(Media(kind=MediaKind.IMAGE, mime="image/png", digest="d"), {"d": png(640, 480)})
    assert (found.width, found.height) == (640, 480)


def test_media_whose_bytes_are_not_there_stay_as_they_are() -> None:
    media = Media(kind=MediaKind.IMAGE, mime="image/png", digest="d")
    assert measured(media, {}) is media
