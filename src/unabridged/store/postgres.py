"""PostgreSQL, through psycopg 3 and its pool: many workers, one database. Extra `postgres`.

Statements of one transaction are sent in pipeline mode: an append is one round trip, however many rows it has.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString, cast

from unabridged.errors import BadInput, StoreError, StoreFault
from unabridged.store.database import Fenced, Row, Taken
from unabridged.store.migrations import migrate

try:
    import psycopg
    from psycopg import errors
    from psycopg_pool import ConnectionPool, PoolTimeout
except ModuleNotFoundError as missing:
    raise BadInput("PostgreSQL needs psycopg: pip install 'unabridged[postgres]'") from missing

CONNECTIONS = 8
WAIT_S = 10.0
"""How long a worker waits for a connection before it says that the database is not there."""
SCHEMA_LOCK = 7_230_041
PAGE = 500
FENCED = "UN001"
"""The SQLSTATE that `hold_turn` raises."""

_FAULTS: tuple[tuple[type[psycopg.Error], StoreFault, str], ...] = (
    (errors.DiskFull, StoreFault.FULL, "the database's disk is full: free some space, and go on"),
    (errors.ReadOnlySqlTransaction, StoreFault.READ_ONLY, "the database takes no writes: it is a standby, or set so"),
    (errors.DataCorrupted, StoreFault.DAMAGED, "the database found damaged data: bring back a backup"),
    (errors.IndexCorrupted, StoreFault.DAMAGED, "the database found a damaged index: REINDEX it"),
    (errors.LockNotAvailable, StoreFault.BUSY, "another transaction holds what is needed: try again"),
    (errors.DeadlockDetected, StoreFault.BUSY, "two transactions waited for each other: try again"),
)


class PostgresDatabase:
    """One database, for any number of workers. `url` may hold a password: it is in no message of ours."""

    name = "postgres"

    def __init__(self, url: str, *, connections: int = CONNECTIONS) -> None:
        self._pool: ConnectionPool[psycopg.Connection[Row]] = ConnectionPool(
            url, min_size=1, max_size=connections, open=False, timeout=WAIT_S, kwargs={"autocommit": True}
        )
        with _told():
            self._pool.open()
            with self._pool.connection() as connection:
                self._migrate(connection)

    def _migrate(self, connection: psycopg.Connection[Row]) -> None:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
            connection.execute("CREATE TABLE IF NOT EXISTS unabridged_schema (version INTEGER NOT NULL)")
            row = connection.execute("SELECT max(version) FROM unabridged_schema").fetchone()
            for number, script in migrate(self.name, (row[0] if row else None) or 0):
                connection.execute(cast("LiteralString", script))
                connection.execute("INSERT INTO unabridged_schema VALUES (%s)", (number,))

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Give the rows of a query. One that finds its connection broken is asked again on another, once."""
        try:
            with _told(), self._pool.connection() as connection:
                return connection.execute(_sql(sql), values).fetchall()
        except StoreError as error:
            if error.fault is not StoreFault.UNAVAILABLE:
                raise
        with _told(), self._pool.connection() as connection:
            return connection.execute(_sql(sql), values).fetchall()

    def each_row(self, sql: str, *values: Any) -> Iterator[Row]:
        """Give the rows of a query one by one, by a cursor of the server."""
        with (
            _told(),
            self._pool.connection() as connection,
            connection.transaction(),
            connection.cursor(name="unabridged") as cursor,
        ):
            cursor.itersize = PAGE
            cursor.execute(_sql(sql), values)
            yield from cursor

    @contextmanager
    def transaction(self) -> Generator[_Writing]:
        """Begin a transaction that will write."""
        with _told(), self._pool.connection() as connection, connection.pipeline(), connection.transaction():
            yield _Writing(connection)

    def now(self, within: object) -> float:
        """Give the server's seconds: workers' clocks may differ."""
        assert isinstance(within, _Writing)
        return float(within.rows("SELECT extract(epoch FROM clock_timestamp())::float8")[0][0])

    def is_live(self, until: float, now: float) -> bool:
        """Tell whether a lease holds, by the server's clock."""
        return now < until

    def chunks(self, blob: int, size: int) -> Iterator[bytes]:
        """Give the bytes of a row of `blobs`, `size` at a time."""
        at = 1
        while True:
            rows = self.rows("SELECT substring(data FROM ? FOR ?) FROM blobs WHERE key = ?", at, size, blob)
            chunk = bytes(rows[0][0]) if rows else b""
            if not chunk:
                return
            yield chunk
            at += size

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Writing:
    """A transaction on one connection, in pipeline mode: an error shows at the next answer, or at the end."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection

    def run(self, sql: str, *values: Any) -> int:
        """Run a statement; give the number of rows it changed."""
        return self._connection.execute(_sql(sql), values).rowcount

    def run_each(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_sql(sql), rows)

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Give the rows of a query."""
        return self._connection.execute(_sql(sql), values).fetchall()

    def hold(self, session: int, fence: int | None) -> None:
        """Fail unless this turn runs, or none does. Who takes over meanwhile waits for the end of this transaction."""
        self._connection.execute("SELECT hold_turn(%s, %s)", (session, fence))

    def lock(self, name: str, *, shared: bool) -> None:
        """Wait for a lock by name, until the end of the transaction."""
        kind = "_shared" if shared else ""
        sql = f"SELECT pg_advisory_xact_lock{kind}(hashtextextended(%s, 0))"
        self._connection.execute(sql, (name,))


def _sql(sql: str) -> LiteralString:
    return cast("LiteralString", sql.replace("?", "%s"))


@contextmanager
def _told() -> Generator[None]:
    """Give the driver's errors as ours: nothing raw reaches a user, and no password."""
    try:
        yield
    except (errors.UniqueViolation, errors.RaiseException) as error:
        raise Taken(str(error)) from error
    except PoolTimeout as error:
        raise StoreError(
            StoreFault.UNAVAILABLE, f"no connection to PostgreSQL within {WAIT_S:g} s: is it up?"
        ) from error
    except psycopg.Error as error:
        if error.sqlstate == FENCED:
            raise Fenced from None
        raise _fault(error) from error


def _fault(error: psycopg.Error) -> StoreError:
    for kind, fault, remedy in _FAULTS:
        if isinstance(error, kind):
            return StoreError(fault, f"PostgreSQL: {remedy}")
    said = error.diag.message_primary or type(error).__name__
    return StoreError(StoreFault.UNAVAILABLE, f"PostgreSQL: {said}")
