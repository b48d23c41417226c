"""Token counts as people write and read them."""

from __future__ import annotations

import pytest

from unabridged.replay.sizes import short, tokens_from


@pytest.mark.parametrize(
    ("written", "tokens"),
    [("32000", 32_000), ("32_000", 32_000), ("128,000", 128_000), ("32k", 32_000), ("1M", 1_000_000), ("1.5 K", 1_500)],
)
def test_sizes_are_read_as_people_write_them(written: str, tokens: int) -> None:
    assert tokens_from(written) == tokens


@pytest.mark.parametrize("written", ["", "k", "-5", "32kb", "many", "0x10", "1e6"])
def test_what_is_no_size_is_refused_by_name(written: str) -> None:
    with pytest.raises(ValueError, match="is no number of tokens"):
        tokens_from(written)


@pytest.mark.parametrize(
    ("tokens", "written"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1k"),
        (25_600, "25.6k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (23_456_000, "23.5M"),
    ],
)
def test_counts_are_written_short(tokens: int, written: str) -> None:
    assert short(tokens) == written
