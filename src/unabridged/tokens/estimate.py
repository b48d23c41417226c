"""Estimates o200k tokens in pure Python, for when the package of the exact counter is not there.

The estimate does what the exact count does, byte-pair encoding, with a part of the vocabulary: `merges.txt` holds a
fifth of the tokens of o200k_base (published by OpenAI with tiktoken), in the order in which they merge. Chosen were
those that save most on text of many kinds and languages, with all that lead up to them. `benchmarks/merge_table.py`
makes the file. A new file is a new counter: it changes prices that are stored, so it needs a new `name`.

A smaller vocabulary merges less, so its count is an upper bound, within a token or two, for *any* text: prose, random
letters, base64 and rare scripts alike. `SCALE` then takes off what ordinary text can spare. That is why the estimate
holds a floor where weights per class of character cannot: to them a made-up word looks like an English one, and it
costs three times as much.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

SCALE = 0.93
"""Tokens per part, on the safe side: text takes 0.85 (prose in a language of which much is known) to 1.0 (base64)."""
LONG_RUN = 32
LONG_RUN_FACTOR = 1.15
"""For runs longer than any word: o200k merges them as a whole, and what repeats in them may come apart otherwise."""
SLICE = 1 << 16
"""Characters looked at in one go, so that the pieces of a huge text are never all in memory."""

# Letters and marks beyond ASCII, by blocks. What lies between them is punctuation, arrows, emoji, or not assigned. A
# letter that is taken for punctuation only makes the count higher; so the scripts beyond the first plane are left out.
_LETTERS = (
    r"\xaa\xb5\xba\xc0-\u0559\u0560-\u05bd\u05bf-\u05f2\u0610-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u0963\u0966-\u0f00"
    r"\u0f18-\u1049\u1050-\u17d3\u17dc-\u1fff\u2c00-\u2dff\u3005-\u3007\u3021-\u30fa\u30fc-\u31bf\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\ua48f\ua4d0-\ud7ff\uf900-\ufdff\ufe70-\ufefc\uff21-\uffdc\U00020000-\U000323af"
)
_SMALL = rf"a-z{_LETTERS}"
_OTHER = rf"A-Za-z0-9{_LETTERS}"
# The pieces that o200k cuts a text into before it merges, as close as `re` comes to them. All repeats are bounded: a
# piece is a key of the cache, and merging takes time that grows with its square.
_PIECE = (
    rf"[^\r\n{_OTHER}]?[A-Z]{{0,32}}[{_SMALL}]{{1,32}}"
    rf"|[^\r\n{_OTHER}]?[A-Z]{{1,32}}"
    rf"|[0-9]{{1,3}}"
    rf"| ?[^\s{_OTHER}]{{1,80}}[\r\n/]{{0,32}}"
    rf"|\s{{0,32}}[\r\n]{{1,32}}"
    rf"|[^\S\r\n]{{1,32}}(?=\s\S)"
    rf"|\s{{1,32}}"
)
_WRITTEN = str.maketrans("␉␊␋␌␍␠", "\t\n\v\f\r ")
"""How `merges.txt` writes white space where an editor might touch it."""

_BLOCKS = (
    *((0x0, 1), (0x80, 2), (0x800, 3), (0x900, 2), (0xFC0, 3), (0x1000, 2), (0x1100, 3), (0x1200, 2), (0x1380, 3)),
    *((0x1E00, 2), (0x1F80, 3), (0x1FC0, 2), (0x2340, 3), (0x2440, 2), (0x26C0, 3), (0x2700, 2), (0x27C0, 3)),
    *((0x3000, 2), (0x3180, 3), (0x4E00, 2), (0x5D40, 3), (0x5DC0, 2), (0x6AC0, 3), (0x6B00, 2), (0x8780, 3)),
    *((0x87C0, 2), (0x8800, 3), (0x8840, 2), (0x9780, 3), (0x97C0, 2), (0x9BC0, 3), (0x9E00, 2), (0x9FC0, 3)),
    *((0xFE00, 2), (0x10000, 4), (0x1D000, 3), (0x1E000, 4), (0x1F000, 3), (0x1F300, 2), (0x1F540, 3)),
    *((0x1F600, 2), (0x1F6C0, 3), (0x1F900, 2), (0x1F980, 3), (0x20000, 4)),
)
"""From which code point on a single character takes how many tokens at most. Never more than its UTF-8 bytes."""
_BLOCK_STARTS = [start for start, _ in _BLOCKS]


class EstimateCounter:
    """Estimates tokens, on the safe side: mostly within 10 % of the exact count, and not more than 10 % below it.

    The floor holds for texts of 200 tokens and more of every kind that we could find or generate, see
    `tests/tokens/test_estimate.py`. Languages of which `merges.txt` knows less (Georgian, Malayalam, Thai) come out up
    to 1.5 times too high. One way below the floor is left: one odd group of characters, repeated as the whole text.
    """

    name = "merges-1"

    def count(self, text: str) -> int:
        """Give the estimated tokens of a text, special tokens and lone surrogates as ordinary characters."""
        total = 0.0
        for start in range(0, len(text), SLICE):
            pieces = Counter(_piece().findall(text, start, start + SLICE))
            total += sum(times * _price(piece) for piece, times in pieces.items())
        return math.ceil(total)


def merged(piece: str, ranks: Mapping[str, int]) -> list[str]:
    """Give the parts that a piece of text ends up as: the pair of lowest rank is joined until no pair has one."""
    rank, none = ranks.get, len(ranks)
    parts = list(piece)
    joined = [first + second for first, second in pairwise(parts)]
    order = [rank(pair, none) for pair in joined]
    while order and (lowest := min(order)) < none:
        at = order.index(lowest)
        parts[at] = joined[at]
        del parts[at + 1], joined[at], order[at]
        if at < len(order):
            joined[at] = pair = parts[at] + parts[at + 1]
            order[at] = rank(pair, none)
        if at:
            joined[at - 1] = pair = parts[at - 1] + parts[at]
            order[at - 1] = rank(pair, none)
    return parts


def character_tokens(character: str) -> int:
    """Give the most tokens that a character takes which is none by itself."""
    return _BLOCKS[bisect_right(_BLOCK_STARTS, ord(character)) - 1][1]


@functools.lru_cache(maxsize=1 << 15)
def _price(piece: str) -> float:
    if piece.isdecimal() and piece.isascii():
        return 1.0  # every number of up to three digits is a token
    ranks = _ranks()
    if piece in ranks:
        return SCALE
    parts = merged(piece, ranks)
    tokens = SCALE * len(parts)
    tokens += sum(character_tokens(part) - SCALE for part in parts if part >= "\x80" and part not in ranks)
    if len(parts) > 1 and parts[0] == " ":
        tokens += _torn(parts[1], ranks)
    if len(piece) >= LONG_RUN and piece.isascii() and piece[-1].isalpha():
        tokens *= LONG_RUN_FACTOR
    return tokens


def _torn(part: str, ranks: Mapping[str, int]) -> float:
    # A space before a letter of another script merges with its first byte, and then the rest of the word comes apart.
    category = unicodedata.category(part[0])[0]
    if category == "L":
        return 0.5 if part in ranks else 1.0
    return 1.0 if category == "M" else 0.0


@functools.cache
def _piece() -> re.Pattern[str]:
    return re.compile(_PIECE, re.ASCII)  # not at import: with exact counts it is never used


@functools.cache
def _ranks() -> dict[str, int]:
    lines = Path(__file__).with_name("merges.txt").read_text("utf-8").split("\n")[:-1]
    tokens = (line if line.isascii() else line.translate(_WRITTEN) for line in lines)
    return {token: rank for rank, token in enumerate(tokens)}
