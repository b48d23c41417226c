"""Nothing makes the reading raise, run away, or repeat a secret."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.models.overflow import ErrorKind, Meaning, meaning_of
from unabridged.models.refusal.evidence import CHARACTERS, ELEMENTS, NODES, evidence_of
from unabridged.models.refusal.quoting import LONGEST

TOO_LONG = "prompt is too long: 9001 tokens > 9000 maximum"
NAMES = ("error", "message", "code", "status", "type", "choices", "finish_reason", "headers", "retry_after", "detail")
WORDS = (
    TOO_LONG,
    "429",
    "{",
    "data: ",
    "\\",
    '"',
    "limit",
    "9" * 5_000,
    "\ud800",
    "\x00",
    "rate limit",
    "> 5",
    "[1, 2]",
)

texts = st.text() | st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=8).map("".join)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | texts | st.binary()
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner, max_size=4)
        | st.dictionaries(st.integers(), inner, max_size=2)
        | inner.map(ValueError)
        | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4).map(lambda held: SimpleNamespace(**held))
    ),
    max_leaves=20,
)


class Hostile:
    """Raises whenever it is looked at."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __str__(self) -> str:
        raise RuntimeError("str")


class HostileError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("str")


class Endless:
    """Gives itself for everything it is asked for."""

    def __getattr__(self, name: str) -> Endless:
        return self


