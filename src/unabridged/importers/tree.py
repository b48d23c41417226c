"""Files that keep every branch of a conversation: which path is the conversation, and which were left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar


class Placed(Protocol):
    """A record that knows its place in a tree."""

    @property
    def key(self) -> str:
        """Its id."""
        ...

    @property
    def parent(self) -> str | None:
        """The id of the record that it follows."""
        ...

    @property
    def speaks(self) -> bool:
        """Whether it holds a message; a branch without one is none."""
        ...


T = TypeVar("T", bound=Placed)


def branches(records: Sequence[T]) -> list[tuple[str, list[T]]]:
    """Give the path to the last record under the key "", then the path to every other end, under that one's id.

    A record whose parent is not in the file, because its line is broken, follows the record before it there. Parents
    that go in a circle end where it closes.
    """
    if not records:
        return []
    by_key = {record.key: record for record in records}
    parents = _parents(records, by_key)
    followed = set(parents.values())
    found = [("", _path(records[-1].key, by_key, parents))]
    known = {record.key for record in found[0][1]}
    for record in records:
        if record.key in followed or record.key in known:
            continue
        path = _path(record.key, by_key, parents)
        if any(step.speaks and step.key not in known for step in path):
            found.append((record.key, path))
    return found


def _parents(records: Sequence[Placed], by_key: Mapping[str, Placed]) -> dict[str, str | None]:
    found = dict[str, str | None]()
    before: str | None = None
    for record in records:
        found[record.key] = record.parent if record.parent is None or record.parent in by_key else before
        before = record.key
    return found


def _path(end: str | None, by_key: Mapping[str, T], parents: Mapping[str, str | None]) -> list[T]:
    path, seen = list[T](), set[str]()
    while end is not None and end not in seen:
        seen.add(end)
        path.append(by_key[end])
        end = parents[end]
    return path[::-1]
