"""The estimate: near the exact count on what people and agents write, never far below it on anything."""

from __future__ import annotations

import string
import subprocess
import sys
from collections.abc import Callable, Iterable
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.texts import KINDS, passage
from tests.shared import DATA, needs_data
from tests.tokens.kinds import ORDINARY, RANDOM
from tests.tokens.languages import SENTENCES
from tests.tokens.texts import real_kinds
from unabridged.tokens.estimate import EstimateCounter
from unabridged.tokens.exact import ExactCounter

ESTIMATE, EXACT = EstimateCounter(), ExactCounter()
FLOOR = 0.9
ENOUGH = 200
"""Exact tokens from which on the floor is promised."""

SEEDS = range(8)
# Languages of which little is known: for those the estimate need not be near.
FAR = {"Thai", "Hebrew"}


def ratio(text: str) -> float:
    return ESTIMATE.count(text) / EXACT.count(text)


@pytest.mark.parametrize("kind", {**ORDINARY, **RANDOM})
def test_no_kind_of_text_is_estimated_far_too_low(kind: str) -> None:
    make = {**ORDINARY, **RANDOM}[kind]
    texts = [make(Random(seed)) for seed in SEEDS]
    assert min(map(EXACT.count, texts)) >= ENOUGH
    assert min(map(ratio, texts)) >= FLOOR


@pytest.mark.parametrize("kind", sorted(ORDINARY.keys() - FAR))
def test_no_ordinary_kind_of_text_is_estimated_far_too_high(kind: str) -> None:
    assert max(ratio(ORDINARY[kind](Random(seed))) for seed in SEEDS) <= 1.35


@pytest.mark.parametrize(
    ("kinds", "most"),
    [
        (["English", "licence", "Markdown"], 0.03),
        (["Python", "Python 2", "diff", "HTML", "minified script"], 0.04),
        (ORDINARY.keys() - SENTENCES.keys(), 0.04),
        (SENTENCES.keys(), 0.15),
    ],
    ids=["prose", "code", "all that is not prose of some language", "20 languages"],
)
def test_the_mean_error_is_what_the_documentation_says(kinds: Iterable[str], most: float) -> None:
    assert fmean(abs(ratio(ORDINARY[kind](Random(seed))) - 1) for kind in sorted(kinds) for seed in SEEDS) <= most


@given(
    kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4),
    sizes=st.lists(st.integers(60, 900), min_size=4, max_size=4),
    seed=st.integers(0, 99),
)
def test_no_conversation_of_several_kinds_is_estimated_far_too_low(
    kinds: list[str], sizes: list[int], seed: int
) -> None:
    text = "".join(passage(kind, size, seed) for kind, size in zip(kinds, sizes, strict=False))
    assert EXACT.count(text) < ENOUGH or ratio(text) >= FLOOR


@needs_data
def test_recorded_conversations_are_estimated_closely_and_never_far_too_low() -> None:
    errors: dict[str, float] = {}
    for source, texts in real_kinds(DATA):
        ratios = [ratio(text) for text in texts if EXACT.count(text) >= ENOUGH]
        assert min(ratios, default=1.0) >= FLOOR, source
        if ratios:
            errors[source] = fmean(abs(one - 1) for one in ratios)
    assert len(errors) >= 10
    assert fmean(errors.values()) <= 0.07
    assert max(errors.values()) <= 0.15


@pytest.mark.parametrize("size", [40_000, 400_000])
def test_base64_in_a_text_weighs_as_much_as_it_does(size: int) -> None:
    text = "Look at this:\n\ndata:image/png;base64," + "".join(
        Random(1).choices(string.ascii_letters + string.digits + "+/", k=size)
    )
    assert ESTIMATE.count(text) / len(text) == pytest.approx(0.68, abs=0.04)


