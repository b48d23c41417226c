"""The archive of one conversation: what left the view, and how it is found again.

Only what belongs to the branch that asks is found: its own entries, and those of the branches that it came from, up to
where it left them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from math import inf

import msgspec

from unabridged.archive.chunks import Place, chunks_of, tools_of
from unabridged.archive.dense import POOL, Dense, Near, fused
from unabridged.archive.embedding import Embedder
from unabridged.archive.ranking import Ranked, ranked, scored, share_said
from unabridged.archive.segment import MOST, NEIGHBOURS, Prepared, Segment, merged, prepared, segment_of
from unabridged.archive.shelf import Head, Read, Shelf
from unabridged.archive.terms import asked_terms, only_names
from unabridged.archive.vectors import Moved
from unabridged.errors import StoreError, StoreFault
from unabridged.message import Role
from unabridged.transcript import Record

Scope = Sequence[tuple[str, int]]
"""The parts of a branch, as `Log.ancestry` gives them."""
MORE = 4
"""How many times as many chunks as asked for are ranked at first: some may be of another time or role."""


TRIES = 5


class Hit(msgspec.Struct, frozen=True):
    """A chunk that answers a question."""

    place: Place
    score: float


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which chunks count: of a role, and said in a time. Times are RFC 3339, or the beginning of one (`2026-05`)."""

    role: Role | None = None
    after: str = ""
    """Not before that."""
    before: str = ""
    """Not at that, nor later. What bears no time counts only where no time is asked for."""
    hidden: frozenset[int] = frozenset()
    """Positions of messages that their user hid: `Transcript.hidden`."""

    def holds(self, place: Place) -> bool:
        """Tell whether a chunk counts."""
        if place.seq in self.hidden:
            return False
        if self.role is not None and place.role is not self.role:
            return False
        if not (self.after or self.before):
            return True
        return bool(place.time) and self.after <= place.time and not (self.before and place.time >= self.before)


ALL = Wanted()


class Archive:
    """What left the view of one conversation."""

    def __init__(self, shelf: Shelf, embedder: Embedder | None = None) -> None:
        self._shelf = shelf
        self._dense = Dense(shelf, embedder) if embedder is not None else None

    def add(self, records: Sequence[Record], places: Sequence[int], scope: Scope) -> int:
        """Archive the records at these places of a transcript; give how many were not there before.

        What is archived already stays as it is, so that the same may be given twice.
        """
        known = self._shelf.known([records[place].seq for place in places])
        new = sorted({place for place in places if records[place].seq not in known})
        silent = {records[place].seq for place in new}
        added = 0
        for branch, own in _by_branch(records, new, scope).items():
            for segment in _segments(branch, records, own):
                added += self._shelf.put(segment)
                silent.difference_update(place.seq for place in segment.places)
        if silent:
            self._shelf.pass_over(sorted(silent))
        return added

    def knows(self, seq: int) -> bool:
        """Tell whether the message at this place of the log is archived."""
        return bool(self._shelf.known([seq]))

    def search(self, query: str, *, scope: Scope, limit: int = 10, wanted: Wanted = ALL) -> list[Hit]:
        """Give the chunks that answer a question best, the best first; nothing of any other branch."""
        terms, limits = asked_terms(query), _limits(scope)
        if not terms or limit < 1:
            return []
        for _ in range(TRIES):
            with suppress(Moved):
                read = self._shelf.read(terms, limits)
                dense = None if only_names(query) else self._dense
                near = dense.near(query, read.heads, limits) if dense is not None else None
                return self._search(read, near, limits, limit, wanted)
        raise StoreError(StoreFault.BUSY, "the archive of this conversation is being written: search again")

    def catch_up(self, records: Sequence[Record], *, scope: Scope, most_s: float = inf) -> int:
        """Embed what is archived of a branch and has no vector of the embedder yet; give how many chunks that were.

        It takes long, and is for a thread beside the turns, with a transcript of its own. Ended at any point it goes on
        from there; `most_s` are seconds after which it gives up, 0 chunks mean that nothing is left. Several may run at
        once. Without an embedder there is nothing to do. Raises `EmbeddingError`: what was embedded before is kept.
        """
        return self._dense.catch_up(records, _limits(scope), most_s) if self._dense is not None else 0

    @property
    def problem(self) -> Exception | None:
        """Why the newest search went by words alone although there are vectors; None where nothing was wrong."""
        return self._dense.problem if self._dense is not None else None

    def _search(
        self, read: Read, near: Near | None, limits: Mapping[str, float], limit: int, wanted: Wanted
    ) -> list[Hit]:
        asked, total = limit * MORE, sum(head.count for head in read.heads.values())
        while True:
            best = _best(read, near, asked)
            hits = list(islice(self._hits(best, read.heads, limits, wanted), limit))
            if len(hits) == limit or len(best) < asked or asked >= total:
                return hits
            asked *= MORE

    def _hits(
        self, best: Sequence[Ranked], heads: Mapping[int, Head], limits: Mapping[str, float], wanted: Wanted
    ) -> Iterator[Hit]:
        read: dict[int, Sequence[Place]] = {}
        for score, number, chunk in best:
            places = read.get(number)
            if places is None:
                places = read[number] = self._shelf.places(number)
            place = places[chunk]
            if place.seq <= limits[heads[number].branch] and wanted.holds(place):
                yield Hit(place, score)


