"""Stored sessions in which everything has happened, and a server over them on each engine."""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import msgspec

from tests.server.scene import Scene
from tests.store.databases import server_of_run
from unabridged import Conversation, Policy
from unabridged.conversation import new_id
from unabridged.errors import CannotFit
from unabridged.message import Message, Origin, Role, Text, ToolCall, ToolResult
from unabridged.store import Session, Store, open_store

ENGINES = ("sqlite", "postgres")
WINDOW = 4_000
_NAMES = itertools.count()


@contextmanager
def store_on(engine: str, folder: Path) -> Generator[Store]:
    """Open an empty store."""
    if engine == "sqlite":
        with open_store(folder / "server.db", synchronous="NORMAL") as opened:
            yield opened
        return
    run = f"process-{os.getpid()}"
    with server_of_run(run) as server, server.database() as place, open_store(place) as opened:
        yield opened


class Said(msgspec.Struct, frozen=True):
    """A message as a test appended it."""

    id: str
    text: str
    """Of its text, or of its output."""
    refused: bool = False


class Told:
    """A session that is talked in, and all that was appended to it, in order."""

    def __init__(self, store: Store, *, strategy: str = "trim", owner: str | None = None) -> None:
        self.id = f"s-{next(_NAMES)}"
        self.session: Session = store.project("home", owner=owner).create(id=self.id)
        policy = Policy(strategy=strategy, archive_to_memory=False)
        self.talk = Conversation(model="m", window=WINDOW, max_tokens=200, log=self.session.log, policy=policy)
        self.said: list[Said] = []

    def add(self, role: Role, *parts: Text | ToolCall | ToolResult, origin: Origin = Origin.HUMAN) -> Message:
        """Append a message."""
        message = self.talk.add(Message(id=new_id(), role=role, parts=parts, origin=origin))
        self.said.append(Said(message.id, _text(parts)))
        return message

    def round(self, question: str, outputs: Sequence[str], answer: str) -> None:
        """Have a question asked, so many calls made and answered, and the question answered."""
        self.add(Role.USER, Text(question))
        self.talk.fit()
        for output in outputs:
            call = ToolCall(new_id(), "read", '{"path": "a.py"}')
            self.add(Role.ASSISTANT, call, origin=Origin.MODEL)
            self.add(Role.TOOL, ToolResult(call.id, (Text(output),)), origin=Origin.TOOL_FEEDBACK)
            self.talk.fit()
        self.add(Role.ASSISTANT, Text(answer), origin=Origin.MODEL)

    def refuse(self, count: int = 1) -> None:
        """Have a person say what can never be sent."""
        for _ in range(count):
            self.add(Role.USER, Text("much too long " * WINDOW))
        try:
            self.talk.fit()
        except CannotFit:
            self.said[-count:] = [msgspec.structs.replace(each, refused=True) for each in self.said[-count:]]
            return
        raise AssertionError("it fits")


def _text(parts: Sequence[Text | ToolCall | ToolResult]) -> str:
    for part in parts:
        if isinstance(part, Text):
            return part.text
        if isinstance(part, ToolResult):
            return "\n".join(piece.text for piece in part.parts if isinstance(piece, Text))
    return ""


def text_of(shown: dict[str, Any]) -> str:
    """Give the same of a message that the API gave."""
    for part in shown["parts"]:
        if part["type"] == "text":
            return part["text"]
        if part["type"] == "tool_result":
            return part["output"]
    return ""


def get(at: Scene, path: str, key: str | None = None, **asked: Any) -> dict[str, Any]:
    """Ask for something that is there."""
    client = _client(at.url, key or at.key)
    answer = client.get(path, params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


@cache
def _client(url: str, key: str) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx2.Client(base_url=url, headers=headers, timeout=30, trust_env=False)


def all_messages(at: Scene, id: str, **asked: Any) -> list[dict[str, Any]]:
    """Give all messages of a session, page by page."""
    found: list[dict[str, Any]] = []
    while True:
        more = {"after": found[-1]["id"]} if found else {}
        page = get(at, f"/chat/sessions/{id}/messages", **asked, **more)
        found += page["messages"]
        if not page["has_more"]:
            return found
