"""Judges the requests of a run from outside: size, prefix shared with the request before, validity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.verify.payload import FRAMING, count, message_tokens


@dataclass
class Verdicts:
    """What a run of requests came to."""

    budget: int
    sent: int = 0
    shared: int = 0
    fills: list[float] = field(default_factory=list[float])
    over: int = 0
    breaks: int = 0
    steps: int = 0

    @property
    def prefix(self) -> float:
        """Share of all sent tokens that lie in a prefix unchanged from the request before."""
        return self.shared / max(1, self.sent)

    @property
    def fill(self) -> float:
        """Mean size of a request, as a share of the budget."""
        return sum(self.fills) / max(1, len(self.fills))


class Judge:
    """Takes the messages of one request after the other."""

    def __init__(self, budget: int) -> None:
        self.verdicts = Verdicts(budget)
        self._before: Sequence[Mapping[str, Any]] = ()
        self._known: dict[int, tuple[Mapping[str, Any], int]] = {}

    def see(self, messages: Sequence[Mapping[str, Any]]) -> int:
        """Take in one request; give its tokens."""
        sizes = [self._tokens(message) for message in messages]
        same = 0
        while same < min(len(messages), len(self._before)) and messages[same] == self._before[same]:
            same += 1
        total = sum(sizes)
        verdicts = self.verdicts
        verdicts.steps += 1
        verdicts.sent += total
        verdicts.shared += sum(sizes[:same])
        verdicts.breaks += bool(self._before) and same < len(self._before)
        verdicts.fills.append(total / verdicts.budget)
        verdicts.over += total > verdicts.budget
        self._before = list(messages)
        return total

    def _tokens(self, message: Mapping[str, Any]) -> int:
        key = hash(repr(message))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = (message, FRAMING + message_tokens(message, lambda _: 1_600))
        return known[1]


__all__ = ["Judge", "Verdicts", "count"]
