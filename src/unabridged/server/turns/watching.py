"""Frames for whoever watches a turn: from memory where it runs here, else from the store."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterable, Iterator

from unabridged.server.frames import HEARTBEAT, MessageFrame, ResetFrame, event_of
from unabridged.server.turns.live import Live
from unabridged.server.turns.rows import TurnRow, TurnRows

LOOK_S = 0.25
"""How often the store is asked for what another process sends."""
_ID = re.compile(rb"^id: \d+\.(\d+)$", re.MULTILINE)
Pieces = Iterable[tuple[int, int, bytes]]


def events_in(pieces: Pieces, after: int, before: int | None = None) -> Iterator[bytes]:
    """Give the events of stored pieces with a number above `after` and below `before`, one by one."""
    for first, last, data in pieces:
        if first > after and (before is None or last < before):
            yield data
            continue
        for event in data.split(b"\n\n")[:-1]:
            found = _ID.search(event)
            assert found is not None
            if after < int(found[1]) and (before is None or int(found[1]) < before):
                yield event + b"\n\n"


async def of_live(live: Live, rows: TurnRows, after: int, heartbeat_s: float) -> AsyncGenerator[bytes]:
    """Give the frames of a turn that runs here, behind a number, until it has ended or goes on elsewhere."""
    watcher = live.watch(after)
    try:
        while True:
            taken = live.take(watcher)
            if isinstance(taken, int):
                pieces = await asyncio.to_thread(rows.frames_after, live.key, watcher.after)
                missed = b"".join(events_in(pieces, watcher.after, taken))
                watcher.after = taken - 1
                if missed:
                    yield missed
            elif taken:
                yield taken
            elif live.is_over:
                return
            elif not await watcher.wait(heartbeat_s):
                yield HEARTBEAT
    finally:
        live.unwatch(watcher)


async def of_stored(rows: TurnRows, row: TurnRow, after: int, heartbeat_s: float) -> AsyncGenerator[bytes]:
    """Give the frames of a turn that runs elsewhere, or has ended."""
    silent = 0.0
    while True:
        row = await asyncio.to_thread(rows.find, row.session, row.number)  # before its frames: an end has all of them
        events = list(events_in(await asyncio.to_thread(rows.frames_after, row.key, after), after))
        if events:
            yield b"".join(events)
            after, silent = _last(events[-1]), 0.0
        if row.outcome is not None:
            if after < row.outcome.last:  # they were kept for a while only
                yield b"".join(_again(row))
            return
        await asyncio.sleep(LOOK_S)
        silent += LOOK_S
        if silent >= heartbeat_s:
            silent = 0.0
            yield HEARTBEAT


def _last(events: bytes) -> int:
    return int(_ID.findall(events)[-1])


def _again(row: TurnRow) -> Iterator[bytes]:
    """Give what is left of a turn whose frames are gone: how it ended."""
    assert row.outcome is not None
    end, last = row.outcome.end, row.outcome.last
    yield event_of(ResetFrame(reason="frames_expired"), f"{row.number}.{last - 2}")
    if end.message_id is not None:
        yield event_of(MessageFrame(message_id=end.message_id, text=end.text), f"{row.number}.{last - 1}")
    yield event_of(end, f"{row.number}.{last}")
