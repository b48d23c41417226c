"""Values know where they stand, and a patch touches nothing else."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.odd_json import Pairs, texts, values, written
from unabridged.errors import BadInput
from unabridged.wire.json_text import JsonNode
from unabridged.wire.patching import Patch, apply

randoms = st.randoms(use_true_random=False)


def decoded(text: str) -> Any:
    """Decode JSON with integers of any length, in a form in which NaN is like NaN."""
    return repr(json.loads(text, parse_int=str))


@given(st.lists(st.tuples(texts, values), max_size=5), randoms)
def test_every_member_gives_its_own_text(pairs: list[tuple[str, object]], random: Random) -> None:
    text = written(Pairs(pairs), random)
    node = JsonNode.parse(text, "it")
    for key, value in json.loads(text, parse_int=str).items():
        member = node.get(key)
        assert member is not None
        assert decoded(member.source) == repr(value)
        start, end = member.span
        assert text[start:end] == member.source == JsonNode.parse(member.source, "it").source


@given(st.lists(values, max_size=5), randoms)
def test_every_item_gives_its_own_text(items: list[object], random: Random) -> None:
    text = written(items, random)
    nodes = JsonNode.parse(text, "it").items()
    assert [decoded(node.source) for node in nodes] == [repr(item) for item in json.loads(text, parse_int=str)]
    assert [text[node.span[0] : node.span[1]] for node in nodes] == [node.source for node in nodes]


@given(st.lists(st.tuples(texts, values), max_size=6), st.sets(texts), st.data(), randoms)
def test_members_are_taken_out_whole(
    pairs: list[tuple[str, object]], others: set[str], data: st.DataObject, random: Random
) -> None:
    text = written(Pairs(pairs), random)
    present = json.loads(text, parse_int=str)
    gone = others | (data.draw(st.sets(st.sampled_from(sorted(present)))) if present else set())
    left = apply(text, JsonNode.parse(text, "it").without(gone))
    assert decoded(left) == repr({key: value for key, value in present.items() if key not in gone})


@given(st.lists(values, max_size=6), st.sets(st.integers(0, 5)), randoms)
def test_items_are_taken_out_whole(items: list[object], gone: set[int], random: Random) -> None:
    text = written(items, random)
    left = apply(text, JsonNode.parse(text, "it").without(gone))
    kept = [item for at, item in enumerate(json.loads(text, parse_int=str)) if at not in gone]
    assert decoded(left) == repr(kept)


@given(st.lists(st.tuples(texts, values), max_size=4), texts, randoms)
def test_a_member_is_changed_or_added(pairs: list[tuple[str, object]], key: str, random: Random) -> None:
    text = written(Pairs(pairs), random)
    key = json.loads(json.dumps(key))
    changed = apply(text, [JsonNode.parse(text, "it").with_member(key, "[1.0e5]")])
    assert decoded(changed) == repr({**json.loads(text, parse_int=str), key: [1.0e5]})


def test_a_number_is_not_taken_for_another_that_begins_like_it() -> None:
    node = JsonNode.parse('{"a":12, "a":1,"b":[]}', "it")
    assert node.with_member("b", "{}") == Patch(19, 21, "{}")


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply("ad", [Patch(1, 1, "c"), Patch(1, 1, "b"), Patch(0, 1, "x")]) == "xcbd"


def test_a_value_that_is_no_object_has_no_members() -> None:
    node = JsonNode.parse("[1]", "it")
    assert node.get("a") is None
    assert node.string("a") == ""
    assert JsonNode.parse("1", "it").items() == []


@pytest.mark.parametrize("text", ["", "{", '{"a"}', "1 2", '"\t"', "\ufeff{}"])
def test_what_is_not_json_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadInput, match="the letter is not JSON"):
        JsonNode.parse(text, "the letter")


@pytest.mark.parametrize("text", ['"\\ud800"', "NaN", "-Infinity", "9" * 5000, "1e999", ' \r\n\t"a" '])
def test_what_strict_readers_refuse_is_read(text: str) -> None:
    assert JsonNode.parse(text, "it").source == text.strip()
