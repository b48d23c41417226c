"""Turns, their frames and the workers that run them, as they are stored."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence

import msgspec

from unabridged.errors import NotFound, SessionBusy
from unabridged.server.caller import Caller
from unabridged.server.frames import EndFrame
from unabridged.server.problems import ApiError
from unabridged.server.turns.asked import Asked, is_same
from unabridged.store.database import Database, Row, Transaction

TRIES = 3
"""How many workers a turn may outlive: one that kills each of them must not go round for ever."""
SEEN_S = 15.0
"""Seconds without a sign of life after which a worker of another machine counts as dead."""
_COLUMNS = "key, session, number, project, asked, state, attempt, holder, outcome"


class Stored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A turn as it was asked for, with what is needed to go on with it elsewhere."""

    asked: Asked
    caller: Caller
    session: str
    """Its id."""
    id: str
    """Of the message that the turn appends first; those of results are this one and a number."""


class TurnRow(msgspec.Struct, frozen=True, kw_only=True):
    """One turn."""

    key: int
    session: int
    number: int
    project: str
    stored: Stored
    state: str
    """`running`, also while it waits for its session, or `ended`."""
    attempt: int
    holder: str
    outcome: Outcome | None


class Outcome(msgspec.Struct, frozen=True):
    """How a turn ended, and the number of its last frame."""

    end: EndFrame
    last: int


class TurnRows:
    """The table of turns."""

    def __init__(self, database: Database, holder: str) -> None:
        self._database = database
        self.holder = holder

    def known(self, project: str, idempotency: str, stored: Stored) -> TurnRow | None:
        """Give the turn that was begun under a key; None for a new one. Raises `ApiError` where it asks for other."""
        sql = f"SELECT {_COLUMNS} FROM turns WHERE project = ? AND idempotency = ?"
        rows = self._database.rows(sql, project, idempotency)
        if not rows:
            return None
        row = _read(rows[0])
        if not is_same(row.stored.asked, stored.asked) or (stored.session and row.stored.session != stored.session):
            said = "this Idempotency-Key was used for another turn: give each turn a key of its own"
            raise ApiError(422, "idempotency_mismatch", said)
        return row

    def begin(
        self, session: int, project: str, stored: Stored, idempotency: str | None, *, beside: Collection[int] | None
    ) -> TurnRow:
        """Write a new turn. `beside` are turns whose end is about to be written; None lets it wait for any.

        Raises `SessionBusy` while one of its session has not ended that is not among these.
        """
        values = (project, idempotency, msgspec.json.encode(stored), "running", self.holder)
        with self._database.transaction() as writing:
            writing.lock(f"turns of {session}", shared=False)
            open_ones = "SELECT key FROM turns WHERE session = ? AND ended IS NULL"
            if beside is not None and any(row[0] not in beside for row in writing.rows(open_ones, session)):
                raise SessionBusy(stored.session, 0)
            sql = (
                "INSERT INTO turns (session, number, project, idempotency, asked, state, holder, begun)"
                " SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ? FROM turns WHERE session = ?"
                " RETURNING key, number"
            )
            key, number = writing.rows(sql, session, *values, time.time(), session)[0]
        return TurnRow(
            key=key,
            session=session,
            number=number,
            project=project,
            stored=stored,
            state="running",
            attempt=1,
            holder=self.holder,
            outcome=None,
        )

    def find(self, session: int, number: int) -> TurnRow:
        """Give a turn. Raises `NotFound`."""
        sql = f"SELECT {_COLUMNS} FROM turns WHERE session = ? AND number = ?"
        rows = self._database.rows(sql, session, number)
        if not rows:
            raise NotFound("turn", str(number))
        return _read(rows[0])

    def running(self, session: int) -> list[tuple[int, int]]:
        """Give the keys and the numbers of the turns of a session that have not ended, the oldest first."""
        sql = "SELECT key, number FROM turns WHERE session = ? AND ended IS NULL ORDER BY number"
        return [(key, number) for key, number in self._database.rows(sql, session)]

    def ask_to_stop(self, key: int) -> None:
        """Have whoever runs a turn stop it."""
        with self._database.transaction() as writing:
            writing.run("UPDATE turns SET stop = 1 WHERE key = ? AND ended IS NULL", key)

    def stopped(self) -> list[int]:
        """Give the keys of this worker's turns that somebody asked to stop."""
        sql = "SELECT key FROM turns WHERE ended IS NULL AND stop = 1 AND holder = ?"
        return [row[0] for row in self._database.rows(sql, self.holder)]

    def others(self) -> list[Row]:
        """Give turns that have not ended and are not this worker's: key, holder, until when that was seen to live."""
        sql = (
            "SELECT turns.key, turns.holder, coalesce(workers.seen_until, 0) FROM turns LEFT JOIN workers"
            " ON workers.holder = turns.holder WHERE turns.ended IS NULL AND turns.holder <> ?"
        )
        return self._database.rows(sql, self.holder)

    def adopt(self, key: int, holder: str) -> TurnRow | None:
        """Take over a turn of a dead worker; None where another was faster."""
        sql = (
            "UPDATE turns SET holder = ?, attempt = attempt + 1 WHERE key = ? AND holder = ? AND ended IS NULL"
            f" RETURNING {_COLUMNS}"
        )
        with self._database.transaction() as writing:
            rows = writing.rows(sql, self.holder, key, holder)
        return _read(rows[0]) if rows else None

    def hand_over(self, keys: Sequence[int]) -> None:
        """Let go of turns that have not ended: whoever looks next goes on with them."""
        with self._database.transaction() as writing:
            writing.run_each(
                "UPDATE turns SET holder = '' WHERE key = ? AND holder = ? AND ended IS NULL",
                [(key, self.holder) for key in keys],
            )

    def live(self, writing: Transaction) -> None:
        """Show that this worker lives."""
        until = self._database.now(writing) + SEEN_S
        sql = "INSERT INTO workers VALUES (?, ?) ON CONFLICT (holder) DO UPDATE SET seen_until = excluded.seen_until"
        writing.run(sql, self.holder, until)

    def leave(self) -> None:
        """Show that this worker is no more."""
        with self._database.transaction() as writing:
            writing.run("DELETE FROM workers WHERE holder = ?", self.holder)

    def frames_after(self, key: int, after: int) -> list[tuple[int, int, bytes]]:
        """Give stored frames behind a number, in pieces: first, last, and the events as they were sent."""
        sql = "SELECT first, last, data FROM frames WHERE turn = ? AND last > ? ORDER BY first"
        return [(first, last, bytes(data)) for first, last, data in self._database.rows(sql, key, after)]

    def clean(self, seconds: float) -> None:
        """Delete the frames of turns that ended so long ago, and workers that were not seen for a day."""
        long_ago = time.time() - seconds
        with self._database.transaction() as writing:
            writing.run("DELETE FROM frames WHERE turn IN (SELECT key FROM turns WHERE ended < ?)", long_ago)
            writing.run("DELETE FROM workers WHERE seen_until < ?", self._database.now(writing) - 86_400.0)


