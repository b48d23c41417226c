"""Reads session files of pi: one JSON record a line, since version 2 of the format a tree of them.

The main conversation is the path to the last record of the file, as pi itself goes on. What hangs on another branch
is a conversation of its own, with the path to it. Answers that were aborted stay, with calls that were never run.
Format: `packages/coding-agent/docs/session.md` of badlogic/pi-mono.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.importers.attached import Record, inline
from unabridged.importers.detection import Head
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import decoded, text_of
from unabridged.importers.lines import Problems, each_line, sentences
from unabridged.importers.tree import branches
from unabridged.message import Media, Opaque, Origin, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.report import Usage
from unabridged.wire.json_text import JsonNode, as_object, count

FORMAT = "pi"

_ROLES = {
    "user": (Role.USER, Origin.HUMAN),
    "custom": (Role.USER, Origin.INJECTED),
    "hookMessage": (Role.USER, Origin.INJECTED),
    "bashExecution": (Role.USER, Origin.INJECTED),
    "branchSummary": (Role.USER, Origin.INJECTED),
    "compactionSummary": (Role.USER, Origin.CLIENT_SUMMARY),
    "assistant": (Role.ASSISTANT, Origin.MODEL),
    "toolResult": (Role.TOOL, Origin.TOOL_FEEDBACK),
}
_LINES = {
    "compaction": Origin.CLIENT_SUMMARY,
    "branch_summary": Origin.INJECTED,
    "custom_message": Origin.INJECTED,
}
"""Lines that are a message themselves; a line of type `message` holds one."""


class _Line(msgspec.Struct, frozen=True, rename="camel"):
    type: str = ""
    id: str | None = None
    parent_id: str | None = None
    timestamp: str | None = None


class _Entry(msgspec.Struct, frozen=True):
    """A line and its place in the tree. The first version has no ids: there each line follows the one before."""

    number: int
    key: str
    parent: str | None
    type: str
    raw: msgspec.Raw

    @property
    def speaks(self) -> bool:
        return self.type == "message" or self.type in _LINES


class Pi:
    """Session files of pi, as they lie in its `sessions` folder."""

    name = "pi session"

    def recognises(self, head: Head) -> bool:
        """Tell by the header line."""
        return any(text_of(record, "type") == "session" and "cwd" in record for record in head.objects)

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give the main branch first, then every other in file order."""
        found: Problems = []
        gathered = [_gathered(key, path) for key, path in branches(list(_entries(data, found)))]
        return conversations(gathered, data, name, sentences(found))


def _entries(data: bytes, found: Problems) -> Iterator[_Entry]:
    before: str | None = None
    for number, raw in each_line(data, msgspec.Raw, found):
        line = decoded(raw, _Line)
        if line is None or line.timestamp is None:  # a torn line may end in a whole object that is no record
            found.append((number, "not a record of this format"))
        elif line.type != "session":
            key = line.id or f"line {number}"
            yield _Entry(number, key, line.parent_id if line.id else before, line.type, raw)
            before = key


def _gathered(key: str, path: Sequence[_Entry]) -> Gathering:
    gathering = Gathering(key)
    unseen: list[int] = []
    for entry in path:
        if not entry.speaks:
            continue
        record = Record(FORMAT, str(entry.raw, "utf-8"))
        spoken = record.node.get("message")
        if entry.type in _LINES:
            parts = _content(record.node, record) or (Text(record.node.string("summary")),)
            gathering.add(record.message(Role.USER, parts, _LINES[entry.type], record.node.string("timestamp")))
        elif spoken is not None and as_object(spoken.value).get("excludeFromContext") is True:
            unseen.append(entry.number)
        elif spoken is None or spoken.string("role") not in _ROLES:
            gathering.problems.append(f"line {entry.number}: a message without a role that is known")
        else:
            _take(gathering, spoken, record)
        gathering.media |= record.intake.blobs
    if unseen:
        listed = ", ".join(map(str, unseen))
        gathering.problems.append(f"left out, commands whose output was kept from the model: lines {listed}")
    return gathering


def _take(gathering: Gathering, spoken: JsonNode, record: Record) -> None:
    role, origin = _ROLES[spoken.string("role")]
    message = record.message(role, _parts(spoken, record), origin, record.node.string("timestamp"))
    if role is Role.ASSISTANT:
        gathering.answer(message, model=spoken.string("model"), usage=_usage(spoken))
    else:
        gathering.add(message)


def _parts(spoken: JsonNode, record: Record) -> tuple[Part, ...]:
    match spoken.string("role"):
        case "toolResult":
            inner = tuple(part for part in _content(spoken, record) if isinstance(part, Text | Media | Opaque))
            is_error = as_object(spoken.value).get("isError") is True
            return (ToolResult(spoken.string("toolCallId"), inner, is_error),)
        case "bashExecution":
            return (Text(f"{spoken.string('command')}\n{spoken.string('output')}"),)
        case "branchSummary" | "compactionSummary":
            return (Text(spoken.string("summary")),)
        case _:
            return _content(spoken, record)


def _content(owner: JsonNode, record: Record) -> tuple[Part, ...]:
    content = owner.get("content")
    if content is None:
        return ()
    if isinstance(content.value, str):
        return (Text(content.value),) if content.value else ()
    return tuple(_block(block, record) for block in content.items())


def _block(block: JsonNode, record: Record) -> Part:
    match block.value:
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "thinking"}:
            redacted = as_object(block.value).get("redacted") is True
            return Reasoning(block.string("thinking"), block.string("thinkingSignature") or None, redacted)
        case {"type": "toolCall"}:
            arguments = block.get("arguments")
            written = "" if arguments is None else arguments.source
            return ToolCall(block.string("id"), block.string("name"), written)
        case {"type": "image"}:
            return inline(block.get("data"), block.string("mimeType"), record.intake)
        case _:
            return Opaque(block.string("type"), block.source)


def _usage(spoken: JsonNode) -> Usage | None:
    usage = spoken.get("usage")
    figures = None if usage is None else decoded(usage.source.encode(), dict[str, object])
    if figures is None:
        return None
    cached, cache_write = count(figures, "cacheRead"), count(figures, "cacheWrite")
    whole = count(figures, "input") + cached + cache_write
    # An answer that was stopped before its end reports nothing.
    return (
        Usage(input=whole, cached=cached, cache_write=cache_write, output=count(figures, "output")) if whole else None
    )
