"""Reads logs of this library: the documented JSON Lines of `docs/file-format.md`.

The conversation is the newest branch, where a session goes on; other branches are conversations of their own where
they hold messages that it does not. Messages keep their ids.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from unabridged.entry import Entry, FrameEntry, MessageEntry, RefusedEntry, UsageEntry
from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.importers.detection import Head
from unabridged.importers.imported import Imported, RecordedCall
from unabridged.importers.json_reading import text_of
from unabridged.log import Log
from unabridged.message import Message, Origin, media_digests
from unabridged.store.reading import LogReader

_WIRES = ("openai_chat", "anthropic", "openai_responses", "gemini")
"""Dialects that a frame is made for where the log has none, the most common of its messages'."""


class UnabridgedLog:
    """Logs of this library."""

    name = "unabridged log"

    def recognises(self, head: Head) -> bool:
        """Tell by the header, or by an entry where the header is lost."""
        return any(
            text_of(each, "kind") == "unabridged" or {"seq", "log_digest", "payload"} <= each.keys()
            for each in head.objects
        )

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give the newest branch first."""
        reader = LogReader()
        try:
            reader.read(io.BytesIO(data))
            opened = reader.opened()
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from error
        log = Log.restore(opened.session, opened.entries, counter=opened.counter, media=opened.media)
        problems = tuple(f"line {each.line}: {each.what.value}, {each.detail}" for each in opened.problems)
        yield from conversations_of(log, name, problems)


def conversations_of(log: Log, name: str, problems: tuple[str, ...] = ()) -> Iterator[Imported]:
    """Give the conversations of a log, the newest branch first. Raises `BadInput` where it holds no message."""
    newest = _branch(log, log.newest_branch)
    if not newest.messages:
        raise BadInput(f"{name}: no message can be read from it: the log of the session {log.session!r} has none")
    yield newest.imported(name, log.media, problems)
    known = {message.id for message in newest.messages}
    for branch in log.branches[:-1]:
        followed = _branch(log, branch)
        if any(message.id not in known for message in followed.messages):
            yield followed.imported(f"{name}#{branch}", log.media, ())


class _Followed:
    """What the entries of one branch say."""

    def __init__(self, hidden: frozenset[str] = frozenset()) -> None:
        self._hidden = hidden
        self.messages: list[Message] = []
        self._usage: list[UsageEntry] = []
        self._frame: Frame | None = None

    def follow(self, entries: Sequence[Entry]) -> None:
        """Take in entries, in order."""
        for entry in entries:
            match entry.payload:
                case MessageEntry(message=message):
                    self.messages.append(message)
                case RefusedEntry(messages=refused):
                    self.messages = [message for message in self.messages if message.id not in refused]
                case UsageEntry():
                    self._usage.append(entry.payload)
                case FrameEntry(frame=frame) if frame is not None:
                    self._frame = frame
                case _:
                    pass

    def imported(self, name: str, media: Mapping[str, bytes], problems: tuple[str, ...]) -> Imported:
        """Give the conversation."""
        frame = self._frame or Frame(dialect=self._dialect())
        return Imported(
            name=name,
            dialect=frame.dialect,
            frame=frame,
            messages=tuple(self.messages),
            media={
                digest: media[digest] for each in self.messages for digest in media_digests(each) if digest in media
            },
            calls=tuple(self._calls()),
            hidden=self._hidden,
            problems=problems,
        )

    def _dialect(self) -> str:
        counted = Counter(message.raw.dialect for message in self.messages if message.raw is not None)
        return next((dialect for dialect, _ in counted.most_common() if dialect in _WIRES), _WIRES[0])

    def _calls(self) -> Iterator[RecordedCall]:
        reported = {entry.last: entry for entry in self._usage}
        before = ""
        for place, message in enumerate(self.messages):
            if message.origin is Origin.MODEL:
                usage = reported.get(before)
                known = (None, "") if usage is None else (usage.usage, usage.model)
                yield RecordedCall(answer=place, usage=known[0], model=known[1])
            before = message.id


def _branch(log: Log, branch: str) -> _Followed:
    followed = _Followed(frozenset(log.hidden(branch).values()))
    followed.follow(log.entries_of(log.ancestry(branch)))
    return followed
