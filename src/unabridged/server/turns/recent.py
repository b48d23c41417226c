"""Sessions that had a turn here lately: the next one goes on with what is in memory, where nobody else wrote since.

A log's end is compared under the session's lease, digest and all: what is taken from here is what is stored.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

import msgspec

from unabridged.conversation import Conversation
from unabridged.frame import Frame
from unabridged.framing import model_of
from unabridged.store import Session

KEPT = 64
"""Sessions. Each holds about as much as its view."""


class Opened(msgspec.Struct, frozen=True):
    """A session, and its conversation where that is known."""

    session: Session
    talk: Conversation | None = None

    def speaks(self, frame: Frame, branch: str | None) -> Conversation | None:
        """Give the conversation, where it goes on with this model and on this branch."""
        talk = self.talk
        if talk is None or branch not in (None, talk.transcript.branch):
            return None
        same = talk.frame.dialect == frame.dialect and model_of(talk.frame) == model_of(frame)
        return talk if same else None


class Recent:
    """The sessions of the newest turns."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._opened: OrderedDict[int, Opened] = OrderedDict()
        self._changing = threading.Lock()

    def take(self, session: int) -> Opened | None:
        """Give a session to one turn, and to no other meanwhile."""
        with self._changing:
            return self._opened.pop(session, None)

    def put(self, opened: Opened) -> None:
        """Keep a session after its turn."""
        with self._changing:
            self._opened[opened.session.key] = opened
            while len(self._opened) > self._kept:
                self._opened.popitem(last=False)
