"""Counts o200k tokens exactly, with the package `quicktok-v1` (extra `tokens`), which carries the vocabulary."""

from __future__ import annotations

import importlib
import importlib.util
import threading
from typing import Protocol

from unabridged.tokens.estimate import EstimateCounter

PACKAGE = "quicktok"
ENCODING = "o200k_base"
REMEMBERED, MOST_REMEMBERED = 48, 4_096
"""Characters of a text whose count is kept, and how many are: names of tools come again and again, an id twice."""


class ExactCounter:
    """Counts as o200k does, at about 30 million characters a second, in linear time whatever the text.

    The vocabulary is loaded by the first count (0.5 s), once for all counters of a process. Should the package refuse
    a text, or not load at all, the estimate answers in its place: a count never fails a turn.
    """

    name = "o200k_base/quicktok"

    def count(self, text: str) -> int:
        """Give the tokens of a text. Special tokens are ordinary text; a lone surrogate counts as U+FFFD."""
        if len(text) <= REMEMBERED:
            known = _short.get(text)
            return _remembered(text) if known is None else known
        try:
            return _loaded[0].count(text)
        except Exception:  # not loaded yet, or a text that the package refuses
            return _hard_count(text)


def exact_available() -> bool:
    """Tell whether the exact counter's package is installed, without loading it."""
    return importlib.util.find_spec(PACKAGE) is not None


class _Encoding(Protocol):
    def count(self, text: str) -> int: ...


_short: dict[str, int] = {}
_loading = threading.Lock()
_loaded: list[_Encoding] = []


def _encoding() -> _Encoding:
    if not _loaded:
        with _loading:
            if not _loaded:
                _loaded.append(importlib.import_module(PACKAGE).get_encoding(ENCODING))
    return _loaded[0]


def _remembered(text: str) -> int:
    if len(_short) >= MOST_REMEMBERED:
        _short.clear()
    tokens = _short[text] = _hard_count(text)
    return tokens


def _hard_count(text: str) -> int:
    try:
        encoding = _encoding()
        try:
            return encoding.count(text)
        except TypeError:  # a lone surrogate: the package takes only what UTF-8 can hold
            return encoding.count(_without_surrogates(text))
    except Exception:  # whatever fails in a foreign package, the turn has to go on
        return EstimateCounter().count(text)


def _without_surrogates(text: str) -> str:
    # Through UTF-16, so that two halves side by side become the character that they stand for.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
