"""Words of a text, the same for every engine: what is searched for is cut as what was written.

Latin, Greek, Cyrillic, Indic scripts and the like by letters and digits, in lower case and without accents; scripts
that write no spaces (Chinese, Japanese, Korean, Thai, ...) by pairs of neighbours, which needs no dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

LONGEST = 64
"""Characters of a word: what is longer is data, and nobody searches for its end."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
_INDIC = "\u0900-\u0963\u0966-\u0dff"
"""Vowel signs are no letters to a regular expression, and yet in the middle of words."""
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:[^\W_{_UNSPACED}]|[{_INDIC}])+")
_ASCII = re.compile("[a-z0-9]+")
"""The words of a text that has nothing else: most of what agents read, and read much faster."""
_FIRST_UNSPACED = re.compile(f"[{_UNSPACED}]")


def words_of(text: str) -> Iterator[str]:
    """Give the words of a text, in order; of a run without spaces its pairs, and its last sign alone."""
    if text.isascii():
        yield from (word[:LONGEST] for word in _ASCII.findall(text.lower()))
        return
    for word in _runs(text):
        yield from _pairs(word)
        if len(word) > 1 and _FIRST_UNSPACED.match(word):
            yield word[-1]


def asked_words(query: str) -> list[tuple[str, bool]]:
    """Give the words to look for, each once, and whether one may be the beginning of a word.

    The last one may, and a single sign of a script without spaces: pairs begin with it.
    """
    found = [word for run in _runs(query) for word in _pairs(run)]
    wanted = {word: len(word) == 1 and bool(_FIRST_UNSPACED.match(word)) for word in found}
    if found:
        wanted[found[-1]] = True
    return list(wanted.items())


def found_at(text: str, word: str, *, is_beginning: bool = False) -> int | None:
    """Give where a text, as it was written, holds a word; None if nowhere."""
    letters = r"[\u0300-\u036f]*".join(map(re.escape, word))
    start = "" if _FIRST_UNSPACED.match(word) else r"(?<![^\W_])"
    end = "" if is_beginning or not start or len(word) == LONGEST else r"(?![^\W_])"
    plain = text.translate(_Plain())
    found = re.search(f"{start}{letters}{end}", plain)
    return found.start() if found is not None else None


def first_found(text: str, wanted: Iterable[tuple[str, bool]]) -> int | None:
    """Give where a text holds the longest of `asked_words` that it holds; None where it holds none."""
    places = (
        found_at(text, word, is_beginning=is_beginning)
        for word, is_beginning in sorted(wanted, key=lambda each: -len(each[0]))
    )
    return next((place for place in places if place is not None), None)


class _Plain(dict[int, int]):
    """Gives each character without its accents and in lower case, where that is one character: places stay."""

    def __missing__(self, code: int) -> int:
        plain = _plain(chr(code))
        self[code] = ord(plain) if len(plain) == 1 else code
        return self[code]


def _runs(text: str) -> Iterator[str]:
    for found in _WORD.finditer(_plain(text)):
        yield found[0]


def _pairs(run: str) -> Iterator[str]:
    if not _FIRST_UNSPACED.match(run):
        yield run[:LONGEST]
    elif len(run) == 1:
        yield run
    else:
        yield from (run[at : at + 2] for at in range(len(run) - 1))


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(sign for sign in apart if not _is_accent(sign)))


@lru_cache(maxsize=4_096)
def _is_accent(sign: str) -> bool:
    return unicodedata.combining(sign) > 0
