"""Limits: turns by the minute, tokens and spend by the day; of a project, of a key, of each end user.

    begin ─▶ (check ─▶ answer ─▶ spent)*

What was used is counted in the database, in meters, so that it holds over workers and restarts. Turns are counted by
the second where a limit wants it, and those of the last 60 seconds and the present one count: no minute, wherever it
begins, has more of them than the limit says. A day is one of UTC. What an answer takes is known behind it, so turns
that run at the same time may go above the limit of a day by the answers that they were waiting for.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from unabridged.errors import StoreError
from unabridged.models.prices.spending import pricing_of
from unabridged.report import Usage
from unabridged.server.problems import ApiError
from unabridged.server.projects import Tenant
from unabridged.server.settings import Limits
from unabridged.store.database import Database, Row, Transaction

MINUTE, DAY = 60, 86_400
SHOWN_DAYS = 400
"""Days that the usage of a project is kept for."""
CLEAN_S = 3_600.0
_ADD = (
    "INSERT INTO meters (name, starts, used) VALUES (?, ?, ?)"
    " ON CONFLICT (name, starts) DO UPDATE SET used = meters.used + excluded.used"
)


class DayUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What a project used on one day."""

    day: str
    """Of UTC, as 2026-12-01."""
    turns: int
    """In which a model answered."""
    tokens: int
    cost: float
    """US dollars, of the models whose prices are known."""


class _Meter(msgspec.Struct, frozen=True):
    """Whose use is counted, and against which limits."""

    kind: str
    id: str
    limits: Limits
    whose: str

    def name(self, what: str) -> str:
        """Give the name of one thing that is counted. The project's come first to hand by their beginning."""
        return f"{self.kind} {what} {self.id}"


