"""The exact counter: as a second implementation of o200k counts, for any text, in time that grows as the text."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from bpe_openai import get_encoding
from hypothesis import given
from hypothesis import strategies as st

from tests.shared import DATA, needs_data
from tests.tokens.kinds import ORDINARY, RANDOM
from tests.tokens.texts import real_texts
from unabridged.tokens.estimate import EstimateCounter
from unabridged.tokens.exact import ExactCounter, exact_available

COUNTER = ExactCounter()
REFERENCE = get_encoding("o200k_base")
KINDS = {**ORDINARY, **RANDOM}


def reference(text: str) -> int:
    return len(REFERENCE.encode_ordinary(text))


@pytest.mark.parametrize("kind", KINDS)
def test_both_implementations_agree_on_every_kind_of_text(kind: str) -> None:
    text = KINDS[kind](Random(1))
    # They know different editions of Unicode: a letter that is new since then may begin another token.
    newest = kind in {"all planes", "first plane", "far planes"}
    assert COUNTER.count(text) == pytest.approx(reference(text), abs=2 if newest else 0)


@needs_data
def test_both_implementations_agree_on_recorded_conversations() -> None:
    different = [text[:80] for text in real_texts(DATA) if COUNTER.count(text) != reference(text)]
    assert different == []


@pytest.mark.parametrize(
    "text",
    [
        "<|endoftext|>",
        "<|endofprompt|>",
        "before <|endoftext|> after",
        "<|im_start|>system\nYou are<|im_end|>",
        "<|fim_prefix|>",
    ],
)
def test_special_tokens_in_a_text_are_ordinary_text(text: str) -> None:
    assert COUNTER.count(text) == reference(text) > 1


@pytest.mark.parametrize(
    ("text", "as_if"),
    [
        ("\ud800", "\ufffd"),
        ("a\udfffb", "a\ufffdb"),
        ("\udc00 \ud800 text \ud9ff", "\ufffd \ufffd text \ufffd"),
        ("two halves \ud83d\ude00 of one", "two halves 😀 of one"),
    ],
)
def test_a_lone_surrogate_counts_as_the_replacement_character(text: str, as_if: str) -> None:
    assert COUNTER.count(text) == reference(as_if)


@given(st.text(st.characters(), max_size=200))
def test_no_text_is_refused(text: str) -> None:
    assert COUNTER.count(text) >= (1 if text else 0)


def test_nothing_counts_as_nothing() -> None:
    assert COUNTER.count("") == 0


def test_threads_that_count_at_once_from_the_start_agree() -> None:
    code = """
import sys
from concurrent.futures import ThreadPoolExecutor
from unabridged.tokens.exact import ExactCounter
texts = [f"message {n} of many, " * 40 for n in range(64)]
with ThreadPoolExecutor(8) as pool:
    together = list(pool.map(lambda text: ExactCounter().count(text), texts))
sys.exit(together != [ExactCounter().count(text) for text in texts])
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_many_threads_may_share_a_counter() -> None:
    texts = [kind(Random(seed)) for seed, kind in enumerate(KINDS.values())]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(COUNTER.count, texts)) == [COUNTER.count(text) for text in texts]


def test_neither_import_nor_asking_loads_the_vocabulary() -> None:
    code = """
import sys
from unabridged.tokens.exact import ExactCounter, exact_available
counter = ExactCounter()
assert exact_available()
sys.exit("quicktok" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_its_package_a_count_is_the_estimate() -> None:
    code = """
import sys
sys.modules["quicktok"] = None
from unabridged.tokens.exact import ExactCounter
print(ExactCounter().count("The package is not there, and the turn goes on."))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) == EstimateCounter().count("The package is not there, and the turn goes on.")


def test_the_package_is_found_without_being_loaded() -> None:
    assert exact_available() is True
