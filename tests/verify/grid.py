"""What is walked: every strategy, order, dialect and window; and of a long transcript how much of it.

Of a transcript of at most 12 calls every request is judged, and so is every request of a longer one at home under
`trim` in its first order. On a longer one every third of the other policies is tried, others in each transcript,
dialect and window. Under them it goes on at every k-th call and at the last ones, and so it does in another dialect; at
home, if it has at most 100 calls, it is walked call by call, and judged there and wherever something left the view. k
is such that about eight calls are chosen, of more than 100 about four. No policy is ever asked below the budget: where
`trim` in its first order had nothing to do at any call, no other is tried, nor, in another dialect, a larger window.
`--all` walks and judges everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from zlib import crc32

import msgspec

from tests.wire.crossings import DIALECTS
from unabridged.exporters.exporter import Losses
from unabridged.exporters.frames import frame_for
from unabridged.importers import Imported
from unabridged.policy import ORDERS, Policy
from unabridged.replay.walk import calls_of
from unabridged.strategy import BUILT_IN

HOME = "home"
IN_TURN = "summarize-in-turn"
"""`summarize` that may sum up between two steps of a turn as well."""
STRATEGIES = ("trim", *sorted({*BUILT_IN, IN_TURN} - {"trim"}))
TONGUES = (HOME, *DIALECTS)
NO_ORDER = "-"
WINDOWS = (8_000, 32_000, 128_000)
LONG = 12
"""Calls; a transcript of more is long."""
VERY_LONG = 100
"""Calls; a transcript of more is walked call by call under the first policy alone."""
CHOSEN = 8
"""Calls that are chosen of a long transcript, about; of a very long one half as many."""
LAST = 2
"""Calls at the end that are always chosen."""
TURNS = 3
"""Of so many policies one is tried on a long transcript."""


class Way(NamedTuple):
    """How a request is made smaller."""

    strategy: str
    order: str

    @property
    def policy(self) -> Policy:
        """The settings."""
        folds = self.strategy == IN_TURN
        order = self.order if self.order in ORDERS else ORDERS[0]
        return Policy(strategy="summarize" if folds else self.strategy, trim_order=order, fold_in_turn=folds)


FIRST = Way("trim", ORDERS[0])
"""The one that all requests are judged under. It goes first, and tells where the others have nothing to do."""


class Grid(NamedTuple):
    """What was asked for."""

    ways: tuple[Way, ...]
    dialects: tuple[str, ...]
    windows: tuple[int, ...]
    everything: bool


def ways(strategies: Sequence[str], orders: Sequence[str]) -> tuple[Way, ...]:
    """Give the ways, the first one first. `none` takes nothing out, so it has no order."""
    found = [Way(strategy, order) for strategy in strategies for order in orders if strategy != "none"]
    found += [Way("none", NO_ORDER)] if "none" in strategies else []
    return tuple(sorted(found, key=lambda way: way != FIRST))


def tongues(conversation: Imported, grid: Grid) -> Iterator[str]:
    """Give what a conversation goes on in. Its own dialect is `home`."""
    asked = [HOME if dialect == conversation.dialect else dialect for dialect in grid.dialects]
    yield from dict.fromkeys(asked)


def tried(conversation: Imported, tongue: str, window: int, grid: Grid) -> tuple[Way, ...]:
    """Give the ways in which a conversation is walked in a dialect at a window."""
    if grid.everything or not is_long(conversation):
        return grid.ways
    turn = crc32(f"{conversation.name} {tongue} {window}".encode()) % TURNS
    others = [way for way in grid.ways if way != FIRST]
    return tuple(way for way in grid.ways if way == FIRST or others.index(way) % TURNS == turn)


def is_long(conversation: Imported) -> bool:
    """Tell whether not all of a transcript is judged every way."""
    return len(calls_of(conversation)) > LONG


def is_very_long(conversation: Imported) -> bool:
    """Tell whether a transcript is too long to be walked call by call under every policy."""
    return len(calls_of(conversation)) > VERY_LONG


def spoken(conversation: Imported, dialect: str) -> Imported:
    """Give a conversation that goes on with a provider of another dialect."""
    frame = frame_for(conversation, dialect, Losses())
    return msgspec.structs.replace(conversation, dialect=dialect, frame=frame)


def chosen(conversation: Imported) -> frozenset[int]:
    """Give the calls of a transcript that are chosen, each by how many messages it is asked with."""
    places = [call.messages for call in calls_of(conversation)]
    if not is_long(conversation):
        return frozenset(places)
    every = -(-len(places) // (CHOSEN if len(places) <= VERY_LONG else CHOSEN // 2))
    return frozenset((*places[every - 1 :: every], *places[-LAST:]))


def shortened(conversation: Imported, places: frozenset[int]) -> Imported:
    """Give a conversation in which only some calls are made."""
    calls = tuple(call for call in conversation.calls if call.answer in places)
    return msgspec.structs.replace(conversation, calls=calls)