class Meters:
    """What was used, and whether more may be.

    `clock` gives seconds since 1970; None: that of the database's server, else that of this machine.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] | None = None) -> None:
        self._database = database
        self._clock = clock
        self._clean = time.monotonic() + CLEAN_S
        self._uncounted: dict[str, float] = {}
        self._counting = threading.Lock()
        self._storing = threading.Lock()
        """Held until it is stored: who finds nothing left to store must not look before it is."""

    def begin(self, tenant: Tenant) -> None:
        """Ask for a turn that is about to begin. Raises `ApiError` 429 where it may not; nothing is counted then.

        Costs nothing without limits, a look with limits of a day, and a transaction where turns are counted.
        """
        meters = list(_meters(tenant))
        rated = [meter for meter in meters if meter.limits.turns_per_minute is not None]
        reached = self.check(tenant)
        if reached is not None:
            raise reached
        if not rated:
            return
        with self._database.transaction() as writing:
            for meter in rated:  # in the same order for all, so that none waits for another in a circle
                writing.lock(meter.name("rate"), shared=False)
            now = self._now(writing)
            for meter in rated:
                _refuse_rate(writing, meter, now)
            for meter in rated:
                old = "DELETE FROM meters WHERE name = ? AND starts < ?"
                writing.run(old, meter.name("rate"), int(now) - 2 * MINUTE)
            writing.run_each(_ADD, [(meter.name("rate"), int(now), 1.0) for meter in rated])

    def spent(self, tenant: Tenant, tokens: int, cost: float | None, *, turns: int = 0) -> None:
        """Count what an answer of the model took; `turns` is 1 for the first one of a turn.

        `cost` is None where nobody knows the price.
        """
        meters = list(_meters(tenant))
        used = [("tokens", float(tokens)), ("cost", cost or 0.0)]
        rows = [(meter.name(what), much) for meter in meters for what, much in used if much > 0]
        if turns:
            rows.append((meters[0].name("turns"), float(turns)))
        with self._counting:
            for name, much in rows:
                self._uncounted[name] = self._uncounted.get(name, 0.0) + much
        if any(_has_daily(meter.limits) for meter in meters):
            with suppress(StoreError):  # it stays counted here, and is stored as soon as that can be
                self.flush()  # the next turn, of whichever worker, has to know

    def flush(self) -> None:
        """Store what was counted and is not stored yet: without limits of a day that is done for many turns at once.

        All that was counted before is stored when it returns, whoever stores it.
        """
        with self._storing:
            with self._counting:
                counted, self._uncounted = self._uncounted, {}
            if not counted:
                return
            try:
                with self._database.transaction() as writing:
                    now = self._now(writing)
                    writing.run_each(_ADD, [(name, _day(now), much) for name, much in sorted(counted.items())])
            except StoreError:
                with self._counting:
                    for name, much in counted.items():
                        self._uncounted[name] = self._uncounted.get(name, 0.0) + much
                raise
        self._forget_old(now)

    def counting(self, tenant: Tenant, model: str, *, turns: int = 0) -> Callable[[Usage], None]:
        """Give what counts the answers of a model, as its provider reports them; the first one counts the `turns`."""
        price, uncounted = pricing_of(model), [turns]

        def count(usage: Usage) -> None:
            self.spent(tenant, usage.input + usage.output, price(usage), turns=uncounted.pop() if uncounted else 0)

        return count

    def check(self, tenant: Tenant) -> ApiError | None:
        """Give why a turn may not go on, between two of its steps; None where it may. Costs nothing without limits."""
        meters = [meter for meter in _meters(tenant) if _has_daily(meter.limits)]
        if not meters:
            return None
        now = (self._clock or time.time)()
        names = [meter.name(what) for meter in meters for what in ("tokens", "cost")]
        sql = f"SELECT name, used FROM meters WHERE starts = ? AND name IN ({', '.join('?' * len(names))})"
        return _daily(meters, self._database.rows(sql, _day(now), *names), now)

    def usage(self, project: str, days: int = 30) -> list[DayUsage]:
        """Give what a project used, day by day, today first."""
        self.flush()
        today = _day((self._clock or time.time)())
        kinds = ("turns", "tokens", "cost")
        names = [_Meter("project", project, Limits(), "").name(kind) for kind in kinds]
        sql = "SELECT name, starts, used FROM meters WHERE name IN (?, ?, ?) AND starts > ?"
        rows = self._database.rows(sql, *names, today - days * DAY)
        used = {(name, starts): much for name, starts, much in rows}
        made: list[DayUsage] = []
        for day in range(today, today - days * DAY, -DAY):
            turns, tokens, cost = (used.get((name, day), 0.0) for name in names)
            date = datetime.fromtimestamp(day, UTC).date().isoformat()
            made.append(DayUsage(day=date, turns=int(turns), tokens=int(tokens), cost=cost))
        return made

    def _now(self, writing: Transaction) -> float:
        """Give the time. Workers of a server of databases go by its clock; those of a file share that of a machine."""
        if self._clock is None and self._database.name == "postgres":
            return self._database.now(writing)
        return (self._clock or time.time)()

    def _forget_old(self, now: float) -> None:
        """Delete what nothing counts any more, once an hour, in a transaction that no turn waits in."""
        if time.monotonic() < self._clean:
            return
        self._clean = time.monotonic() + CLEAN_S
        with self._database.transaction() as writing:
            writing.lock("old meters", shared=False)
            ours = "name >= 'project ' AND name < 'project!'"
            seconds = "name >= 'project rate ' AND name < 'project rate!'"
            writing.run(f"DELETE FROM meters WHERE NOT ({ours}) AND starts < ?", _day(now) - DAY)
            writing.run(f"DELETE FROM meters WHERE {seconds} AND starts < ?", int(now) - 2 * MINUTE)
            writing.run(f"DELETE FROM meters WHERE {ours} AND starts < ?", _day(now) - SHOWN_DAYS * DAY)


def _meters(tenant: Tenant) -> Iterator[_Meter]:
    caller, settings = tenant.caller, tenant.settings
    yield _Meter("project", tenant.project, settings.limits, "this project")
    yield _Meter("key", caller.key, caller.limits, "this API key")
    if caller.owner is not None:
        yield _Meter("user", f"{tenant.project} {caller.owner}", settings.user_limits, "this end user")


def _has_daily(limits: Limits) -> bool:
    return limits.tokens_per_day is not None or limits.spend_per_day is not None


def _daily(meters: list[_Meter], rows: list[Row], now: float) -> ApiError | None:
    used = {name: much for name, much in rows}
    wait = _day(now) + DAY - now
    for meter in meters:
        spend, tokens = meter.limits.spend_per_day, meter.limits.tokens_per_day
        if spend is not None and used.get(meter.name("cost"), 0.0) >= spend:
            return _limited("spend_limit", f"{meter.whose} may spend {spend:g} US dollars a day", wait)
        if tokens is not None and used.get(meter.name("tokens"), 0.0) >= tokens:
            return _limited("token_limit", f"{meter.whose} may use {tokens:,} tokens a day", wait)
    return None


def _refuse_rate(writing: Transaction, meter: _Meter, now: float) -> None:
    """Raise `ApiError` where no turn more may begin; it says when one may, if nobody else is faster."""
    # Some seconds ahead too: a clock that was set back a little makes no room.
    sql = "SELECT starts, used FROM meters WHERE name = ? AND starts BETWEEN ? AND ? ORDER BY starts"
    rows = writing.rows(sql, meter.name("rate"), int(now) - MINUTE, int(now) + MINUTE)
    most, left, wait = meter.limits.turns_per_minute, sum(much for _, much in rows), float(MINUTE)
    if most is None or left < most:
        return
    for starts, much in rows:
        left -= much
        wait = starts + MINUTE + 1 - now
        if left < most:
            break
    raise _limited("rate_limited", f"{meter.whose} may begin {most:,} turns a minute", wait)


def _limited(code: str, said: str, wait: float) -> ApiError:
    seconds = max(1, math.ceil(wait))
    again = f"try again in {seconds} s" if seconds <= 2 * MINUTE else "try again tomorrow, by UTC"
    return ApiError(429, code, f"{said}: {again}", headers={"Retry-After": str(seconds)})


def _day(now: float) -> int:
    """Give the second in which a day of UTC begins."""
    return int(now) // DAY * DAY
