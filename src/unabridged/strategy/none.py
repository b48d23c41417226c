"""`none`: nothing is changed, and the report says so. An overflow is the caller's. Only on purpose."""

from __future__ import annotations

from unabridged.strategy.situation import Decision, Situation

NAME = "none"


def decide(situation: Situation, *, overshoot: int = 0) -> Decision | None:
    """Decide nothing."""
    del situation, overshoot
    return None
