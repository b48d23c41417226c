"""Texts as a strategy."""

from __future__ import annotations

from hypothesis import strategies as st

from unabridged.errors import BadInput
from unabridged.testing.passages import KINDS, passage

SEEDS = 256
"""Different texts of one kind and size that are drawn from."""


def texts(*kinds: str, most_tokens: int = 200) -> st.SearchStrategy[str]:
    """Give texts of up to about so many tokens (o200k), of these of the `passages.KINDS`; of all, where none is named.

    Where a text begins and ends is left to chance, as in what was read up to a limit. Only `surrogates` holds halves of
    characters, which no encoding takes.

    Raises:
        BadInput: There is no such kind, or no text is that short.
    """
    return st.builds(passage, st.sampled_from(known(kinds or KINDS)), st.integers(1, least(most_tokens)), _seeds())


def known(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Give the kinds back, if there are such."""
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise BadInput(f"no texts of the kind {unknown[0] if unknown else ''!r}: use some of {', '.join(KINDS)}")
    return kinds


def least(tokens: int) -> int:
    """Give a number of tokens back, if a text can be that short."""
    if tokens < 1:
        raise BadInput(f"`most_tokens` is {tokens}: a text has at least 1 token")
    return tokens


def _seeds() -> st.SearchStrategy[int]:
    return st.integers(0, SEEDS - 1)