def _limits(scope: Scope) -> dict[str, float]:
    return {branch: inf if last == -1 else last for branch, last in scope}


def _best(read: Read, near: Near | None, limit: int) -> list[Ranked]:
    if near is None:
        return ranked(scored(read.postings, read.lengths, limit), limit)
    scores = scored(read.postings, read.lengths, max(limit, POOL))
    first = ranked(scores, 1)
    said = share_said(read.postings, read.lengths, first[0][1] << 16 | first[0][2]) if first else 0.0
    return fused(scores, near, 1.0 - said, limit)


def _by_branch(records: Sequence[Record], places: Sequence[int], scope: Scope) -> dict[str, list[int]]:
    """Sort places by the branch that holds them: an entry belongs to the first part that reaches so far."""
    found: dict[str, list[int]] = {}
    for place in places:
        seq = records[place].seq
        branch = next((name for name, last in scope if last == -1 or seq <= last), None)
        if branch is not None:
            found.setdefault(branch, []).append(place)
    return found


def _segments(branch: str, records: Sequence[Record], places: Sequence[int]) -> Iterator[Segment]:
    """Make segments of the messages at these places, no larger than a segment may be."""
    made: list[Segment] = []
    count = 0
    for run in _runs(records, places):
        for start in range(0, len(run), MOST // 2):
            # A chunk at such a border has its neighbours on one side alone; a run so long is one output.
            part = segment_of(branch, run[start : start + MOST // 2])
            if count + len(part.places) > MOST:
                yield merged(made)
                made, count = [], 0
            made.append(part)
            count += len(part.places)
    if count:
        yield merged(made)


def _runs(records: Sequence[Record], places: Sequence[int]) -> Iterator[list[Prepared]]:
    """Give the chunks at these places in order, with those of their neighbours; a run has no gap."""
    new = set(places)
    wanted = sorted(
        {
            near
            for place in places
            for near in range(max(0, place - NEIGHBOURS), min(len(records), place + NEIGHBOURS + 1))
        }
    )
    run: list[Prepared] = []
    for before, place in zip([-1, *wanted], wanted, strict=False):
        if place != before + 1 and run:
            yield run
            run = []
        run += _chunks(records, place, is_new=place in new)
    if run:
        yield run


def _chunks(records: Sequence[Record], place: int, *, is_new: bool) -> Iterator[Prepared]:
    record = records[place]
    chunks = list(chunks_of(record.message, record.seq, tools_of(records, place)))
    if not is_new and len(chunks) > 2 * NEIGHBOURS:
        chunks = [*chunks[:NEIGHBOURS], *chunks[-NEIGHBOURS:]]  # nothing further in is near anything
    for chunk in chunks:
        yield prepared(chunk, is_new=is_new)
