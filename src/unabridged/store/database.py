"""What the store needs of a database: rows out, and transactions in. SQL is written once, with `?` for a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from unabridged.errors import StoreError

Row = tuple[Any, ...]
LONGEST_LEASE_S = 3_600.0
"""Seconds that a lease holds at most. One that seems to hold for longer was given before a clock was set back."""


class Taken(Exception):
    """A row with this key is there already: somebody else was first."""


class Fenced(Exception):
    """The turn that writes is no longer the one that runs, or writes beside one that does."""


class Broken(StoreError):
    """The connection broke. What was about to be committed may be written, or not."""


class Transaction(Protocol):
    """Statements that take effect together, or not at all."""

    def run(self, sql: str, *values: Any) -> None:
        """Run a statement. Which rows it changed, `RETURNING` tells, through `rows`."""
        ...

    def hold(self, session: int, fence: int | None) -> None:
        """Have this transaction fail with `Fenced` unless this turn runs (`fence`), or none does (None)."""
        ...

    def lock(self, name: str, *, shared: bool) -> None:
        """Wait until nobody else is in a transaction that holds this name; sharers do not wait for each other."""
        ...

    def run_each(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        ...

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Give the rows of a query."""
        ...


class Database(Protocol):
    """One engine. Every error of its driver leaves it as a `StoreError`."""

    name: str
    """`sqlite` or `postgres`."""

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Give the rows of a query."""
        ...

    def each_row(self, sql: str, *values: Any) -> Iterator[Row]:
        """Give the rows of a query one by one, for what may not fit into memory."""
        ...

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction that will write. It is durable when the block ends, and undone where it raises."""
        ...

    def append(self, session: int, fence: int | None, insert: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values in a transaction of its own, under a turn or where none runs.

        It is what is done most often by far: `transaction` and `hold` would do the same with more words.
        """
        ...

    def now(self, within: Transaction) -> float:
        """Give the seconds of the clock that leases are measured by: one clock for all who use this database."""
        ...

    def is_live(self, until: float, now: float) -> bool:
        """Tell whether a lease that was given until then holds now."""
        ...

    def chunks(self, blob: int, size: int) -> Iterator[bytes]:
        """Give the bytes of a row of `blobs`, `size` at a time."""
        ...

    def close(self) -> None:
        """Give connections back. Nothing is pending: what was acknowledged is written."""
        ...
