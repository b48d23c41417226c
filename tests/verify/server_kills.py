"""Many sessions grow past their windows while their server is killed and started again, again and again.

Each user sends a message with a key for it, and watches; cut off, he comes back and says what he saw last. What counts
is what was acknowledged: a `session` frame says that the message is stored.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import msgspec

from tests.server.reading import Came, Json, Seen, frames_coming, unclosed
from tests.summarizer.models import GOOD
from tests.verify.server_process import ServerProcess, make_project, provider_of, running
from unabridged.server.settings import ClientTool
from unabridged.testing import Asked, Call, Reply

WINDOW = 4_000
TAG = re.compile(r"m\d+-\d+")
EVERY = 3
"""Every so many turns the model asks the client for something."""
PATIENCE_S = 180.0
"""How long one turn is waited for, kills included."""


class Answerer:
    """Answers each message under its tag; every third one after a call of the client's tool. It remembers nothing."""

    def reply(self, asked: Asked) -> Reply:
        """Give what a request is answered with: the same for the same."""
        if "You write the minutes" in json.dumps(asked.body["messages"][0]):
            return Reply(text=GOOD)
        newest = asked.body["messages"][-1]
        tag = TAG.findall(json.dumps(newest))[-1]
        if newest["role"] == "user" and int(tag.partition("-")[2]) % EVERY == EVERY - 1:
            return Reply(calls=(Call("look", json.dumps({"at": tag})),))
        return Reply(text=f"Answer to {tag}. " + "It is as was said before. " * 8)


class Tally(msgspec.Struct):
    """What came of it."""

    sessions: int = 0
    turns: int = 0
    acknowledged: int = 0
    kills: int = 0
    cut_off: int = 0
    resets: int = 0
    compactions: int = 0
    breaches: list[str] = []

    def line(self, what: str, seconds: float) -> str:
        """Say it in a line."""
        return (
            f"{what:24} {self.sessions} sessions, {self.turns:,} turns, {self.acknowledged:,} messages acknowledged, "
            f"{self.kills} kills, {self.cut_off:,} streams cut off, {self.resets} resets, {self.compactions:,} "
            f"compactions, {len(self.breaches)} breaches, {seconds:.0f} s"
        )