class Counted(Mapping[str, Any]):
    """A body with as many members as one likes, which counts how many of them are read."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.reads = 0

    def __getitem__(self, key: str) -> Any:
        self.reads += 1
        if key.startswith("member "):
            return TOO_LONG[:-1] + key
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (f"member {number}" for number in range(self.size))

    def __len__(self) -> int:
        return self.size


@given(trees, st.none() | st.integers(), st.none() | st.integers(), st.none() | st.integers())
def test_nothing_makes_it_raise(thing: object, status: int | None, sent: int | None, window: int | None) -> None:
    found = meaning_of(thing, status=status, sent=sent, window=window)
    assert isinstance(found, Meaning)
    assert len(found.quote) <= LONGEST
    assert all(each is None or each > 0 for each in (found.limit, found.requested, found.input, found.output))


@given(trees)
def test_nothing_in_json_makes_it_raise(thing: object) -> None:
    text = json.dumps(thing, default=str, skipkeys=True)
    assert isinstance(meaning_of(text), Meaning)
    assert isinstance(meaning_of(json.dumps(text).encode()), Meaning)


@pytest.mark.parametrize("thing", [HostileError(), Endless(), type, object(), 5, None, {1: 2}, print])
def test_odd_objects_are_nothing(thing: object) -> None:
    assert meaning_of(thing).kind is ErrorKind.OTHER


def test_what_raises_when_it_is_looked_at_is_nothing() -> None:
    assert meaning_of(Hostile()).kind is ErrorKind.OTHER
    assert meaning_of({"error": Hostile(), "message": TOO_LONG}).limit == 9_000


@pytest.mark.parametrize(
    "body",
    [
        "[" * 200_000,
        '{"error":' * 200_000,
        "a" * 3_000_000,
        "1" * 1_000_000,
        "1," * 1_000_000,
        "tokens " * 500_000,
        "exceeds the " * 300_000,
        "data: {}\n" * 200_000,
        "<" * 1_000_000,
        json.dumps({"error": [{"message": f"{n} {'token exceeds ' * 150}"} for n in range(3_000)]}),
        json.dumps({f"member {number}": "prompt 5" for number in range(100_000)}),
    ],
    ids=lambda body: f"{body[:16]} x {len(body)}",
)
def test_the_patterns_see_no_more_of_a_huge_body_than_of_a_large_one(body: str) -> None:
    assert sum(len(text) for text in evidence_of(body).texts) <= CHARACTERS
    assert isinstance(meaning_of(body), Meaning)


def test_of_a_body_with_a_million_members_some_dozen_are_read() -> None:
    body = Counted(1_000_000)
    meaning_of({"error": body})
    assert 0 < body.reads < 4 * ELEMENTS


def test_a_body_that_holds_itself_is_read_once_around() -> None:
    body: dict[str, Any] = {"message": TOO_LONG}
    body |= {"error": body, "details": [body] * 50}
    assert meaning_of(body).limit == 9_000
    wide: list[Any] = []
    wide += [wide] * 50
    assert meaning_of(wide).kind is ErrorKind.OTHER
    assert NODES < 50 * 50


@pytest.mark.parametrize("pad", ["x " * 4_000, "x " * 400_000])
def test_an_error_at_either_end_of_a_long_text_is_found(pad: str) -> None:
    assert meaning_of(f"{TOO_LONG} {pad}").limit == 9_000
    assert meaning_of(f"{pad} {TOO_LONG}").limit == 9_000


def test_the_last_event_of_a_long_stream_is_found() -> None:
    chunk = {"choices": [{"delta": {"content": "word"}, "finish_reason": None}]}
    stream = f"data: {json.dumps(chunk)}\n\n" * 5_000 + f'data: {{"error": {{"message": "{TOO_LONG}"}}}}\n\n'
    assert meaning_of(stream.encode()).limit == 9_000


LETTERS = string.ascii_letters + string.digits
mixed = st.text(LETTERS, min_size=24, max_size=80).filter(
    lambda each: any(letter.isdigit() for letter in each) and any(letter.isalpha() for letter in each)
)
dashed = st.text(LETTERS + "-_", min_size=20, max_size=80).map(lambda each: f"a{each}b")
secrets = st.one_of(
    mixed,
    st.tuples(st.sampled_from(["sk-", "sk-ant-api03-", "sk-proj-", "gsk_", "xai-", "hf_", "AIza", "key-"]), dashed).map(
        "".join
    ),
    st.uuids().map(str),
    st.tuples(mixed, mixed, mixed).map(lambda parts: f"eyJ{parts[0]}.eyJ{parts[1]}.{parts[2]}"),
)
places = st.sampled_from(
    ["{} is wrong", "Incorrect API key provided: {}.", "header Authorization: Bearer {} refused", "api_key={}&x=1",
     "'{}'", "see https://host.test/v1?key={}", "https://user:{}@host.test/v1", '{{"x-api-key": "{}"}}', "{}, {}"]
)  # fmt: skip


@given(secrets, places, st.sampled_from(["", f"{TOO_LONG}. ", "word " * 46, "word " * 397]))
def test_no_secret_is_quoted(secret: str, place: str, before: str) -> None:
    text = f"{before}{place.format(secret, secret)}. {TOO_LONG}"
    for error in (text, ValueError(text), {"error": {"message": text}}, f"401 {json.dumps({'detail': text})}"):
        quote = meaning_of(error).quote
        assert quote
        assert not any(secret[at : at + 8] in quote for at in range(len(secret) - 7))


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-ab-cd_ef-gh_ij",
        "sk-ant-api03-abc-def",
        "gsk_aaaabbbb",
        "AIzaSyAbcdefgh",
        "hf_abcdefghij",
        "xai-abcdefgh",
    ],
)
def test_a_key_is_known_by_its_beginning(secret: str) -> None:
    assert meaning_of(f"{secret} is no key of ours").quote == "[…] is no key of ours"


def test_a_secret_is_not_cut_so_short_that_it_looks_like_a_word() -> None:
    secret = "c4f1e0d2b3a495867786950a1b2c3d4e"
    for blanks in range(1_960, 2_000):
        assert "c4f1" not in meaning_of(f"The key{' ' * blanks}{secret} is wrong").quote


def test_a_quote_says_what_the_provider_said() -> None:
    assert meaning_of({"error": {"message": TOO_LONG}, "note": "else"}).quote == TOO_LONG
    model = "The model `claude-sonnet-4-5-20250929` at https://api.host.test/v1/messages?key=abc is overloaded"
    assert meaning_of(model).quote == "The model `claude-sonnet-4-5-20250929` at https://api.host.test is overloaded"
    page = "<html><head><title>413 Request Entity Too Large</title></head></html>"
    assert meaning_of(page).quote == "413 Request Entity Too Large"