def write_frames(writing: Transaction, pieces: Iterable[tuple[int, int, int, bytes]]) -> None:
    """Write pieces of frames: turn, first, last, events. Those of a turn that was erased meanwhile are left out."""
    sql = (
        "INSERT INTO frames (turn, first, last, data) SELECT key, ?, ?, ? FROM turns WHERE key = ?"
        " ON CONFLICT (turn, first) DO NOTHING"
    )
    writing.run_each(sql, [(first, last, data, turn) for turn, first, last, data in pieces])


def write_ends(writing: Transaction, holder: str, ends: Iterable[tuple[int, Outcome]]) -> None:
    """Write how turns ended, those that are still this worker's."""
    sql = "UPDATE turns SET state = 'ended', ended = ?, outcome = ? WHERE key = ? AND holder = ? AND ended IS NULL"
    now = time.time()
    writing.run_each(sql, [(now, msgspec.json.encode(outcome), key, holder) for key, outcome in ends])


def _read(row: Row) -> TurnRow:
    key, session, number, project, asked, state, attempt, holder, outcome = row
    return TurnRow(
        key=key,
        session=session,
        number=number,
        project=project,
        stored=msgspec.json.decode(bytes(asked), type=Stored),
        state=state,
        attempt=attempt,
        holder=holder,
        outcome=msgspec.json.decode(bytes(outcome), type=Outcome) if outcome is not None else None,
    )
