"""What to do with a request that reached its budget. One strategy is one file, found by name."""

from __future__ import annotations

from typing import Protocol, cast

from unabridged.errors import BadSetting
from unabridged.strategy import none, step, summarize, trim
from unabridged.strategy.situation import Decision, Situation

ENTRY_POINTS = "unabridged.strategies"
"""The group under which other packages register theirs."""

ALIASES = {"off": "none"}


class Strategy(Protocol):
    """Decides what leaves the view. Given a frozen situation; changes nothing."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module constant of each strategy
        """By which a policy names it."""
        ...

    def decide(self, situation: Situation, *, overshoot: int = 0) -> Decision | None:
        """Decide what goes, or None to change nothing. `overshoot`: tokens by which an earlier try missed its goal."""
        ...


BUILT_IN: dict[str, Strategy] = {none.NAME: none, trim.NAME: trim, summarize.NAME: summarize}


def strategy_named(name: str) -> Strategy:
    """Give the strategy of a policy; `BadSetting` names the known ones."""
    known = BUILT_IN.get(ALIASES.get(name, name))
    if known is not None:
        return known
    from importlib.metadata import entry_points  # not at the top: it takes longer to import than all of the core

    found = entry_points(group=ENTRY_POINTS)
    if name in found.names:
        return cast(Strategy, found[name].load())
    names = sorted({*BUILT_IN, *ALIASES, *found.names})
    raise BadSetting("strategy", name, f"known are {', '.join(names)}")


__all__ = ["BUILT_IN", "Decision", "Situation", "Strategy", "step", "strategy_named", "summarize"]
