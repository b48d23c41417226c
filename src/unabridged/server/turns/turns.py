"""Turns: begun by a request, run apart from it in threads of their own, watched by whoever may.

A turn goes on when its client leaves, and when its worker dies: another one, or the same one started again, adopts it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from functools import partial
from pathlib import Path

import msgspec

from unabridged.conversation import new_id
from unabridged.errors import SessionBusy, StoreError, UnabridgedError
from unabridged.server.config import ServerConfig
from unabridged.server.frames import EndFrame, ErrorFrame, ResetFrame
from unabridged.server.limits import Meters
from unabridged.server.logs import reason_of
from unabridged.server.media.taking import MediaIntake
from unabridged.server.metrics import Metrics
from unabridged.server.models import ModelShelf
from unabridged.server.problems import ApiError, api_error
from unabridged.server.projects import Projects, Tenant
from unabridged.server.tools.folders import session_folder
from unabridged.server.turns import watching
from unabridged.server.turns.asked import Asked
from unabridged.server.turns.calls import refuse_unknown
from unabridged.server.turns.holding import turn_of
from unabridged.server.turns.keeper import Keeper
from unabridged.server.turns.live import Live
from unabridged.server.turns.loops import Loops
from unabridged.server.turns.recent import Opened, Recent
from unabridged.server.turns.rows import TRIES, Stored, TurnRow, TurnRows
from unabridged.server.turns.running import Running
from unabridged.server.turns.talking import talk_of
from unabridged.store import Session, Store
from unabridged.store.database import Taken
from unabridged.store.holders import holder_here
from unabridged.transcript import Transcript

LOG = logging.getLogger("unabridged.server")
ALONE_S = 2.0
"""How long a turn goes on that nobody watches any more, where its project wants it stopped then."""


class Begun(msgspec.Struct, frozen=True):
    """A turn that was begun, now or by an earlier request with the same key."""

    row: TurnRow
    is_new: bool


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What turns are run with."""

    store: Store
    models: ModelShelf
    projects: Projects
    meters: Meters
    metrics: Metrics
    config: ServerConfig


