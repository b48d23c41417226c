"""One workspace, one session at a time: what a terminal or a script needs of an agent.

    desk = Desk(shop, watcher)
    ended = await desk.turn("Fix the failing test.")

Sessions lie in the store of the user, under the folder that is worked in as their project; nothing is written into the
folder itself.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import islice

import msgspec

from unabridged.agent import events
from unabridged.agent.breakdown import Breakdown, breakdown_of
from unabridged.agent.delegation import own_sessions
from unabridged.agent.layers import Layer
from unabridged.agent.rewinding import Files, Point, Rewound
from unabridged.agent.said import has_more
from unabridged.agent.trace import Line, Tracer, append_to, trace_of
from unabridged.agent.watching import Watcher
from unabridged.agent.workshop import Shop, Workbench
from unabridged.conversation import Conversation
from unabridged.errors import BadInput
from unabridged.message import Message
from unabridged.models.prices.spending import pricing_of
from unabridged.report import Report, Usage
from unabridged.store.recovery import State, call_states
from unabridged.store.sessions import Head, Session
from unabridged.store.steps import Fate, fates, place_of
from unabridged.transcript import Transcript

WAIT_S = 2.0
"""How long another process that works on the session is waited for."""
LONGEST_TITLE = 80


class Resumed(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was opened again."""

    id: str
    title: str
    messages: int
    open_calls: tuple[tuple[str, State], ...] = ()
    """Calls of an interrupted turn, by what they call, and how far each came."""
    is_interrupted: bool = False
    """The last turn did not come to its end: `turn()` without a text goes on with it."""


