"""Collects the messages of conversations while a file is read, and makes `Imported` values of them at the end.

Ids can be given only then: they carry the number of a conversation where a file holds several that have messages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.importers.imported import Imported, RecordedCall
from unabridged.message import Message, Origin, Role, Text
from unabridged.report import Usage


class Gathering:
    """One conversation, message by message. `key` tells it from the others of its file; "" is the main one."""

    def __init__(self, key: str = "", dialect: str = "openai_chat") -> None:
        self.key = key
        self.frame = Frame(dialect=dialect)
        self.messages: list[Message] = []
        self.media: dict[str, bytes] = {}
        self.calls: dict[int, RecordedCall] = {}
        """By position of the answer."""
        self.problems: list[str] = []

    def system(self, text: str) -> None:
        """Take the system text that leads every request of the conversation: it is the frame's."""
        message = Message(id="", role=Role.SYSTEM, parts=(Text(text),), origin=Origin.INJECTED)
        self.frame = msgspec.structs.replace(self.frame, system=(*self.frame.system, message))

    def field(self, name: str, json_text: str) -> None:
        """Take a field of every request, as `Frame.fields` has it."""
        self.frame = msgspec.structs.replace(self.frame, fields=(*self.frame.fields, (name, json_text)))

    def add(self, message: Message) -> None:
        """Take a message at the end. Its id is given later."""
        self.messages.append(message)

    def answer(self, message: Message, *, model: str = "", usage: Usage | None = None) -> None:
        """Take an answer of a model at the end, with what the call reported."""
        self.calls[len(self.messages)] = RecordedCall(answer=len(self.messages), usage=usage, model=model)
        self.messages.append(message)

    def used(self, place: int, usage: Usage) -> None:
        """Note what the call of an answer reported, where the file says so later."""
        self.calls[place] = msgspec.structs.replace(self.calls[place], usage=usage)

    def replace(self, place: int, message: Message) -> None:
        """Put another message in the place of one that is there, as when an answer goes on."""
        self.messages[place] = message

    def left(self, place: int, key: str) -> Gathering:
        """Take back what stands from `place` on, as a rewind does. Gives the conversation as it was until now."""
        before = Gathering(key)
        before.frame, before.messages, before.calls = self.frame, self.messages[:], dict(self.calls)
        before.media = self.media
        del self.messages[place:]
        self.calls = {at: call for at, call in self.calls.items() if at < place}
        return before

    def imported(self, name: str, prefix: str) -> Imported:
        """Give the conversation, each message with its id."""
        frame = msgspec.structs.replace(self.frame, system=_numbered(self.frame.system, f"{prefix}-system"))
        return Imported(
            name=name,
            dialect=frame.dialect,
            frame=frame,
            messages=_numbered(self.messages, prefix),
            media=self.media,
            calls=tuple(self.calls.values()),
            problems=tuple(self.problems),
        )


def _numbered(messages: Iterable[Message], prefix: str) -> tuple[Message, ...]:
    return tuple(msgspec.structs.replace(message, id=f"{prefix}-{place:06d}") for place, message in enumerate(messages))


def conversations(
    gathered: Sequence[Gathering], data: bytes, name: str, problems: Sequence[str] = ()
) -> Iterator[Imported]:
    """Give every conversation that has a message. What is wrong with the whole file is said with the first.

    Raises `BadInput` where none has a message.
    """
    found = [each for each in gathered if each.messages]
    if not found:
        why = next(iter([*problems, *(problem for each in gathered for problem in each.problems)]), "it has none")
        raise BadInput(f"{name}: no message can be read from it: {why}")
    found[0].problems[:0] = problems
    digest = hashlib.sha256(data).hexdigest()[:12]
    unnamed = sum(not each.key for each in found)
    for number, each in enumerate(found, 1):
        key = each.key or (str(number) if unnamed > 1 else "")
        title = f"{name}#{key}" if key else name
        yield each.imported(title, digest if len(found) == 1 else f"{digest}-{number}")
