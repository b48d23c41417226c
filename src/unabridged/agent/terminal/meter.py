"""How full the window is, and the line below the input."""

from __future__ import annotations

import msgspec

from unabridged.agent.terminal.ink import Ink, short

WARN_AT = 0.85
"""Of the budget: from here on the next fit is near."""


LEAST = 8
"""Columns that are worth beginning a piece in."""


class Meter(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of the newest request."""

    tokens: int = 0
    budget: int = 0
    window: int = 0

    @property
    def words(self) -> str:
        """Give it as people read it: `42 % (54k/128k)`."""
        if not self.window:
            return ""
        return f"{100 * self.tokens / self.window:.0f} % ({short(self.tokens)}/{short(self.window)})"

    @property
    def level(self) -> str:
        """Give `calm`, `warn` or `full`."""
        if self.budget and self.tokens >= self.budget:
            return "full"
        return "warn" if self.budget and self.tokens >= WARN_AT * self.budget else "calm"


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """What the line says."""

    meter: Meter
    mode: str = ""
    model: str = ""
    folder: str = ""
    branch: str = ""
    sandbox: str = ""
    queued: int = 0


def status_line(status: Status, ink: Ink, width: int) -> list[tuple[str, str]]:
    """Give the line in pieces, each with its style; what matters least goes first where it is narrow."""
    place = f"{status.folder} ({status.branch})" if status.branch else status.folder
    # By importance; shown in the order of the numbers.
    pieces = [
        (3, f"class:meter.{status.meter.level}", status.meter.words),
        (1, "class:mode", status.mode),
        (5, "class:queued", f"{status.queued} queued" if status.queued else ""),
        (0, "class:model", status.model),
        (2, "class:place", place),
        (4, "class:sandbox", status.sandbox),
    ]
    gap = f" {ink.dot} "
    kept: list[tuple[int, str, str]] = []
    used = 1
    for number, style, words in pieces:
        room = width - used - len(gap)
        if not words or room < LEAST:
            continue
        words = words if len(words) <= room else words[: room - len(ink.more)] + ink.more
        kept.append((number, style, words))
        used += len(words) + len(gap)
    made: list[tuple[str, str]] = [("", " ")]
    for place_at, (_, style, words) in enumerate(sorted(kept)):
        made += [("class:gap", gap)] if place_at else []
        made.append((style, words))
    return made
