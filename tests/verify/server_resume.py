"""A client that is cut off at every frame of a turn, and comes back, against one that stayed.

What was streamed may come in other pieces; everything else is the same, frame by frame. Where the server was killed in
between, a `reset` says so, and the answer is whole in the end, and stored once.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import httpx2
import msgspec

from tests.server.reading import Came, Json, Seen, frames_in, streamed, unclosed
from tests.summarizer.models import GOOD
from tests.verify.server_process import ServerProcess, make_project, provider_of, running
from unabridged.server.settings import CommandTool
from unabridged.testing import Asked, Call, FakeProvider, Reply

SAYS = "The answer, in more than one piece, so that one can leave between any two of them. It ends here."
RUNS, FIRST = "Run it.", "I run it, and then I tell."
COMMAND = "for n in 1 2 3 4 5 6; do echo line $n; sleep 0.3; done"
WORDS = "a river stone by the lamp "
MESSAGE = 340
"""Times the words: so much that nearly every turn has to compact."""


class Paced:
    """Stands before a provider, and lets its answers out piece by piece."""

    def __init__(self, provider: FakeProvider, pause_s: float) -> None:
        self._provider = provider
        self.pause_s = pause_s

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Let one answer out."""

        async def slowly(message: Any) -> None:
            await send(message)
            if message.get("more_body"):
                await asyncio.sleep(self.pause_s)

        await self._provider(scope, receive, slowly)


class Narrator:
    """Says the same to everything, and sums up what it is told to. Asked to run something, it does so first."""

    def reply(self, asked: Asked) -> Reply:
        """Give the answer to one request."""
        newest = asked.body["messages"][-1]
        if "You write the minutes" in json.dumps(asked.body["messages"][0]):
            return Reply(text=GOOD)
        if newest["role"] == "user" and str(newest["content"]).startswith(RUNS):
            return Reply(text=FIRST, calls=(Call("run_command", json.dumps({"command": COMMAND})),))
        return Reply(text=SAYS)


class Resumed(msgspec.Struct):
    """What came of it."""

    turns: int = 0
    cuts: int = 0
    during: dict[str, int] = {}
    """Cuts by the frame behind which they came."""
    kills: int = 0
    breaches: list[str] = []

    def line(self, what: str, seconds: float) -> str:
        """Say it in a line."""
        places = ", ".join(f"{name} {count}" for name, count in sorted(self.during.items()))
        return (
            f"{what:24} {self.turns} turns, {self.cuts} cuts ({places}), {self.kills} kills, "
            f"{len(self.breaches)} breaches, {seconds:.0f} s"
        )


