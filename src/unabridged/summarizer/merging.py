"""What was known before, and what is new, as one record: a union in which the newest wins."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

import msgspec

from unabridged.summarizer.gathering.files import merged as merged_files
from unabridged.summarizer.gathering.names import MOST
from unabridged.summarizer.paths import endings, is_absolute
from unabridged.summarizer.record import Change, File, Name, Record

T = TypeVar("T", bound=Hashable)


def merge(before: Record, after: Record) -> Record:
    """Give the union. `after` was gathered with `before` in hand: its commands and to-dos already go on from there."""
    return Record(
        prose=after.prose or before.prose,
        task=after.task or before.task,
        rounds=_once([*before.rounds, *after.rounds]),
        todos=after.todos,
        failures=after.failures,
        files=_files([*before.files, *after.files]),
        commands=after.commands,
        names=_names(before.names, after.names),
        pictures=_once([*before.pictures, *after.pictures]),
        left=before.left,
    )


def _once(items: Iterable[T]) -> tuple[T, ...]:
    """Give each item once, where it stood last."""
    known: dict[T, None] = {}
    for item in items:
        known.pop(item, None)
        known[item] = None
    return tuple(known)


def _files(files: list[File]) -> tuple[File, ...]:
    """Give each file once, those that were modified first. A relative path is the one absolute path that ends in it."""
    known: dict[str, set[str]] = {}
    for file in files:
        if is_absolute(file.path):
            for end in endings(file.path):
                known.setdefault(end, set()).add(file.path)
    named: list[File] = []
    for file in files:
        full = known.get(file.path.replace("\\", "/").removeprefix("./"), set())
        named.append(msgspec.structs.replace(file, path=next(iter(full))) if len(full) == 1 else file)
    merged = merged_files(named)
    return tuple(sorted(merged, key=lambda file: file.change is Change.NONE))


def _names(before: tuple[Name, ...], after: tuple[Name, ...]) -> tuple[Name, ...]:
    """Give the names of both, each list in its own order, those with more messages first."""
    earlier = {name.text: name.count for name in before}
    # The larger count, not the sum: the same messages merged twice change nothing.
    new = [Name(name.text, max(name.count, earlier.pop(name.text, 0))) for name in after]
    old = [Name(text, count) for text, count in earlier.items()]
    merged: list[Name] = []
    while new and old:
        merged.append(new.pop(0) if new[0].count >= old[0].count else old.pop(0))
    return tuple([*merged, *new, *old][:MOST])
