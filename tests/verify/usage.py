"""Holds the counting against recorded usage: what providers reported for the calls of Claude Code sessions.

    growth   estimate of what a call adds, against the reported difference, for calls that add 2,000 tokens or more
    whole    estimate of a whole request without an anchor, with what the first five reports taught and no later one

A *hidden jump* is growth that the file does not explain: the client compacted, injected what it does not write down,
or cut earlier output. Jumps are listed and left out of the medians.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from statistics import median, quantiles
from typing import NamedTuple

from tests.shared import DATA
from tests.verify.recorded import recorded
from unabridged.importers import Imported
from unabridged.message import Origin
from unabridged.tokens import default_counter
from unabridged.tokens.calibration import Calibration
from unabridged.tokens.price import price_message

LEAST = 2_000
WARM = 5
JUMP = 3.0
"""A reported growth this many times above or below what the file shows is a jump, if 2,000 tokens or more are amiss."""


class Measured(NamedTuple):
    """One call: estimated and reported growth, estimated and reported whole request."""

    model: str
    grown: float
    growth: int
    whole: float
    usage: int
    reports: int
    jump: bool


def measure(conversation: Imported) -> Iterator[Measured]:
    """Walk a session and predict each report from those before it."""
    counter = default_counter()
    known: dict[str, Calibration] = {}
    taught: dict[tuple[str, int], Calibration] = {}
    price = position = compactions = 0
    for call in conversation.calls:
        for message in conversation.messages[position : call.answer]:
            if message.origin is Origin.CLIENT_SUMMARY:  # from here on the client sent its summary and what follows
                price, compactions = 0, compactions + 1
            price += price_message(message, counter, conversation.media).under(conversation.dialect).tokens
        position = call.answer
        if call.usage is None or not call.usage.input:
            continue
        key = (str(compactions), "")
        calibration = known.get(call.model, Calibration())
        anchor = calibration.anchor
        if anchor is not None and anchor.key == key:
            growth = call.usage.input - anchor.usage
            grown = calibration.meter(key).tokens(price) - anchor.usage
            early = taught.get((call.model, compactions), calibration)
            whole = early.overhead + early.ratio * price
            jump = growth <= 0 or _jumps(grown, growth)
            yield Measured(call.model, grown, growth, whole, call.usage.input, calibration.reports, jump)
        known[call.model] = learned = calibration.learn(key, price, call.usage.input)
        if learned.reports >= WARM:
            taught.setdefault((call.model, compactions), learned)


def _jumps(grown: float, growth: int) -> bool:
    return abs(grown - growth) > LEAST and not growth / JUMP <= grown <= growth * JUMP


def main() -> int:
    """Print the figures; give 0 if they are within the bounds that the project promises."""
    if not DATA.is_dir():
        print(f"no recorded conversations at {DATA}: set UNABRIDGED_DATA to the folder that holds them")
        return 2
    found = [
        (f"{home}/{path.name[:12]}", measured)
        for home, path, conversations in recorded()
        if home.startswith("claude-code") or home.startswith("codex")
        for conversation in conversations
        if conversation.dialect == "anthropic"
        for measured in measure(conversation)
    ]
    jumps = [(name, m) for name, m in found if m.jump and abs(m.growth - m.grown) > LEAST]
    for name, m in jumps:
        print(f"jump {name:44} {m.model:28} reported {m.growth:+8,} shown {m.grown:+10,.0f}")
    steady = [m for _, m in found if not m.jump]
    large = [m for m in steady if m.growth >= LEAST]
    ratios = [m.grown / m.growth for m in large]
    errors = [abs(ratio - 1) for ratio in ratios]
    warm = [abs(m.whole / m.usage - 1) for m in steady if m.reports >= WARM]
    low = quantiles(ratios, n=10)[0]
    for model in sorted({m.model for m in large}):
        own = [m.grown / m.growth for m in large if m.model == model]
        print(f"{model:32} {len(own):5} calls, estimate / reported: median {median(own):.3f}, lowest {min(own):.3f}")
    print(f"calls {len(found):,}, hidden jumps {len(jumps)}, calls that add {LEAST:,} or more {len(large):,}")
    print(f"growth: median error {median(errors):.1%}, 10th percentile of estimate / reported {low:.3f}")
    print(f"whole request without anchor, taught by {WARM} reports: median error {median(warm):.2%}")
    return 0 if median(errors) <= 0.10 and low >= 0.80 and median(warm) <= 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