class Session:
    """A conversation of which each turn is watched by one who stays and by one who is cut off."""

    def __init__(self, http: httpx2.Client, found: Resumed, *, steps: bool = False) -> None:
        self.http = http
        self.found = found
        self._says = f"{FIRST}\n\n{SAYS}" if steps else SAYS
        self._message = RUNS if steps else f"n {WORDS * MESSAGE}"
        self._roles = ["user", "assistant", "tool", "assistant"] if steps else ["user", "assistant"]
        self.id = ""
        self._number = 0

    @property
    def path(self) -> str:
        """Give where the next turn is asked for."""
        return f"/chat/sessions/{self.id}/turns" if self.id else "/chat"

    def body(self) -> Json:
        """Give the next message."""
        self._number += 1
        return {"message": self._message}

    def everywhere(self) -> int:
        """Cut a client off behind each frame of a turn; give how many there are."""
        after, most = 0, 1
        while after <= most:
            most = max(most, len(self.cut(after).frames))
            after += 1
        self.check()
        return most

    def cut(self, after: int) -> Came:
        """Take a turn that is cut off after so many frames; compare, and give what the other one saw."""
        with self.http.stream("POST", self.path, json=self.body()) as cut:
            assert cut.status_code == 200, cut.read()
            where = self._where(cut)
            stayed: list[Seen] = []
            other = threading.Thread(target=lambda: stayed.extend(self.watch(where)))
            other.start()
            seen = list(islice(frames_in(cut.iter_lines()), after))
        again = [*seen, *self.watch(where, seen)]
        other.join()
        behind = [*seen, *self.watch(where, seen)]
        by_number = [*seen, *self._after(where, seen)]
        self._compare(after, stayed, {"while it ran": again, "behind its end": behind, "by `after`": by_number})
        return Came(tuple(stayed))

    def watch(self, where: str, seen: Sequence[Seen] = ()) -> list[Seen]:
        """Watch a turn to its end, behind what was seen of it."""
        headers = {"Last-Event-ID": seen[-1].id} if seen else {}
        with self.http.stream("GET", where, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            return list(frames_in(answer.iter_lines()))

    def _after(self, where: str, seen: Sequence[Seen]) -> list[Seen]:
        with self.http.stream("GET", where, params={"after": seen[-1].number if seen else 0}) as answer:
            return list(frames_in(answer.iter_lines()))

    def _where(self, answer: httpx2.Response) -> str:
        self.id = answer.headers["X-Session-Id"]
        return f"/chat/sessions/{self.id}/turns/{answer.headers['X-Turn']}/events"

    def _compare(self, after: int, stayed: list[Seen], others: dict[str, list[Seen]]) -> None:
        found = self.found
        found.turns += 1
        found.cuts += len(others)
        place = told(stayed[after - 1]) if 0 < after <= len(stayed) else "before the first"
        found.during[place] = found.during.get(place, 0) + 1
        wanted = whole(stayed)
        for when, frames in others.items():
            if whole(frames) != wanted:
                found.breaches.append(f"cut after {after}, back {when}: {whole(frames)} for {wanted}")
        if not self._is_whole(stayed):
            found.breaches.append(f"the one who stayed saw {whole(stayed)}")

    def killed(self, server: ServerProcess, after: int) -> None:
        """Take a turn in which the server is killed after so many frames, and come back."""
        seen: list[Seen] = []
        with self.http.stream("POST", self.path, json=self.body()) as cut:
            where = self._where(cut)
            seen += islice(frames_in(cut.iter_lines()), after)
            server.kill()
        server.start()
        frames = [*seen, *self.watch(where, seen)]
        found, numbers = self.found, [frame.number for frame in frames]
        found.turns, found.kills, found.cuts = found.turns + 1, found.kills + 1, found.cuts + 1
        place = told(seen[-1]) if seen else "before the first"
        found.during[place] = found.during.get(place, 0) + 1
        came = Came(tuple(frames))
        if numbers != sorted(set(numbers)) or unclosed(frames):
            found.breaches.append(f"killed after {after}: frames {[told(frame) for frame in frames]}, {numbers}")
        if not self._is_whole(frames):
            found.breaches.append(f"killed after {after}: {came.end}, streamed {came.text!r}")

    def _is_whole(self, frames: Sequence[Seen]) -> bool:
        end = frames[-1].data
        streams = streamed(frames) == self._says.replace("\n\n", "")
        return end.get("status") == "completed" and end["text"] == self._says and streams and not unclosed(frames)

    def check(self) -> None:
        """Look whether every answer is stored once."""
        page = self.http.get(f"/chat/sessions/{self.id}/messages", params={"order": "asc", "limit": 500}).json()
        roles = [message["role"] for message in page["messages"]]
        if roles != self._roles * self._number:
            self.found.breaches.append(f"stored: {roles}")


def told(frame: Seen) -> str:
    """Give the kind of a frame, of a report with its phase."""
    return f"context({frame.data['phase']})" if frame.event == "context" else frame.event


def whole(frames: Sequence[Seen]) -> list[tuple[str, str]]:
    """Give frames with what follows each other of an answer put together."""
    made: list[tuple[str, str]] = []
    for frame in frames:
        if frame.event == "delta" and made and made[-1][0] == "delta":
            made[-1] = ("delta", made[-1][1] + frame.data["text"])
        else:
            made.append((told(frame), frame.data["text"] if frame.event == "delta" else json.dumps(frame.data)))
    return made


def resume(place: str, folder: Path, *, kills: int) -> Resumed:
    """Cut a client off behind each frame of a turn; then kill the server so many times."""
    keys = [
        make_project(place, "resume", {"strategy": "summarize"}),
        make_project(place, "steps", command=CommandTool(enabled=True, approval="never")),
    ]
    found = Resumed()
    paced = Paced(provider_of(Narrator()), 0.02)
    with running(place, paced, folder) as server:
        for nth, key in enumerate(keys):
            headers = {"Authorization": f"Bearer {key}"}
            with httpx2.Client(base_url=server.url, headers=headers, timeout=60, trust_env=False) as http:
                paced.pause_s = 0.02
                session = Session(http, found, steps=nth > 0)
                most = session.everywhere()
                paced.pause_s = 0.1
                for kill in range(kills):
                    session.killed(server, kill % most)
                session.check()
    return found
