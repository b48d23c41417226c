"""Reads a stream of Server-Sent Events as any client would, and says what a turn came to."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

import msgspec

Json = dict[str, Any]


class Seen(msgspec.Struct, frozen=True):
    """One frame as it came over the wire."""

    id: str
    event: str
    data: Json

    @property
    def number(self) -> int:
        """Its number within its turn."""
        return int(self.id.rpartition(".")[2])


class Reader:
    """Takes in lines, and gives a frame wherever one is complete. Comments keep a line open and say nothing."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def feed(self, line: str) -> Seen | None:
        """Take in a line without its end."""
        if line.startswith(":"):
            return None
        if line:
            name, _, value = line.partition(":")
            assert name not in self._fields, f"a frame has one line of {name}: {line!r}"
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        return Seen(fields["id"], fields["event"], json.loads(fields["data"])) if fields else None


def frames_in(lines: Iterable[str]) -> Iterator[Seen]:
    """Give the frames of a stream as they come."""
    reader = Reader()
    yield from (seen for line in lines if (seen := reader.feed(line)) is not None)


async def frames_coming(lines: AsyncIterable[str]) -> AsyncIterator[Seen]:
    """Give the frames of a stream as they come."""
    reader = Reader()
    async for line in lines:
        seen = reader.feed(line)
        if seen is not None:
            yield seen


class Came(msgspec.Struct, frozen=True):
    """All frames of a turn that was watched to its end."""

    frames: tuple[Seen, ...]

    def of(self, event: str) -> list[Json]:
        """Give the data of all frames of one kind."""
        return [seen.data for seen in self.frames if seen.event == event]

    @property
    def end(self) -> Json:
        """What the last frame says."""
        assert self.frames, "nothing came"
        assert self.frames[-1].event == "end", [seen.event for seen in self.frames]
        return self.frames[-1].data

    @property
    def status(self) -> str:
        """How it ended."""
        return self.end["status"]

    @property
    def session(self) -> str:
        """The id of its session."""
        return self.end["session_id"]

    @property
    def turn(self) -> int:
        """Its number."""
        return self.end["turn"]

    @property
    def text(self) -> str:
        """The answer, put together from what was streamed and not taken back."""
        return streamed(self.frames)

    @property
    def kinds(self) -> list[str]:
        """Types in their order; context frames with their phase, deltas that follow each other as one."""
        named = [f"context({f.data['phase']})" if f.event == "context" else f.event for f in self.frames]
        return [name for at, name in enumerate(named) if name != "delta" or at == 0 or named[at - 1] != "delta"]

    @property
    def report(self) -> Json:
        """The one report of a fit before the turn."""
        (found,) = [data for data in self.of("context") if data["phase"] == "done"]
        return found


def streamed(frames: Sequence[Seen]) -> str:
    """Put answers together: deltas, without those that a `reset` took back."""
    whole: list[str] = []
    newest: list[str] = []
    for seen in frames:
        if seen.event == "delta":
            newest.append(seen.data["text"])
        elif seen.event == "message":
            whole, newest = [*whole, *newest], []
        elif seen.event == "reset":
            newest = []
    return "".join([*whole, *newest])


def unclosed(frames: Sequence[Seen]) -> bool:
    """Tell whether a `compacting` has neither its `done` nor a `reset` behind it."""
    is_open = False
    for seen in frames:
        if seen.event == "context":
            is_open = seen.data["phase"] == "compacting"
        elif seen.event == "reset":
            is_open = False
    return is_open
