"""Whether a process can answer: its database does, within a second, and it is not about to end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future

from unabridged.errors import StoreError
from unabridged.server.ending import Ending
from unabridged.server.problems import ApiError
from unabridged.store.database import Database

WAIT_S = 1.0


class Readiness:
    """Asks the database in a thread of its own, one question at a time: what hangs must not hang together."""

    def __init__(self, database: Database, ending: Ending) -> None:
        self._database = database
        self._ending = ending
        self._asked: Future[None] | None = None

    async def problem(self) -> ApiError | None:
        """Give why this process cannot answer; None where it can."""
        if self._ending.is_begun:
            return ApiError(503, "shutting_down", "this server is about to end")
        if self._asked is None or self._asked.done():
            self._asked = _begin(self._ask)
        try:
            await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._asked)), WAIT_S)
        except TimeoutError:
            return ApiError(503, "store_unavailable", f"the database did not answer within {WAIT_S:g} s")
        except StoreError as error:
            return ApiError(503, "store_unavailable", f"the database cannot be used: {error.fault}")
        return None

    def _ask(self) -> None:
        self._database.rows("SELECT name FROM projects LIMIT 1")


def _begin(work: Callable[[], None]) -> Future[None]:
    """Run something in a thread that does not hold up the end of the process."""
    future: Future[None] = Future()

    def run() -> None:
        try:
            work()
        except BaseException as error:  # whatever it is, it is raised where the answer is waited for
            future.set_exception(error)
        else:
            future.set_result(None)

    threading.Thread(target=run, name="readiness", daemon=True).start()
    return future
