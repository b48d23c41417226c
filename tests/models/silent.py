"""What servers report that cut the input, and what honest ones report."""

from __future__ import annotations

from typing import NamedTuple

from unabridged.models.truncation import CutReason, Exchange
from unabridged.report import Usage


class Case(NamedTuple):
    """Answered requests, oldest first, and what the last one gives away."""

    exchanges: list[Exchange]
    window: int | None
    reason: CutReason | None = None
    limit: int | None = None


def exchange(sent: int, read: int, output: int = 50, cached: int = 0) -> Exchange:
    return Exchange(sent, Usage(input=read, output=output, cached=cached))


SILENT = [
    # Ollama with its default window
    Case([exchange(5_065, 2_048)], None, CutReason.FILLED, 2_048),
    Case([exchange(160_000, 16_384)], 200_000, CutReason.FILLED, 16_384),
    # the same where half of the window is kept, and the template counts too
    Case([exchange(9_000, 4_090)], None, CutReason.FAR_BELOW),
    Case([exchange(32_500, 30_000)], 30_000, CutReason.FILLED, 30_000),
    # Xiaomi MiMo: the window is filled, nothing is left to answer with
    Case([exchange(300_000, 262_144, output=0)], 262_144, CutReason.NO_ROOM, 262_144),
    Case([exchange(262_000, 261_000, output=0)], 262_144, CutReason.NO_ROOM, 262_144),
    # Z.AI: more usage than window
    Case([exchange(210_000, 209_000)], 200_000, CutReason.OVER_WINDOW, 200_000),
    # a gateway that reports one number for ever
    Case([exchange(200_000, 196_608), exchange(220_000, 196_608)], None, CutReason.STANDS_STILL, 196_608),
]

HONEST = [
    Case([], 8_192),
    Case([exchange(5_000, 4_700)], 8_192),
    Case([exchange(5_000, 4_700)], None),
    Case([exchange(5_000, 5_600)], 8_192),
    Case([exchange(5_000, 0)], 8_192),  # reports nothing
    Case([exchange(4_000, 4_096)], 8_192),  # more than we count: a coincidence
    Case([exchange(300, 40)], 8_192),  # too small to tell
    Case([exchange(5_000, 4_700, output=0)], 8_192),
    Case([exchange(5_000, 4_700), exchange(5_000, 4_700)], 8_192),  # the same request again
    Case([exchange(5_000, 4_700), exchange(5_050, 4_700)], 8_192),
    Case([exchange(90_000, 88_000), exchange(20_000, 19_000)], 128_000),  # a fit lay between
    Case([exchange(9_000, 7_000), exchange(9_900, 7_900), exchange(7_100, 7_050)], None),
    Case([exchange(5_000, 4_800), exchange(6_500, 1_480)], 8_192),  # what its cache held is left out
]
