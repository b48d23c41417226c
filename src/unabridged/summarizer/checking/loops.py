"""Finds texts that repeat themselves without an end, as small models do and broken sampling."""

from __future__ import annotations

import zlib
from collections import Counter

from unabridged.summarizer.languages import SENTENCES

SHORTEST = 600
"""Bytes below which a repetition is no loop."""
WINDOW = 2_000
"""Bytes at the end that are looked at alone: a loop has no end of its own."""
LOOPING = 0.09
"""Compressed share of a text that repeats itself. Lists of similar paths come to 0.15, prose to 0.4."""
LINE = 25
"""Characters from which a line is worth comparing."""
LINES_SHARE = 0.5
"""Share of a text that lines take that stood there before, from which it is a loop."""
TIMES = 4


def is_loop(text: str) -> bool:
    """Tell whether a text, or its end, is mostly the same thing over and over."""
    data = text.encode("utf-8", "replace")
    if len(data) < SHORTEST:
        return False
    return _share(data) < LOOPING or (len(data) > WINDOW and _share(data[-WINDOW:]) < LOOPING) or _repeats(text)


def _share(data: bytes) -> float:
    return len(zlib.compress(data, 6)) / len(data)


def _repeats(text: str) -> bool:
    pieces = [piece.strip() for piece in SENTENCES.split(text)]
    counts = Counter(piece for piece in pieces if len(piece) >= LINE)
    repeated = sum(len(piece) * (count - 1) for piece, count in counts.items() if count >= TIMES)
    return repeated >= LINES_SHARE * len(text)
