"""The tables of `make verify-replay`: by folder, by combination, by window; what holds no conversation; each fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.verify.grid import CHOSEN, LAST, LONG, TURNS, VERY_LONG, Grid
from tests.verify.judging import FAULTS, Judgement
from tests.verify.recorded import Source

COLUMNS = ("requests", "unjudged", "fits", "summed up", "repaired", "as came", "let over", "refused", *FAULTS)
LEGEND = """\
requests   judged                             unjudged  fitted and not judged (of long transcripts, see above)
fits       something left the view            repaired  something was mended that the provider would refuse
summed up  by a summary that rules made       as came   in the form of a service that speaks almost this dialect
let over   under `none`, and its report says it         refused   nothing fits; wrongly so if it is `unconfirmed`
"""


class Place(NamedTuple):
    """One cell of the grid."""

    strategy: str
    order: str
    dialect: str
    window: int


@dataclass
class Outcome:
    """What came of one file."""

    home: str
    counts: dict[Place, Counter[str]] = field(default_factory=dict[Place, Counter[str]])
    details: list[str] = field(default_factory=list[str])

    def take(self, judgement: Judgement) -> None:
        """Add what came of one conversation walked one way."""
        place = Place(*judgement.way, judgement.dialect, judgement.window)
        self.counts.setdefault(place, Counter()).update(judgement.counts)
        self.details += judgement.details


def show(found: Sequence[Source], outcomes: Sequence[Outcome], asked: Grid) -> int:
    """Print everything; give the number of faults, files that nobody could read included."""
    print(_how(asked))
    print(LEGEND)
    cells = [(outcome.home, place, count) for outcome in outcomes for place, count in outcome.counts.items()]
    _table("folder", cells, lambda home, place: home)
    _table("combination", cells, lambda home, place: f"{place.strategy} {place.order} {place.dialect}")
    _table("window", cells, lambda home, place: f"{place.window:,}")
    _files(found)
    for line in sorted(line for outcome in outcomes for line in outcome.details):
        print(line)
    unread = [source for source in found if source.fault]
    for source in unread:
        print(f"{source.home}/{source.path.name}: not read: {source.fault}")
    return len(unread) + sum(count[name] for _, _, count in cells for name in FAULTS)


def _how(asked: Grid) -> str:
    if asked.everything:
        return "Every request is walked and judged every way."
    return (
        f"Transcripts of more than {LONG} calls are judged in part: at home under trim in its first order every call,\n"
        f"else about {CHOSEN} calls ({CHOSEN // 2} of more than {VERY_LONG}) and the last {LAST}, under one policy of\n"
        f"{TURNS}. Policies that are never asked are not tried. See --help; --all judges everything."
    )


def _table(title: str, cells: Sequence[tuple[str, Place, Counter[str]]], row: Callable[[str, Place], str]) -> None:
    """Print sums of counts, by what `row` makes of folder and place."""
    sums: dict[str, Counter[str]] = {}
    for home, place, count in cells:
        sums.setdefault(row(home, place), Counter()).update(count)
    sums["all"] = sum(sums.values(), Counter[str]())
    width = max(map(len, [title, *sums])) + 1
    print(f"{title:{width}}" + "".join(f"{name:>{max(len(name) + 1, 9)}}" for name in COLUMNS))
    for name, count in sums.items():
        print(f"{name:{width}}" + "".join(f"{count[column]:>{max(len(column) + 1, 9)},}" for column in COLUMNS))
    print()


def _files(found: Sequence[Source]) -> None:
    """Print how many files and conversations there are, and what the other files are."""
    holding = [source for source in found if source.holds]
    print(f"{len(holding)} files hold {sum(source.holds for source in holding):,} conversations")
    for what, number in sorted(Counter(source.none for source in found if source.none).items()):
        print(f"{number} files hold none: {what}")