class Desk:
    """Works on one session; opens others."""

    def __init__(self, shop: Shop, watcher: Watcher, files: Files | None = None) -> None:
        self.shop = shop
        self._files = files
        self._on = watcher
        self._watcher = msgspec.structs.replace(watcher, task=self._begins, tell=self._told)
        self._session: Session | None = None
        self._rewound: tuple[str, bool] | None = None
        self.new()

    @property
    def session(self) -> str:
        """Give the id of the session; "" before anything was said."""
        return self._session.id if self._session is not None else ""

    @property
    def window(self) -> int:
        """Give the window of the model, in tokens, as far as it is known."""
        return self._bench.window

    def layers(self) -> tuple[Layer, ...]:
        """Give the layers of the system text, without session memory."""
        return self._bench.layers()

    async def turn(self, text: str | None = None) -> events.Ended:
        """Take a turn; without a text go on where the last one was interrupted.

        Raises `SessionBusy` where another process works on the session, `BadInput` where there is nothing to go on
        with, `CancelledError` when cancelled: the session is whole then, and `Ended` was told.
        """
        if self._session is None:
            if text is None:
                raise BadInput("there is no session yet: say what is to be done")
            self._session = self.shop.project.create(title=" ".join(text.split())[:LONGEST_TITLE])
        with self._session.turn(wait_s=WAIT_S):
            return await self._bench.agent(self._bench.talk(self._session)).run(text)

    def new(self) -> None:
        """Begin another session with the next turn."""
        self._session = self._rewound = None
        self._bench = Workbench(self.shop, self._watcher)
        self._tracer = Tracer(self._traced, pricing_of(self.shop.model.name))

    def sessions(self, limit: int = 20) -> list[Head]:
        """List sessions of this folder, the one that was worked on last first."""
        return own_sessions(self.shop.project, max(limit, 50))[:limit]

    def resume(self, id: str | None = None) -> Resumed:
        """Open a session, by its id or the beginning of it; None is the one that was worked on last.

        Raises `NotFound`, and `BadInput` where the folder has no session, or several begin so.
        """
        session = self.shop.project.open(self._named(id))
        self.new()
        self._session = session
        transcript = Transcript(session.log)
        open_calls = [(each.call.name, each.state) for each in call_states(transcript)]
        return Resumed(
            id=session.id,
            title=session.title,
            messages=len(transcript.records),
            open_calls=tuple(each for each in open_calls if each[1] is not State.ANSWERED),
            is_interrupted=has_more(transcript),
        )

    def _named(self, id: str | None) -> str:
        heads = self.sessions(limit=50)
        if id is None:
            if not heads:
                raise BadInput(f"no session has worked in {self.shop.workspace.root} yet: say what is to be done")
            return heads[0].id
        if self.shop.project.has(id):
            return id
        near = [head.id for head in heads if head.id.startswith(id)]
        if len(near) > 1:
            raise BadInput(f"{len(near)} sessions begin with {id!r}: give more of the id")
        return near[0] if near else id

    async def compact(self, focus: str = "") -> Report | None:
        """Sum up what is old now, although it fits; `undo` takes it back. None where nothing can go."""
        with self._talking() as talk:
            fitted = await talk.compact(focus, on_report=self._reported)
            return fitted.report

    def preview_compact(self, focus: str = "") -> Report | None:
        """Give what `compact` would come to. Nothing is kept."""
        return self._bench.talk(self._opened()).preview(compact=focus).report

    def undo(self) -> Report | None:
        """Take back what was decided on the view: the next request is planned anew from the originals."""
        with self._talking() as talk:
            return talk.undo().report

    def context(self) -> Breakdown:
        """Give what fills the next request."""
        talk = self._bench.talk(self._session)
        return breakdown_of(talk, talk.preview(), self._bench.shown)

    def why(self, asked: str) -> tuple[Message, tuple[Fate, ...]]:
        """Give a message, by its id or number, and all that was ever decided on it. Raises `BadInput`."""
        session = self._opened()
        transcript = Transcript(session.log)
        place = place_of(transcript, asked)
        if place is None:
            raise BadInput(f"no message {asked!r}: there are {len(transcript.records):,}, numbered from 1")
        message = transcript.records[place].message
        return message, fates(session.log, message.id)

    def points(self, limit: int = 50) -> list[Point]:
        """Give what people said, the newest first."""
        if self._session is None:
            return []
        records = Transcript(self._session.log).records
        places = (place for place in reversed(range(len(records))) if records[place].message.is_human)
        return [Point(records[at].message.id, at + 1, records[at].message.text) for at in islice(places, limit)]

    def affected(self, point: str) -> Sequence[str]:
        """Give the files that a rewind to a point would touch."""
        return self._files.affected(point) if self._files is not None else ()

    def rewind(self, point: str, *, conversation: bool = True, files: bool = True) -> Rewound:
        """Go back to before a person said something: the conversation, the files, or both. `undo_rewind` takes it back.

        Nothing is deleted: what came after stays on a branch of its own. Raises `NotFound`.
        """
        session = self._opened()
        touched: Sequence[str] = ()
        with session.turn(wait_s=WAIT_S):
            transcript = Transcript(session.log)
            text = transcript.records[transcript.position[point]].message.text if point in transcript.position else ""
            if conversation:
                transcript.branch_from(point, why="rewind", inclusive=False)
            if files and self._files is not None:
                touched = self._files.restore(point)
            self._rewound = (transcript.branch if conversation else "", bool(touched))
        return Rewound(text, tuple(touched))

    def undo_rewind(self) -> Rewound:
        """Take back the last rewind, conversation and files. Raises `BadInput` where there was none."""
        if self._rewound is None:
            raise BadInput("nothing was rewound in this session since it was opened")
        (branch, files), session = self._rewound, self._opened()
        with session.turn(wait_s=WAIT_S):
            if branch:
                before = Transcript(session.log, branch=branch)
                last = before.records[-1].message.id if before.records else None
                before.branch_from(last, why="undo of a rewind")
            touched = self._files.undo() if files and self._files is not None else ()
        self._rewound = None
        return Rewound("", tuple(touched))

    def fork(self, point: str | None = None) -> str:
        """Go on from a point, or from here, on a branch of its own; gives its name. The other one stays as it is."""
        session = self._opened()
        with session.turn(wait_s=WAIT_S):
            transcript = Transcript(session.log)
            last = point or (transcript.records[-1].message.id if transcript.records else None)
            return transcript.branch_from(last, why="fork").branch

    def diff(self) -> str:
        """Give what this session has changed in the files, as a unified diff."""
        points = self.points(limit=10_000)
        return self._files.diff(points[-1].id) if self._files is not None and points else ""

    def usage(self) -> tuple[int, Usage]:
        """Give how many requests of this session were answered, and what they cost together."""
        total, count = Usage(input=0), 0
        if self._session is None:
            return count, total
        transcript = Transcript(self._session.log)
        for entry in transcript.log.each():
            used = getattr(entry.payload, "usage", None)
            if isinstance(used, Usage) and not getattr(entry.payload, "counted", False):
                total, count = total + used, count + 1
        return count, total

    @contextmanager
    def _talking(self) -> Generator[Conversation]:
        session = self._opened()
        with session.turn(wait_s=WAIT_S):
            yield self._bench.talk(session)

    def _opened(self) -> Session:
        if self._session is None:
            raise BadInput("there is no session yet: say something, or resume one")
        return self._session

    def _begins(self, message: Message) -> None:
        if self._files is not None:
            self._files.begin(message.id)
        self._rewound = None
        self._on.task(message)

    def _told(self, event: events.Event) -> None:
        self._tracer.take(event)
        self._on.tell(event)

    def _traced(self, line: Line) -> None:
        if self._session is not None:
            append_to(trace_of(self._session.id), line)

    def _reported(self, report: Report) -> None:
        self._watcher.tell(events.Fitted(report))
