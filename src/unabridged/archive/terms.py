"""Terms: what a chunk is found by, and what is looked for. One way for both, and for every engine.

Words as the store cuts them (scripts without spaces by pairs), English ones as stems. What programs are made of has
terms of its own beside its parts: `read_file`, `readFile` and `read-file` are all `readfile`, and `src/log.py` is found
by `log.py` as well as by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from unabridged.archive.stemming import stem
from unabridged.store.words import LONGEST, words_of

_TOKEN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
_LONGEST_TOKEN = 200
"""Characters: what is longer is data, and no name."""
_PIECE = re.compile(r"[./]")
_JOINT = re.compile(r"[_-]+")
_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_STOPPED = """
    a about after again all also am an and any are as at be because been before being but by can could d did do does
    doing done down during each few for from further get got had has have having he her here hers herself him himself
    his how i if in into is it its itself just ll m many me might more most much must my myself no nor not now of off on
    once only or other our ours ourselves out over own re s same shall she should so some such t than that the their
    theirs them themselves then there these they this those through to too under until up us ve very was we were what
    when where which while who whom whose why will with would you your yours yourself yourselves
"""
BEGINNING = 5
"""Letters."""
_OTHER_LETTER = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff]")
"""A letter beyond ASCII, of a script that writes spaces."""
STOP_WORDS = frozenset(_STOPPED.split())
"""English words that a question is made of and no answer is found by: they are left out of what is asked."""


def terms_of(text: str) -> list[str]:
    """Give the terms of a text, in order; beginnings of words and terms of code behind the words."""
    words = list(words_of(text))
    return [*map(stem, words), *_beginnings(text, words), *_code_terms(text)]


def asked_terms(query: str) -> list[str]:
    """Give the terms to look for, each once, without stop words; with them where there is nothing else."""
    words = list(words_of(query))
    telling = [word for word in words if word not in STOP_WORDS] or words
    return list(dict.fromkeys([*map(stem, telling), *_beginnings(query, telling), *_code_terms(query)]))


def only_names(query: str) -> bool:
    """Tell whether nothing but names of programs, files and the like is asked for: those are found as they stand."""
    words = [word for word in query.split() if word.lower().strip("?,.") not in STOP_WORDS]
    return all(next(_code_terms(word), None) is not None for word in words)


def _beginnings(text: str, words: Sequence[str]) -> Iterator[str]:
    """Give the first letters of long words, where a text is of another language than English.

    Words of many languages change at their ends. The first five letters find as much in Turkish as a stemmer does (Can
    and others, Information Retrieval on Turkish Texts, JASIST 59(3), 2008).
    """
    if _OTHER_LETTER.search(text):
        yield from (word[:BEGINNING] for word in words if len(word) > BEGINNING and word.isalpha())


def _code_terms(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token.isalnum() and (token.islower() or token.istitle() or token.isupper()):
            continue  # a word, as nearly all are
        token = token.rstrip("./-")
        pieces = [piece for piece in _PIECE.split(token) if piece]
        if len(token) > _LONGEST_TOKEN:
            continue
        for piece in pieces:
            yield from _name_terms(piece)
        if len(pieces) > 1:
            yield token.lower()[-LONGEST:]
            file = token.rpartition("/")[2]
            if "." in file and file != token:
                yield file.lower()[-LONGEST:]


def _name_terms(name: str) -> Iterator[str]:
    words = [word for word in _JOINT.split(name) if word]
    for word in words:
        parts = _CASE.split(word)
        if len(parts) > 1:
            yield from (stem(part.lower()) for part in parts)
    if len(words) > 1:
        yield stem("".join(words).lower()[:LONGEST])
