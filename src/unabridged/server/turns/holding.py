"""A session's turn, held without a thread of its own: waited for in the event loop, renewed by the keeper."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol

from unabridged.errors import SessionBusy
from unabridged.store import Session
from unabridged.store.leases import LEASE_S, POLL_S, Lease


class Renewing(Protocol):
    """Renews leases while they are held."""

    def hold(self, lease: Lease) -> None:
        """Renew a lease from now on."""
        ...

    def release(self, lease: Lease) -> None:
        """Renew it no longer."""
        ...


@asynccontextmanager
async def turn_of(session: Session, renewing: Renewing, wait_s: float) -> AsyncGenerator[bool]:
    """Run a turn of a session, as `Session.turn` does; says whether nobody wrote since it was opened.

    Raises `SessionBusy` when it had to wait for longer, and `NotFound` for one that was erased.
    """
    lease = Lease(session.database, (session.key, session.id), lease_s=LEASE_S)
    try:
        await _taken(lease, session.id, wait_s)
        renewing.hold(lease)
        yield session.log.reopen(lease.fence)
    finally:
        renewing.release(lease)
        session.log.fence = None
        lease.give_back()


async def _taken(lease: Lease, session: str, wait_s: float) -> None:
    ends = time.monotonic() + wait_s
    while (pause := lease.ask()) is not None:
        again = min(ends, time.monotonic() + pause)
        while (left := again - time.monotonic()) > 0:
            await asyncio.sleep(min(POLL_S, left))
            if lease.may_begin():
                break
        if time.monotonic() >= ends:
            raise SessionBusy(session, wait_s)
