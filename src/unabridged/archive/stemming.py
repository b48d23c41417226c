"""Stems of English words, so that `painting` finds `painted`.

The algorithm is M. F. Porter's (An algorithm for suffix stripping, Program 14(3), 1980, pp. 130-137), with its own
names: `m` counts how often vowels give way to consonants. A stem need be no word, it only has to be the same for words
of one root.
"""

from __future__ import annotations

import re
from functools import lru_cache

_VOWELS = frozenset("aeiou")
_RUNS = re.compile("v+c+")
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
    "al", "er", "ic", "ou",
)  # fmt: skip


@lru_cache(maxsize=65_536)  # few words make up most of a text
def stem(word: str) -> str:
    """Give the stem of a word in lower case; words of two letters, and what is not English letters, stay."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _without_ending(_singular(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = f"{word[:-1]}i"
    for steps in (_STEP_2, _STEP_3):
        word = _exchanged(word, steps)
    return _tidied(_shortened(word))


def _singular(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_ending(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _m(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _restored(base) if _has_vowel(base) else word
    return word


def _restored(base: str) -> str:
    if base.endswith(("at", "bl", "iz")):
        return f"{base}e"
    if _ends_double(base) and base[-1] not in "lsz":
        return base[:-1]
    return f"{base}e" if _m(base) == 1 and _ends_cvc(base) else base


def _exchanged(word: str, steps: tuple[tuple[str, str], ...]) -> str:
    for ending, other in steps:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + other if _m(base) > 0 else word
    return word


def _shortened(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base if _m(base) > 1 and (ending != "ion" or base.endswith(("s", "t"))) else word
    return word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _m(base) > 1 or (_m(base) == 1 and not _ends_cvc(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _m(word[:-1]) > 1 else word


def _kinds(word: str) -> str:
    """Write a word as its consonants and vowels; y is a vowel behind a consonant."""
    kinds = ""
    for letter in word:
        vowel = letter in _VOWELS or (letter == "y" and kinds.endswith("c"))
        kinds += "v" if vowel else "c"
    return kinds


def _m(word: str) -> int:
    return len(_RUNS.findall(_kinds(word)))


def _has_vowel(word: str) -> bool:
    return "v" in _kinds(word)


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _kinds(word).endswith("cc")


def _ends_cvc(word: str) -> bool:
    return _kinds(word).endswith("cvc") and word[-1] not in "wxy"
