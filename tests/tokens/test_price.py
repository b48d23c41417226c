"""Prices: what a message costs in the base vocabulary, its framing included. Paid once."""

from __future__ import annotations

import pytest

from tests.notation import png, read, tokens
from unabridged.message import Media, MediaKind, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.tokens import default_counter
from unabridged.tokens.price import Price, measured, price_message, price_part, price_texts

COUNTER = default_counter()


def price(word: str, dialect: str = "openai_chat") -> int:
    ((message, media),) = read(word, dialect)
    return price_message(message, COUNTER, media).tokens


def part_price(part: Part) -> int:
    return price_part(part, COUNTER, {}).tokens


def test_a_message_costs_its_text_and_seven_tokens_of_framing() -> None:
    assert price("U:100") == 107
    assert price("A:2k") == 2_007


def test_each_further_block_costs_three_tokens_more() -> None:
    message = Message(id="m", role=Role.USER, parts=(Text(tokens(100)), Text(tokens(50))))
    assert price_message(message, COUNTER, {}).tokens == 4 + 103 + 53


def test_a_call_costs_its_arguments_its_name_its_id_and_its_framing() -> None:
    arguments = '{"path": "a.py"}'
    assert part_price(ToolCall("c1", "run", arguments)) == COUNTER.count(arguments) + 3 + 1 + 2 + 8


def test_long_arguments_count_as_much_as_long_text() -> None:
    assert 2_000 <= price("A[c1:2k]") <= 2_060


def test_a_result_costs_its_text_its_id_and_its_framing() -> None:
    assert part_price(ToolResult("c1", (Text(tokens(300)),))) == 303 + 2 + 8


def test_an_id_of_random_letters_costs_by_its_length() -> None:
    short, long = ToolResult("c1"), ToolResult("toolu_01A09q90qw90lq917835lq9")
    assert part_price(long) - part_price(short) == len("toolu_01A09q90qw90lq917835lq9") * 7 // 10 - 1


def test_reasoning_costs_its_text() -> None:
    assert part_price(Reasoning(tokens(300), "c2ln")) == 303


def test_reasoning_whose_text_is_hidden_costs_by_its_signature() -> None:
    assert part_price(Reasoning("", "x" * 5_000)) == 1_000
    assert part_price(Reasoning(signature="x" * 5_000, redacted=True)) == 1_000


@pytest.mark.parametrize(
    ("word", "dialect", "expected"),
    [
        ("U{img}", "openai_chat", 649),  # 29 x 22 patches of 28 pixels, and framing
        ("U{img}", "anthropic", 649),
        ("T(c1){img}", "anthropic", 659),
        ("U{img:2000x1500}", "anthropic", 3_899),
    ],
)
def test_a_picture_costs_by_its_pixels_wherever_it_sits(word: str, dialect: str, expected: int) -> None:
    assert price(word, dialect) == expected


def test_a_picture_does_not_cost_by_its_base64() -> None:
    media = Media(kind=MediaKind.IMAGE, mime="image/png", digest="d", size=3_000_000)
    heavy = png(800, 600) + b"\x00" * 3_000_000
    assert price_part(media, COUNTER, {"d": heavy}).tokens == 645


def test_a_picture_of_unknown_size_costs_1_600() -> None:
    assert part_price(Media(kind=MediaKind.IMAGE, url="https://example.org/a.png")) == 1_603


def test_what_media_cost_is_told_apart() -> None:
    ((message, media),) = read("U{img}:100")
    assert price_message(message, COUNTER, media) == Price(4 + 103 + 645, 0, 642)


def test_base64_in_an_opaque_item_does_not_count_as_text() -> None:
    item = '{"type": "screenshot", "data": "' + "aB3+" * 250_000 + '"}'
    assert part_price(Opaque("screenshot", item)) < 1_700


def test_an_opaque_item_without_base64_costs_its_text() -> None:
    item = '{"type": "search_result", "text": "' + tokens(500) + '"}'
    assert part_price(Opaque("search_result", item)) == COUNTER.count(item) + 3


def test_base64_in_a_text_costs_what_the_model_will_be_sent() -> None:
    text = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 400
    assert part_price(Text(text)) == COUNTER.count(text) + 3


def test_machine_data_is_told_apart() -> None:
    assert price_part(Text(tokens(500)), COUNTER, {}).dense == 0
    digits = price_part(Text("4815162342 " * 300), COUNTER, {})
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