class Turns:
    """The turns of one process."""

    def __init__(self, means: Means) -> None:
        self._store = means.store
        self._models = means.models
        self._projects = means.projects
        self._meters = means.meters
        self._metrics = means.metrics
        config, database = means.config, means.store.database
        self._config = config
        self._rows = TurnRows(database, holder_here())
        self._intake = MediaIntake(database, config)
        self._keeper = Keeper(
            database,
            self._rows,
            adopt=self._adopt,
            frame_s=60 * config.frame_minutes,
            sweep=self._intake.uploads.sweep,
            flush=self._meters.flush,
        )
        usual = 0 if database.name == "sqlite" else 2
        self._loops = Loops(config.turn_loops if config.turn_loops is not None else usual)
        self._recent = Recent()
        self._closing = False

    def start(self) -> None:
        """Begin to take turns, and to go on with those that a dead worker left."""
        self._loops.start()
        self._keeper.start()

    def refuse(self) -> None:
        """Take no more turns from now on. May be called by a signal."""
        self._closing = True

    async def close(self, hurried: Callable[[], bool] = lambda: False) -> None:
        """Take no more turns; let those that run end within the time of grace, and hand over the rest.

        Once `hurried` is true, that time is over.
        """
        self.refuse()
        ends = asyncio.get_running_loop().time() + self._config.grace_s
        while self._keeper.lives and asyncio.get_running_loop().time() < ends:
            if hurried():
                break
            await asyncio.sleep(0.05)
        left = [live for live in self._keeper.lives if not live.is_over]
        for live in left:
            live.leave()
            self._metrics.turn_left()
            if live.future is not None:
                live.future.cancel()
        await self._loops.close(self._models.close)
        await asyncio.to_thread(self._keeper.close)
        if left:
            LOG.info("%d turns did not end in time: they go on where a worker is", len(left))
            await asyncio.to_thread(self._rows.hand_over, [live.key for live in left])

    def begin(
        self,
        tenant: Tenant,
        session: str | None,
        asked: Asked,
        *,
        id: str | None = None,
        idempotency: str | None = None,
    ) -> Begun:
        """Begin a turn: of a session, or of a new one, which gets the `id`.

        Raises `NotFound`, `SessionBusy` where the project refuses to wait, `BadInput`, and `ApiError`.
        """
        known = self._expected(tenant, session, asked, idempotency)
        if known is not None:
            return known
        return self._begun(tenant, self._opened(tenant, session, asked, id), asked, idempotency)

    def begin_on(
        self, tenant: Tenant, session: str, asked: Asked, open_branch: Callable[[], str], *, idempotency: str | None
    ) -> Begun:
        """Begin a turn as `begin` does, on a branch that is opened once it is clear that the turn may begin."""
        known = self._expected(tenant, session, asked, idempotency)
        if known is not None:
            return known
        opened = self._opened(tenant, session, asked, None)
        if tenant.settings.busy == "refuse" and self.running(opened):
            raise SessionBusy(session, 0)
        return self._begun(tenant, opened, msgspec.structs.replace(asked, branch=open_branch()), idempotency)

    def _expected(self, tenant: Tenant, session: str | None, asked: Asked, idempotency: str | None) -> Begun | None:
        """Give the turn that was begun before; None where a new one may begin. Raises what `begin` raises."""
        if self._closing:
            raise ApiError(503, "shutting_down", "this server is about to end: try again", headers={"Retry-After": "1"})
        self._models.chosen(tenant.settings, asked.model)
        return self.known(tenant, session, asked, idempotency)

    def _begun(self, tenant: Tenant, opened: Session, asked: Asked, idempotency: str | None) -> Begun:
        stored = Stored(asked=asked, caller=tenant.caller, session=opened.id, id=new_id())
        key = _key(tenant, idempotency)
        over = self._keeper.over() if tenant.settings.busy == "refuse" else None
        try:
            row = self._rows.begin(opened.key, tenant.project, stored, key, beside=over)
        except Taken:
            known = self._rows.known(tenant.project, key or "", stored)  # by the same request, sent twice at once
            if known is None:
                raise ApiError(409, "conflict", "another turn began at the same moment: try again") from None
            return Begun(known, False)
        self._run(self._live(row), tenant)
        return Begun(row, True)

    def known(self, tenant: Tenant, session: str | None, asked: Asked, idempotency: str | None) -> Begun | None:
        """Give the turn that a request with this key began before. Raises `ApiError` where it asked for other."""
        key = _key(tenant, idempotency)
        if key is None:
            return None
        stored = Stored(asked=asked, caller=tenant.caller, session=session or "", id="")
        row = self._rows.known(tenant.project, key, stored)
        return Begun(row, False) if row is not None else None

    def _opened(self, tenant: Tenant, session: str | None, asked: Asked, id: str | None) -> Session:
        """Open the session of a turn that may begin; one that cannot is not counted."""
        if session is None:
            if not (asked.text or asked.media):
                raise ApiError(422, "bad_input", "a session begins with a message: give `message`")
            self._meters.begin(tenant)
            return tenant.sessions.create(title=asked.title, id=id, ahead=False)
        opened = tenant.sessions.open(session, ahead=False)
        if not (asked.text or asked.media):
            transcript = Transcript(opened.log, branch=asked.branch)
            refuse_unknown(transcript, asked)
            if not transcript.records:
                raise ApiError(422, "bad_input", "nothing was said in this session yet: give `message`")
        self._meters.begin(tenant)
        return opened

    def find(self, tenant: Tenant, session: str, number: int) -> TurnRow:
        """Give a turn. Raises `NotFound`."""
        row = self._rows.find(tenant.sessions.open(session, ahead=False).key, number)
        live = self._keeper.find(row.key)
        if live is not None and live.outcome is not None:
            return msgspec.structs.replace(row, state="ended", outcome=live.outcome)
        return row

    def running(self, session: Session) -> list[int]:
        """Give the numbers of the turns of a session that run, or wait, the oldest first."""
        over = self._keeper.over()
        return [number for key, number in self._rows.running(session.key) if key not in over]

    def stop(self, tenant: Tenant, session: str, number: int) -> None:
        """Have a turn stopped, wherever it runs. One that has ended stays as it is. Raises `NotFound`."""
        row = self.find(tenant, session, number)
        self._rows.ask_to_stop(row.key)
        live = self._keeper.find(row.key)
        if live is not None and live.future is not None:
            live.future.cancel()

    async def events(self, row: TurnRow, after: int = 0) -> AsyncGenerator[bytes]:
        """Give the frames of a turn behind a number, as they come, until its last."""
        live = self._keeper.find(row.key)
        beat = self._config.heartbeat_s
        if live is None:
            watched = watching.of_stored(self._rows, row, after, beat)
        else:
            watched = watching.of_live(live, self._rows, after, beat)
        self._metrics.stream_opened()
        try:
            async for events in watched:
                yield events
        finally:
            self._metrics.stream_closed()
            await watched.aclose()
            if live is not None and live.stops_alone and not (live.watched or live.is_over):
                asyncio.get_running_loop().call_later(ALONE_S, _stop_if_alone, live)

    def _live(self, row: TurnRow, *, adopted: bool = False) -> Live:
        return Live(row, self._metrics.turn_began(row.project, row.stored.session, adopted=adopted).frame)

    def _adopt(self, row: TurnRow) -> None:
        live = self._live(row, adopted=True)
        live.publish(ResetFrame(reason="worker_lost"))
        if row.attempt > TRIES:
            said = "the workers that ran this turn ended, one after the other: it is not tried again"
            self._keeper.add(live)
            live.publish(_failed(live, ErrorFrame(code="worker_lost", message=said)))
            return
        try:
            tenant = self._projects.tenant(row.stored.caller)
        except UnabridgedError as error:
            self._keeper.add(live)
            self._fail(live, error)
            return
        self._run(live, tenant)

    def _run(self, live: Live, tenant: Tenant) -> None:
        self._keeper.add(live)
        live.stops_alone = tenant.settings.stop_on_disconnect
        live.future = self._loops.run(live.row.session, lambda: self._whole(live, tenant))

    async def _whole(self, live: Live, tenant: Tenant) -> None:
        """Run a turn; whatever ends it, its last frame says so."""
        try:
            opened = self._recent.take(live.row.session) or Opened(
                tenant.sessions.open(live.row.stored.session, ahead=False)
            )
            async with turn_of(opened.session, self._keeper, tenant.settings.wait_s) as unchanged:
                end = await self._held(live, tenant, opened if unchanged else Opened(opened.session))
            live.publish(end)
        except asyncio.CancelledError:
            if not live.handed_over:
                live.publish(_end(live, "stopped"))
        except UnabridgedError as error:
            self._fail(live, error)
        except Exception as error:  # a fault of ours must end the turn, and nothing else
            LOG.error("turn %d of session %s", live.row.number, live.row.stored.session, exc_info=error)
            self._fail(live, UnabridgedError("a fault inside"))

    async def _held(self, live: Live, tenant: Tenant, opened: Opened) -> EndFrame:
        """Run a turn that has its session to itself."""
        session = opened.session
        session.log.media.update(self._intake.bring(session, live.row.stored.asked.media))
        tenant = self._allowed(tenant)
        talk = talk_of(tenant, opened, live.row.stored.asked, self._models, self._meters, self._folder(live))
        limited = partial(self._meters.check, tenant)
        running = Running(live, tenant, talk, on_window=partial(self._models.learn, talk.served), limited=limited)
        try:
            end = await running.run()
        except asyncio.CancelledError:
            if live.handed_over:
                raise
            return running.stopped()
        self._recent.put(Opened(opened.session, talk.conversation))
        return end

    def _fail(self, live: Live, error: UnabridgedError) -> None:
        said = api_error(error)
        if isinstance(error, StoreError):
            self._metrics.store_error(error.fault.value)
        if said.status >= 500:
            LOG.warning("turn %d of session %s: %s", live.row.number, live.row.stored.session, reason_of(error))
            LOG.debug("turn %d: %s", live.row.number, error)
        retryable = said.status in (409, 429, 502, 503)
        live.publish(_failed(live, ErrorFrame(code=said.code, message=str(said), retryable=retryable)))

    def _allowed(self, tenant: Tenant) -> Tenant:
        """Give a tenant whose settings go no further than the operator lets them."""
        command = tenant.settings.command
        if not command.network or self._config.command_network:
            return tenant
        held = msgspec.structs.replace(command, network=False)
        return msgspec.structs.replace(tenant, settings=msgspec.structs.replace(tenant.settings, command=held))

    def _folder(self, live: Live) -> Path | None:
        """Give where commands of a session run; None where they may not."""
        if not self._config.command_tool:
            return None
        return session_folder(self._config.data, live.row.project, live.row.stored.session)


def _key(tenant: Tenant, idempotency: str | None) -> str | None:
    """Give the key of a request as it is stored: those of one end user are not another's, whatever they are called."""
    owner = tenant.caller.owner or ""
    return f"{len(owner)}:{owner}/{idempotency}" if idempotency is not None else None


def _stop_if_alone(live: Live) -> None:
    if not (live.watched or live.is_over) and live.future is not None:
        live.future.cancel()


def _end(live: Live, status: str) -> EndFrame:
    return EndFrame(status=status, session_id=live.row.stored.session, turn=live.row.number)


def _failed(live: Live, error: ErrorFrame) -> EndFrame:
    live.publish(error)
    return msgspec.structs.replace(_end(live, "failed"), error=error)
