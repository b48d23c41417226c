"""Which messages are hidden: from searches, and from nothing else. Each was named by an append that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf

import msgspec

from unabridged.entry import Entry, HiddenEntry, MessageEntry
from unabridged.errors import NotFound

Parts = Sequence[tuple[str, int]]
"""What a branch is made of, as `Log.ancestry` gives it."""


class Hiding(msgspec.Struct, frozen=True):
    """One word on one message: it is not to be found, or it is again."""

    at: int
    """Position of the entry that says so."""
    branch: str
    """The branch that it was said on."""
    shown: bool
    id: str
    """Of the message."""
    seq: int
    """Its position in the log."""
    of: str
    """The branch that it was appended to."""


def hidings_in(entries: Iterable[Entry]) -> list[Hiding]:
    """Give each word on each message of a log, in order."""
    messages: dict[str, list[tuple[int, str]]] = {}
    found: list[Hiding] = []
    for entry in entries:
        payload = entry.payload
        if isinstance(payload, MessageEntry):
            messages.setdefault(payload.message.id, []).append((entry.seq, entry.branch))
        elif isinstance(payload, HiddenEntry):
            for seq, of in messages.get(payload.message, ()):
                found.append(Hiding(entry.seq, entry.branch, payload.shown, payload.message, seq, of))
    return found


def hidden_among(said: Iterable[Hiding], ancestry: Callable[[str], Parts], branch: str | None = None) -> dict[int, str]:
    """Give the messages that are hidden on a branch, by position, with their ids; the newest word on each counts.

    What was said on a branch holds for it and for those that were made of it afterwards. Without a branch every word
    counts, wherever it was said, for a message that stood where it was said.
    """
    limits: dict[str, dict[str, float]] = {}
    found: dict[int, str] = {}
    for each in said:
        asked = each.branch if branch is None else branch
        if asked not in limits:
            limits[asked] = {name: inf if last == -1 else last for name, last in _parts(ancestry, asked)}
        known = limits[asked]
        if each.at > known.get(each.branch, -1) or each.seq > known.get(each.of, -1):
            continue
        if each.shown:
            found.pop(each.seq, None)
        else:
            found[each.seq] = each.id
    return found


def carried(before: Mapping[int, str], after: Mapping[int, str], upto: int) -> list[HiddenEntry]:
    """Give what a new branch has to be told, so that it hides what the one does that it is made of, up to an entry.

    It may begin before the entries that said so. `before` is hidden on the old branch, `after` on the new one as it is.
    """
    hides = [HiddenEntry(id) for seq, id in before.items() if seq <= upto and seq not in after]
    return hides + [HiddenEntry(id, shown=True) for seq, id in after.items() if seq not in before]


def _parts(ancestry: Callable[[str], Parts], branch: str) -> Parts:
    try:
        return ancestry(branch)
    except NotFound:
        return ((branch, -1),)  # its row was lost: what was said on it still holds there
