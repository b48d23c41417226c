"""Reads event files of Copilot CLI: one JSON event a line, `events.jsonl` in a session's folder.

The client sends a person's words with a time before them and reminders behind: what it added is a message of its
own, as `Origin.INJECTED`. Its system text is the frame's. The file reports the output of each call but not its
input, so calls have no usage unless the client was told to write its usage events too.
Format: `session-events.ts` of github/copilot-sdk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from unabridged.importers.attached import Record, inline
from unabridged.importers.detection import Head
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import Fields, decoded, text_of
from unabridged.importers.lines import Problems, each_line, sentences
from unabridged.message import Media, Message, Origin, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.report import Usage
from unabridged.wire.json_text import JsonNode, as_object, count

FORMAT = "copilot_cli"

_KINDS = ("session.", "user.", "assistant.", "tool.", "system.", "hook.")


class CopilotCli:
    """Event files of Copilot CLI; those of VS Code's chat have the same form."""

    name = "Copilot CLI session"

    def recognises(self, head: Head) -> bool:
        """Tell by the envelope of the events."""
        return any(map(_is_event, head.objects))

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give the main conversation first, then sub-agents and what was rewound."""
        found: Problems = []
        session = _Session()
        for number, raw in each_line(data, msgspec.Raw, found):
            session.take(number, Record(FORMAT, str(raw, "utf-8")))
        return conversations(session.all(), data, name, sentences(found))


def _is_event(record: Fields) -> bool:
    return {"type", "data", "parentId"} <= record.keys() and text_of(record, "type").startswith(_KINDS)


class _Session:
    """Takes the events of a file in order."""

    def __init__(self) -> None:
        self._gathered = {"": Gathering()}
        self._rewound: list[Gathering] = []
        self._places: dict[str, int] = {}
        """How many messages the main conversation had when an event came."""
        self._asked_by_user: set[str] = set()
        self._model = ""
        self._takers: dict[str, Callable[[Gathering, JsonNode, Record], None]] = {
            "system.message": self._system,
            "user.message": self._user,
            "assistant.message": self._assistant,
            "assistant.usage": self._usage,
            "tool.user_requested": self._requested,
            "tool.execution_complete": self._result,
            "session.compaction_complete": self._compaction,
            "session.snapshot_rewind": self._rewind,
            "session.start": self._start,
            "session.model_change": self._start,
            "system.notification": self._injected,
            "skill.invoked": self._injected,
        }

    def all(self) -> list[Gathering]:
        """Give every conversation."""
        return [*self._gathered.values(), *self._rewound]

    def take(self, number: int, record: Record) -> None:
        """Take one event; kinds that say nothing to the model are passed over."""
        kind, data = record.node.string("type"), record.node.get("data")
        key = record.node.string("agentId") or ("" if data is None else data.string("parentToolCallId"))
        gathering = self._gathered.setdefault(key, Gathering(key))
        self._places[record.node.string("id")] = len(self._gathered[""].messages)
        taker = self._takers.get(kind)
        if taker is None:
            return
        if data is None or not isinstance(data.value, dict):
            gathering.problems.append(f"line {number}: an event of the type `{kind}` without data")
            return
        taker(gathering, data, record)
        gathering.media |= record.intake.blobs

    def _start(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        self._model = data.string("newModel") or data.string("selectedModel") or self._model

    def _system(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        # It is written anew with every turn; where it changed, the last one is what a next request would carry.
        gathering.frame = msgspec.structs.replace(gathering.frame, system=())
        gathering.system(data.string("content"))

    def _user(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        typed, sent = data.string("content"), data.string("transformedContent")
        before, _, after = sent.partition(typed) if typed and typed in sent else ("", "", "")
        attachments = data.get("attachments")
        blobs = [] if attachments is None else attachments.items()
        pictures = [_attachment(blob, record) for blob in blobs if blob.string("type") == "blob"]
        _add_injected(gathering, before, record)
        origin = Origin.HUMAN if data.string("source") in ("", "user") else Origin.INJECTED
        parts: tuple[Part, ...] = (*([Text(typed)] if typed else []), *pictures)
        gathering.add(record.message(Role.USER, parts, origin, _time(record)))
        _add_injected(gathering, after, record)

    def _assistant(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        requests = data.get("toolRequests")
        signature = data.string("reasoningOpaque") or data.string("encryptedContent")
        thoughts = data.string("reasoningText")
        parts: list[Part] = [Reasoning(thoughts, signature or None)] if thoughts or signature else []
        parts += [Text(data.string("content"))] if data.string("content") else []
        parts += [] if requests is None else map(_call, requests.items())
        message = record.message(Role.ASSISTANT, tuple(parts), Origin.MODEL, _time(record))
        gathering.answer(message, model=data.string("model") or self._model)

    def _usage(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        figures = decoded(data.source.encode(), dict[str, object]) or {}
        if gathering.calls and count(figures, "inputTokens"):
            usage = Usage(
                input=count(figures, "inputTokens"),
                cached=count(figures, "cacheReadTokens"),
                cache_write=count(figures, "cacheWriteTokens"),
                output=count(figures, "outputTokens"),
            )
            gathering.used(max(gathering.calls), usage)

    def _requested(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        self._asked_by_user.add(data.string("toolCallId"))

    def _result(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        id, parts = data.string("toolCallId"), _output(data, record)
        if id in self._asked_by_user:
            gathering.add(record.message(Role.USER, parts, Origin.INJECTED, _time(record)))
            return
        result = ToolResult(id, parts, as_object(data.value).get("success") is False)
        gathering.add(record.message(Role.TOOL, (result,), Origin.TOOL_FEEDBACK, _time(record)))

    def _compaction(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        summary = data.string("summaryContent")
        if summary:
            gathering.add(record.message(Role.USER, (Text(summary),), Origin.CLIENT_SUMMARY, _time(record)))

    def _rewind(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        place = self._places.get(data.string("upToEventId"))
        if place is not None and place < len(gathering.messages):
            self._rewound.append(gathering.left(place, f"rewound-{len(self._rewound) + 1}"))

    def _injected(self, gathering: Gathering, data: JsonNode, record: Record) -> None:
        _add_injected(gathering, data.string("content"), record)


def _add_injected(gathering: Gathering, text: str, record: Record) -> None:
    if text.strip():
        message = Message(
            id="", role=Role.USER, parts=(Text(text.strip()),), origin=Origin.INJECTED, time=_time(record)
        )
        gathering.add(message)


def _time(record: Record) -> str | None:
    return record.node.string("timestamp") or None


def _call(request: JsonNode) -> ToolCall:
    arguments = request.get("arguments")
    text = "" if arguments is None else arguments.value if isinstance(arguments.value, str) else arguments.source
    custom = request.string("type") == "custom"
    return ToolCall(request.string("toolCallId"), request.string("name"), text, custom)


def _output(data: JsonNode, record: Record) -> tuple[Text | Media, ...]:
    result, error = data.get("result"), data.get("error")
    if result is None or result.value is None:
        return (Text("" if error is None else error.string("message")),)
    pictures = result.get("binaryResultsForLlm")
    found = [] if pictures is None else [_attachment(picture, record) for picture in pictures.items()]
    text = result.value if isinstance(result.value, str) else result.string("content")
    return (Text(text), *found)


def _attachment(blob: JsonNode, record: Record) -> Media:
    return inline(blob.get("data"), blob.string("mimeType"), record.intake)