class World:
    """A server that comes and goes, and what its users saw."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.up = asyncio.Event()
        self.tally = Tally()
        self.ends = 0.0

    async def haunt(self, every_s: float) -> None:
        """Kill the server and start it again, until the end."""
        self.up.set()
        while time.monotonic() + every_s < self.ends:
            await asyncio.sleep(every_s)
            self.up.clear()
            await asyncio.to_thread(self.server.kill)
            self.tally.kills += 1
            await asyncio.to_thread(self.server.start)
            self.up.set()


class User:
    """Somebody with one session, who does not give up."""

    def __init__(self, world: World, http: httpx2.AsyncClient, nth: int) -> None:
        self.world = world
        self.http = http
        self.nth = nth
        self.session = ""
        self.sent: list[str] = []
        self.acknowledged: Counter[str] = Counter()
        self.answered: set[str] = set()

    async def talk(self) -> None:
        """Talk until the end, and once more behind it."""
        while time.monotonic() < self.world.ends:
            await self.say()
        self.world.ends = max(self.world.ends, 0.0)
        await self.say()

    async def say(self) -> None:
        """Send a message, and what the model asks for on the way to its answer."""
        tag = f"m{self.nth}-{len(self.sent)}"
        self.sent.append(tag)
        body: Json = {"message": f"{tag} " + "a river stone by the lamp " * 45 + tag}
        while True:
            came = await self._turn(tag, body)
            if came is None:
                return
            if came.status != "awaiting_tools":
                break
            body = {"tool_results": [{"call_id": c, "output": f"{tag} lies there"} for c in came.end["awaiting"]]}
        if came.status == "completed":
            self.answered.add(tag)
            if f"Answer to {tag}." not in came.end["text"] or f"Answer to {tag}." not in came.text:
                self._breach(f"{tag}: its end says {came.end['text'][:40]!r}, and {came.text[:40]!r} was streamed")
        else:
            self._breach(f"{tag} ended {came.status}: {came.end.get('error')}")

    async def _turn(self, tag: str, body: Json) -> Came | None:
        frames: list[Seen] = []
        where, key, until = "", uuid.uuid4().hex, time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            await self.world.up.wait()
            try:
                where = await self._watch(where, key, body, frames)
            except httpx2.TransportError:
                self.world.tally.cut_off += 1
                await asyncio.sleep(0.05)  # it may be seen to be down only in a moment
            if frames and frames[-1].event == "end":
                self._take_in(tag, body, frames)
                return Came(tuple(frames))
        self._breach(f"{tag} came to no end in {PATIENCE_S:.0f} s: {[seen.event for seen in frames][-5:]} of {where}")
        return None

    async def _watch(self, where: str, key: str, body: Json, frames: list[Seen]) -> str:
        """Begin a turn, or go on watching it; give where it can be watched."""
        path = f"/chat/sessions/{self.session}/turns" if self.session else "/chat"
        headers = {"Last-Event-ID": frames[-1].id} if frames else {}
        asked: dict[str, Any] = {"method": "GET", "url": where, "headers": headers}
        if not where:
            asked = {"method": "POST", "url": path, "json": body, "headers": {"Idempotency-Key": key}}
        async with self.http.stream(**asked) as answer:
            if answer.status_code != 200:
                await self._turned_down(answer)
                return where
            if not where:
                session, turn = answer.headers["X-Session-Id"], answer.headers["X-Turn"]
                self.session, where = session, f"/chat/sessions/{session}/turns/{turn}/events"
            try:
                async for seen in frames_coming(answer.aiter_lines()):
                    if frames and seen.number <= frames[-1].number:
                        self._breach(f"frame {seen.id} came after {frames[-1].id}")
                    frames.append(seen)
            except httpx2.TransportError:
                self.world.tally.cut_off += 1
        return where

    async def _turned_down(self, answer: httpx2.Response) -> None:
        await answer.aread()
        if answer.status_code not in (409, 503):
            self._breach(f"status {answer.status_code}: {answer.text[:200]}")
        await asyncio.sleep(0.2)

    def _take_in(self, tag: str, body: Json, frames: list[Seen]) -> None:
        tally = self.world.tally
        tally.turns += 1
        if "message" in body and any(seen.event == "session" for seen in frames):
            self.acknowledged[tag] += 1
            tally.acknowledged += 1
        tally.resets += sum(seen.event == "reset" for seen in frames)
        tally.compactions += sum(seen.event == "context" and seen.data["phase"] == "compacting" for seen in frames)
        if unclosed(frames):
            self._breach(f"{tag}: a `compacting` without its `done`")

    async def check(self) -> None:
        """Look at the stored conversation: every message once, every answer once."""
        told = [message async for message in self._messages()]
        users = Counter(tag for m in told if m["role"] == "user" for tag in set(TAG.findall(said(m))))
        answers = Counter(
            tag for m in told if m["role"] == "assistant" for tag in re.findall(r"Answer to (m\S+)\.", said(m))
        )
        for tag in self.sent:
            if users[tag] != 1 and (tag in self.acknowledged or users[tag] > 1):
                self._breach(f"{tag} was acknowledged, and is there {users[tag]} times")
            if answers[tag] != 1 and (tag in self.answered or answers[tag] > 1):
                self._breach(f"{tag} has {answers[tag]} answers")

    async def _messages(self) -> AsyncGenerator[Json]:
        after: dict[str, Any] = {}
        while True:
            query = {"order": "asc", "limit": 100, **after}
            page = (await self.http.get(f"/chat/sessions/{self.session}/messages", params=query)).json()
            for message in page["messages"]:
                yield message
            if not page["has_more"]:
                return
            after = {"after": page["messages"][-1]["id"]}

    def _breach(self, says: str) -> None:
        self.world.tally.breaches.append(f"session {self.session}: {says}")


def said(message: Json) -> str:
    """Give the text of a message as the API tells it."""
    return " ".join(part["text"] for part in message["parts"] if part["type"] == "text")


def kill(place: str, folder: Path, *, sessions: int, seconds: float, every_s: float) -> Tally:
    """Have so many users talk for so long to a server that is killed every so often."""
    tools = (ClientTool(name="look"),)
    keys = [
        make_project(place, name, {"strategy": name, "summarizer_timeout_s": 10.0}, client_tools=tools)
        for name in ("trim", "summarize")
    ]
    provider = provider_of(Answerer(), WINDOW)
    with running(place, provider, folder, window=WINDOW) as server:
        tally = asyncio.run(_talk(server, keys, sessions, seconds, every_s))
    tally.breaches += [f"the provider refused: {each.says}" for each in provider.refused]
    return tally


async def _talk(server: ServerProcess, keys: list[str], sessions: int, seconds: float, every_s: float) -> Tally:
    world = World(server)
    world.ends = time.monotonic() + seconds
    limits = httpx2.Limits(max_connections=None)
    clients = [
        httpx2.AsyncClient(
            base_url=server.url, headers={"Authorization": f"Bearer {key}"}, timeout=60, limits=limits, trust_env=False
        )
        for key in keys
    ]
    users = [User(world, clients[nth % len(clients)], nth) for nth in range(sessions)]
    await asyncio.gather(world.haunt(every_s), *(user.talk() for user in users))
    for user in users:
        await user.check()
    for client in clients:
        await client.aclose()
    world.tally.sessions = sessions
    return world.tally
