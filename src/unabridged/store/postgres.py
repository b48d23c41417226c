"""PostgreSQL, through psycopg 3 and its pool: many workers, one database. Extra `postgres`.

Statements of one transaction are sent in pipeline mode: an append is one round trip, however many rows it has.
"""

from __future__ import annotations

import select
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, LiteralString, cast

from unabridged.errors import BadInput, NotFound, StoreError, StoreFault
from unabridged.store.database import LONGEST_LEASE_S, Broken, Fenced, Row, Taken
from unabridged.store.migrations import migrate

try:
    import psycopg
    from psycopg import errors
    from psycopg.conninfo import conninfo_to_dict
    from psycopg_pool import ConnectionPool, PoolTimeout
except ModuleNotFoundError as missing:
    raise BadInput("PostgreSQL needs psycopg: pip install 'unabridged[postgres]'") from missing

CONNECTIONS = 8
WAIT_S = 10.0
"""How long a worker waits for a connection before it says that the database is not there."""
TRY_S = 0.5
"""How long one attempt to connect is waited for. The pool alone would try ever more seldom, up to minutes apart."""
SCHEMA_LOCK = 7_230_041
PAGE = 500
FENCED = "UN001"
"""The SQLSTATE that `hold_turn` raises."""
NO_KEY = "session"
"""The column of a guarded insert that has no value where the turn is not there."""

_FAULTS: tuple[tuple[type[psycopg.Error], StoreFault, str], ...] = (
    (errors.DiskFull, StoreFault.FULL, "the database's disk is full: free some space, and go on"),
    (errors.ReadOnlySqlTransaction, StoreFault.READ_ONLY, "the database takes no writes: it is a standby, or set so"),
    (errors.InsufficientPrivilege, StoreFault.READ_ONLY, "the database's user may not do this: grant it"),
    (errors.DataCorrupted, StoreFault.DAMAGED, "the database found damaged data: bring back a backup"),
    (errors.IndexCorrupted, StoreFault.DAMAGED, "the database found a damaged index: REINDEX it"),
    (errors.LockNotAvailable, StoreFault.BUSY, "another transaction holds what is needed: try again"),
    (errors.DeadlockDetected, StoreFault.BUSY, "two transactions waited for each other: try again"),
    (errors.SerializationFailure, StoreFault.BUSY, "another transaction changed the same: try again"),
    (errors.QueryCanceled, StoreFault.BUSY, "it took longer than the database allows: try again"),
)


