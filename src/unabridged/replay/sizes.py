"""Token counts as people write and read them: `32k` in, `31.2k` out."""

from __future__ import annotations

import re

_WRITTEN = re.compile(r"(?P<number>\d[\d_,]*(?:\.\d+)?)\s*(?P<unit>[kKmM]?)")
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


def tokens_from(text: str) -> int:
    """Read `32000`, `32_000`, `32k`, `1M`. Raises `ValueError` for anything else."""
    written = _WRITTEN.fullmatch(text.strip())
    if written is None:
        raise ValueError(f"{text!r} is no number of tokens: write 32000, 32k or 1M")
    number = float(written["number"].replace("_", "").replace(",", ""))
    return int(number * _UNITS[written["unit"].lower()])


def short(tokens: int) -> str:
    """Write a count in at most five characters: `940`, `31.2k`, `281k`, `1.2M`."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 99_950:
        return f"{tokens / 1_000:.1f}".removesuffix(".0") + "k"
    if tokens < 999_500:
        return f"{tokens / 1_000:.0f}k"
    return f"{tokens / 1_000_000:.1f}".removesuffix(".0") + "M"


def share(part: float, whole: float) -> str:
    """Write a share in per cent; a dash where there is nothing to share."""
    return f"{100 * part / whole:.1f} %" if whole else "-"


def dollars(amount: float) -> str:
    """Write US dollars with three digits that say something: `$0.0042`, `$1.23`, `$187`."""
    if amount == 0:
        return "$0"
    if amount >= 99.95:
        return f"${amount:,.0f}"
    decimals = 2
    while decimals < 6 and round(amount, decimals) < 10 ** (2 - decimals):
        decimals += 1
    return f"${amount:.{decimals}f}"
