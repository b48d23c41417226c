"""Texts made shorter: the head and the tail stay, and how much is missing is said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unabridged.cutting import shorten
from unabridged.tokens import TokenCounter

LEAST_CUT = 60
"""Tokens below which a text is not worth cutting for."""
LINES_COST = 3
"""Tokens that stand in front of a quoted line."""


def cut_text(text: str, tokens: int, counter: TokenCounter) -> str:
    """Give the head and the tail of a text in at most `tokens`, with a line that says how much is missing."""

    def mark(kept: tuple[tuple[int, int], ...], total: int) -> str:
        return f"[… {total - sum(end - start for start, end in kept):,} characters left out]"

    if counter.count(text) <= tokens:
        return text
    kept, _ = shorten(text, tokens, counter, mark)
    return f"\n{mark(kept, len(text))}\n".join(text[start:end] for start, end in kept)


def cut_words(words: tuple[str | int, ...], tokens: int, counter: TokenCounter) -> tuple[str | int, ...]:
    """Give the words of a round in about `tokens`: whole pieces first, then the head and tail of one, then gaps."""
    out: list[str | int] = []
    for piece in words:
        if isinstance(piece, int):
            out.append(piece)
        elif counter.count(piece) + LINES_COST * piece.count("\n") <= tokens:
            out.append(piece)
            tokens -= counter.count(piece) + LINES_COST * piece.count("\n")
        elif tokens >= LEAST_CUT // 2:
            kept, _ = shorten(piece, tokens // 2, counter, _unmarked)
            out += _around_a_gap(piece, kept)
            tokens = 0
        else:
            out.append(len(piece))
    return gaps_joined(out)


def _unmarked(kept: tuple[tuple[int, int], ...], total: int) -> str:
    del kept, total
    return ""


def _around_a_gap(text: str, kept: Sequence[tuple[int, int]]) -> Iterable[str | int]:
    at = 0
    for start, end in kept:
        if start > at:
            yield start - at
        if end > start:
            yield text[start:end]
        at = end
    if at < len(text):
        yield len(text) - at


def gaps_joined(pieces: Iterable[str | int]) -> tuple[str | int, ...]:
    """Give words in which no two gaps stand side by side."""
    out: list[str | int] = []
    for piece in pieces:
        if isinstance(piece, int) and out and isinstance(out[-1], int):
            out[-1] += piece
        else:
            out.append(piece)
    return tuple(out)