# Any text at all, of any plane, a few characters of it often from one block, as a person's language is.
ANYTHING = st.text(max_size=12)
BLOCKS = st.integers(0x0, 0x300).map(lambda n: n * 0x80).filter(lambda first: not 0xD800 <= first < 0xE000)
OF_ONE_BLOCK = BLOCKS.flatmap(
    lambda first: st.text(st.characters(min_codepoint=first, max_codepoint=first + 0x7F), max_size=12)
)
OF_ASCII = st.text(string.printable, max_size=16)
LETTERS = st.text(string.ascii_letters, max_size=16)
ENCODED = st.binary(max_size=24).map(bytes.hex) | st.text(string.ascii_letters + string.digits + "+/=", max_size=40)
NUMBERS = st.integers().map(str) | st.floats().map(str)
SNIPPETS = ANYTHING | OF_ONE_BLOCK | OF_ASCII | LETTERS | ENCODED | NUMBERS
JOINTS = st.sampled_from(["", " ", "\n", ", ", "\t", '","', "_"])


def long_enough(snippets: list[str], joint: str) -> str:
    """The snippets over and over, until there are enough tokens."""
    text = joint.join(snippets)
    while EXACT.count(text) < ENOUGH:
        text = text + joint + text + " "
    return text


@given(snippets=st.lists(SNIPPETS.filter(bool), min_size=12, max_size=60, unique=True), joint=JOINTS)
def test_no_mixture_of_anything_is_estimated_far_too_low(snippets: list[str], joint: str) -> None:
    assert ratio(long_enough(snippets, joint)) >= FLOOR


@given(st.lists(st.characters(), min_size=400, max_size=600).map("".join))
def test_no_random_text_of_all_planes_is_estimated_far_too_low(text: str) -> None:
    assert ratio(text) >= FLOOR


@given(
    kinds=st.lists(st.sampled_from(sorted({**ORDINARY, **RANDOM})), min_size=1, max_size=5),
    seed=st.integers(0, 10**6),
    cut=st.integers(1, 400),
)
def test_no_text_made_of_pieces_of_other_texts_is_estimated_far_too_low(kinds: list[str], seed: int, cut: int) -> None:
    rng = Random(seed)
    texts = [{**ORDINARY, **RANDOM}[kind](rng) for kind in kinds]
    pieces = [text[start : start + cut] for text in texts for start in range(0, len(text), cut)]
    rng.shuffle(pieces)
    assert ratio(rng.choice(["", " ", "\n"]).join(pieces)) >= FLOOR


def _snippet(rng: Random) -> str:
    alphabets: list[Callable[[], str]] = [
        lambda: rng.choice(string.ascii_lowercase),
        lambda: rng.choice(string.printable),
        lambda: rng.choice(string.punctuation),
        lambda: chr(rng.randrange(0xA0, 0x3000)),
        lambda: chr(rng.randrange(0x4E00, 0xA000)),
    ]
    character = rng.choice(alphabets)
    return "".join(character() for _ in range(rng.randint(1, 14)))


def test_one_random_snippet_repeated_is_very_seldom_estimated_too_low() -> None:
    # The one gap that is left: a pattern may come apart in the whole vocabulary otherwise than in a part of it.
    rng = Random(7)
    ratios = [ratio(long_enough([_snippet(rng)], "")) for _ in range(3_000)]
    assert sum(one < FLOOR for one in ratios) <= 15
    assert min(ratios) >= 0.6


@given(st.text(st.characters()))
def test_no_text_is_refused(text: str) -> None:
    assert ESTIMATE.count(text) >= (1 if text else 0)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00", "<|endoftext|>", "\x00", "\u2028", "\x85"])
def test_odd_characters_and_special_tokens_count_as_text(text: str) -> None:
    assert EXACT.count(text) <= ESTIMATE.count(text) <= 12


def test_nothing_counts_as_nothing() -> None:
    assert ESTIMATE.count("") == 0


def test_a_long_text_counts_as_much_as_its_parts() -> None:
    text = "".join(make(Random(3)) + "\n" for make in ORDINARY.values())
    parts = [text[start : start + 5_000] for start in range(0, len(text), 5_000)]
    assert ESTIMATE.count(text * 4) == pytest.approx(4 * sum(map(ESTIMATE.count, parts)), rel=0.005)


def test_an_import_reads_no_table() -> None:
    code = """
import sys
from pathlib import Path
def refuse(*_: object) -> str:
    raise AssertionError("read a file at import")
Path.read_text = refuse
import unabridged.tokens.estimate
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