class PostgresDatabase:
    """One database, for any number of workers. `url` may hold a password: it is in no message of ours."""

    name = "postgres"

    def __init__(self, url: str, *, connections: int = CONNECTIONS, wait_s: float = WAIT_S) -> None:
        self._wait_s = wait_s
        with _told(_password(url)), psycopg.connect(url, autocommit=True) as connection:
            self._migrate(connection)  # before the pool, which would not say what is wrong, and only wait
        self._pool: ConnectionPool[psycopg.Connection[Row]] = ConnectionPool(
            url, min_size=1, max_size=connections, open=True, reconnect_timeout=TRY_S, kwargs={"autocommit": True}
        )

    @contextmanager
    def _connection(self) -> Generator[psycopg.Connection[Row]]:
        connection = self._given()
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def _given(self) -> psycopg.Connection[Row]:
        """Give a connection; none that the server said farewell on, as it does on all of them when it stops."""
        ends = time.monotonic() + self._wait_s
        while True:
            try:
                connection = self._pool.getconn(TRY_S)
            except PoolTimeout:
                if time.monotonic() < ends:
                    continue
                said = f"no connection to PostgreSQL within {self._wait_s:g} s: is it up?"
                raise StoreError(StoreFault.UNAVAILABLE, said) from None
            if not _has_news(connection):
                return connection
            connection.close()
            self._pool.putconn(connection)

    def _migrate(self, connection: psycopg.Connection[Row]) -> None:
        if not migrate(self.name, _version(connection)):
            return  # who may only read can open it as well
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
            connection.execute("CREATE TABLE IF NOT EXISTS unabridged_schema (version INTEGER NOT NULL)")
            for number, script in migrate(self.name, _version(connection)):
                connection.execute(cast("LiteralString", script))
                connection.execute("INSERT INTO unabridged_schema VALUES (%s)", (number,))

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Give the rows of a query. One that finds its connection broken is asked again on another, once."""
        try:
            return self._rows(sql, values)
        except Broken:
            return self._rows(sql, values)

    def _rows(self, sql: str, values: Sequence[Any]) -> list[Row]:
        with _told(), self._connection() as connection:
            return connection.execute(_sql(sql), values).fetchall()

    def each_row(self, sql: str, *values: Any) -> Iterator[Row]:
        """Give the rows of a query one by one, by a cursor of the server."""
        with (
            _told(),
            self._connection() as connection,
            connection.transaction(),
            connection.cursor(name="unabridged") as cursor,
        ):
            cursor.itersize = PAGE
            cursor.execute(_sql(sql), values)
            yield from cursor

    @contextmanager
    def transaction(self) -> Generator[_Writing]:
        """Begin a transaction that will write.

        Statements that give no rows are sent together with its end; psycopg's own `transaction` would wait five times.
        """
        with _told(), self._connection() as connection:
            try:
                with connection.pipeline():
                    connection.execute("BEGIN")
                    yield _Writing(connection)
                    connection.execute("COMMIT")
            except BaseException:  # whatever ends the block, nothing of it may stay
                with suppress(psycopg.Error):
                    connection.rollback()
                raise

    def append(self, session: int, fence: int | None, insert: str, rows: Sequence[Sequence[Any]]) -> None:
        """Write rows in a transaction of their own, under a turn or where none runs; one row by one statement."""
        if len(rows) > 1:
            with self.transaction() as writing:
                writing.hold(session, fence)
                writing.run_each(insert, rows)
            return
        held = (session,) if fence is None else (session, fence)
        with _told(), self._connection() as connection:
            connection.execute(_guarded(insert, fence is not None), (*held, *rows[0]))

    def now(self, within: object) -> float:
        """Give the server's seconds: workers' clocks may differ."""
        assert isinstance(within, _Writing)
        return float(within.rows("SELECT extract(epoch FROM clock_timestamp())::float8")[0][0])

    def is_live(self, until: float, now: float) -> bool:
        """Tell whether a lease holds, by the server's clock, which may have been set back since."""
        return now < until <= now + LONGEST_LEASE_S

    def chunks(self, blob: int, size: int) -> Iterator[bytes]:
        """Give the bytes of a row of `blobs`, `size` at a time."""
        at = 1
        while True:
            rows = self.rows("SELECT substring(data FROM ? FOR ?) FROM blobs WHERE key = ?", at, size, blob)
            if not rows:
                raise NotFound("media item", str(blob))
            chunk = bytes(rows[0][0])
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

    def run(self, sql: str, *values: Any) -> None:
        """Run a statement. In pipeline mode nobody knows yet how many rows it changes."""
        self._connection.execute(_sql(sql), values)

    def run_each(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        statement = _sql(sql)
        for row in rows:  # psycopg's `executemany` would wait for the server
            self._connection.execute(statement, row)

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


def _has_news(connection: psycopg.Connection[Row]) -> bool:
    """Tell whether there is something to read although nothing was asked. Looking costs no round trip."""
    socket = select.poll()
    socket.register(connection.fileno(), select.POLLIN)
    return bool(socket.poll(0))


def _sql(sql: str) -> LiteralString:
    return cast("LiteralString", sql.replace("?", "%s"))


@cache
def _guarded(insert: str, in_turn: bool) -> LiteralString:
    """Give an insert that fails where `hold` would: its first value is there only if the turn is.

    It waits for a transaction that gives the turn to another, and looks again behind it; and the other way round.
    """
    now = "extract(epoch FROM clock_timestamp())"
    free = f"(holder = '' OR held_until <= {now} OR held_until > {now} + {LONGEST_LEASE_S:.0f})"
    there = f"SELECT key FROM sessions WHERE key = ? AND {'fence = ?' if in_turn else free} FOR SHARE"
    return _sql(insert.replace("VALUES (?", f"VALUES (CASE WHEN ({there}) IS NOT NULL THEN ?::bigint END"))


def _version(connection: psycopg.Connection[Row]) -> int:
    """Give the version of the schema; 0 where there is none."""
    (there,) = connection.execute("SELECT to_regclass('unabridged_schema')").fetchone() or (None,)
    if there is None:
        return 0
    row = connection.execute("SELECT max(version) FROM unabridged_schema").fetchone()
    return (row[0] if row else None) or 0


def _password(url: str) -> str:
    """Give the password of a URL. Raises `BadInput` for one that cannot be read, and does not repeat it."""
    try:
        return str(conninfo_to_dict(url).get("password") or "")
    except (psycopg.Error, ValueError):
        said = "the URL of the database cannot be read: give postgresql://user:password@host:port/database"
        raise BadInput(f"{said}, with signs such as @, / and % in a password written as %40, %2F and %25") from None


@contextmanager
def _told(password: str = "") -> Generator[None]:
    """Give the driver's errors as ours: nothing raw reaches a user, and no password."""
    try:
        yield
    except (errors.UniqueViolation, errors.RaiseException) as error:
        raise Taken(str(error)) from error
    except psycopg.Error as error:
        unguarded = isinstance(error, errors.NotNullViolation) and error.diag.column_name == NO_KEY
        if error.sqlstate == FENCED or unguarded:
            raise Fenced from None
        raise _fault(error, password) from (None if password else error)


def _fault(error: psycopg.Error, password: str) -> StoreError:
    for kind, fault, remedy in _FAULTS:
        if isinstance(error, kind):
            return StoreError(fault, f"PostgreSQL: {remedy}")
    said = error.diag.message_primary or " ".join(str(error).split()) or type(error).__name__
    said = said.replace(password, "***") if password else said
    lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    lost = lost and (error.sqlstate is None or error.sqlstate.startswith(("08", "57P")))
    return (Broken if lost else StoreError)(StoreFault.UNAVAILABLE, f"PostgreSQL: {said}")
