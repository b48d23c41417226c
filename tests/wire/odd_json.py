"""JSON as odd as clients write it: any white space, any escapes, keys twice, numbers in any spelling."""

from __future__ import annotations

import json
from random import Random

from hypothesis import strategies as st


class Verbatim(str):
    """JSON text that is written as it stands."""


class Pairs(list[tuple[str, object]]):
    """An object whose keys may repeat."""


# Surrogates on purpose: half a pair is legal JSON (as an escape), and clients that cut strings send it.
texts = st.text(st.characters(exclude_categories=()) | st.sampled_from('\ud800\udfff"\\/\n\t\x00é日😀'), max_size=12)
numbers = st.sampled_from(["1.0e5", "-0.0", "1E400", "0.10", "9" * 5000, "12345678901234567890"]).map(Verbatim)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def written(value: object, random: Random) -> str:
    """Write a value as JSON, the random source deciding everything that JSON leaves open."""
    if isinstance(value, Verbatim):
        return str(value)
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        members = [f"{_string(key, random)}{_space(random)}:{_space(random)}{written(v, random)}" for key, v in value]
        return "{" + _joined(members, random) + "}"
    if isinstance(value, list | tuple):
        return "[" + _joined([written(item, random) for item in value], random) + "]"
    if isinstance(value, str):
        return _string(value, random)
    return json.dumps(value)


def _joined(items: list[str], random: Random) -> str:
    return _space(random) + f"{_space(random)},{_space(random)}".join(items) + _space(random)


def _space(random: Random) -> str:
    return random.choice(["", "", "", " ", "\n", "\t", "\r\n  "])


def _string(text: str, random: Random) -> str:
    style = random.randrange(4)
    if style == 0:
        return json.dumps(text)
    pieces = [_character(character, style, random) for character in text]
    return '"' + "".join(pieces) + '"'


def _character(character: str, style: int, random: Random) -> str:
    escaped = json.dumps(character)[1:-1]
    if style == 1 and random.random() < 0.3:
        units = character.encode("utf-16-be", "surrogatepass").hex()
        return "".join(rf"\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    if character == "/" and style == 2:
        return r"\/"
    if "\ud800" <= character <= "\udfff" or character in '"\\' or character < " ":
        return escaped
    return character
