"""Conversations made by hand and what exporters write of them, for tests that read as a specification."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from unabridged.exporters import Losses, exporter
from unabridged.frame import Frame
from unabridged.importers import Imported, RecordedCall
from unabridged.message import Media, MediaKind, Message, Origin, Part, Role, Text, ToolCall, ToolResult

Json = dict[str, Any]

PIXEL = b"\x89PNG\r\n\x1a\n"
PICTURE = Media(kind=MediaKind.IMAGE, mime="image/png", digest=hashlib.sha256(PIXEL).hexdigest(), size=len(PIXEL))
TIME = "2026-01-01T00:00:00.000Z"


def human(*parts: Part | str) -> Message:
    return _message(Role.USER, Origin.HUMAN, parts)


def injected(*parts: Part | str) -> Message:
    return _message(Role.USER, Origin.INJECTED, parts)


def summary(*parts: Part | str) -> Message:
    return _message(Role.USER, Origin.CLIENT_SUMMARY, parts)


def model(*parts: Part | str) -> Message:
    return _message(Role.ASSISTANT, Origin.MODEL, parts)


def tool(*parts: Part | str) -> Message:
    return _message(Role.TOOL, Origin.TOOL_FEEDBACK, parts)


def call(id: str, arguments: str = '{"path":"a.py"}', *, name: str = "read", custom: bool = False) -> ToolCall:
    return ToolCall(id, name, arguments, custom=custom)


def result(id: str, *parts: Text | Media | str, is_error: bool = False) -> ToolResult:
    return ToolResult(id, tuple(Text(part) if isinstance(part, str) else part for part in parts), is_error)


def talk(
    *messages: Message, frame: Frame | None = None, calls: tuple[RecordedCall, ...] = (), name: str = "a"
) -> Imported:
    """Give a conversation of these messages, with ids of its own."""
    frame = frame or Frame(dialect="openai_chat")
    numbered = tuple(
        Message(
            id=f"{name}-{place}",
            role=message.role,
            parts=message.parts,
            origin=message.origin,
            time=message.time,
            raw=message.raw,
        )
        for place, message in enumerate(messages)
    )
    media = {str(PICTURE.digest): PIXEL}
    return Imported(name=name, dialect=frame.dialect, frame=frame, messages=numbered, media=media, calls=calls)


def written(to: str, *conversations: Imported) -> str:
    return "".join(exporter(to).write(conversations, Losses()))


def losses(to: str, *conversations: Imported) -> list[str]:
    found = Losses()
    for _ in exporter(to).write(conversations, found):
        pass
    return found.sentences


def records(to: str, conversation: Imported) -> list[Json]:
    """What an exporter writes, as the records of its lines."""
    return [json.loads(line) for line in written(to, conversation).splitlines()]


def _message(role: Role, origin: Origin, parts: tuple[Part | str, ...]) -> Message:
    known = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return Message(id="", role=role, origin=origin, parts=known, time=TIME)
