"""Reads OpenHands: event logs of a session, and outputs of evaluations with one `history` a line.

Two generations of events are told apart by their fields: `action` and `observation`, or `kind` (`openhands_sdk`). Of
the older one this module makes messages. An action carries the model's whole answer; several actions of one answer
are one message. Actions without it (early files) become calls whose id is made of the event's. What a recall gave,
micro-agents and facts of the workspace, was put into the model's input: it is `Origin.INJECTED`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from unabridged.importers.attached import Record
from unabridged.importers.chat_entries import calls, content, thoughts
from unabridged.importers.detection import Head, document_of
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import Fields, decoded, fields_of, text_of
from unabridged.importers.lines import Problems, each_line, sentences
from unabridged.importers.openhands_sdk import FORMAT, SdkEvents
from unabridged.message import Media, MediaKind, Message, Origin, Part, Role, Text, ToolCall, ToolResult
from unabridged.report import Usage
from unabridged.wire import wire
from unabridged.wire.data_url import media_at
from unabridged.wire.json_text import JsonNode

_SILENT = {
    "null",
    "agent_state_changed",
    "recall",
    "change_agent_state",
    "system",
    "condensation",
    "condensation_request",
}
"""Actions and observations that are no step of the model."""
_List = list[msgspec.Raw]


class OpenHands:
    """Event logs and evaluation outputs of OpenHands."""

    name = "OpenHands events"

    def recognises(self, head: Head) -> bool:
        """Tell by the fields of an event, or of an evaluation's record."""
        return any(_is_event(each) or {"instance_id", "history"} <= each.keys() for each in head.objects)

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give one conversation for a log, one for each record of an evaluation."""
        found: Problems = []
        document = document_of(data)
        listed = None if document is None else decoded(document, _List)
        if document is not None:
            records: Iterable[tuple[int, msgspec.Raw]] = enumerate(listed or [msgspec.Raw(document)], 1)
        else:
            records = each_line(data, msgspec.Raw, found)
        gathered: list[Gathering] = []
        alone = _Log(Gathering())
        for number, raw in records:
            fields = fields_of(raw)
            history = decoded(fields.get("history", msgspec.Raw()), _List)
            if history is None:
                alone.take(number, raw)
                continue
            log = _Log(Gathering(text_of(fields, "instance_id")))
            for place, event in enumerate(_flat(history), 1):
                log.take(place, event)
            gathered.append(log.gathering)
        return conversations([alone.gathering, *gathered], data, name, sentences(found))


def _is_event(record: Fields) -> bool:
    if text_of(record, "kind"):
        return "source" in record and "id" in record
    return bool({"action", "observation"} & record.keys()) and bool({"source", "args", "extras"} & record.keys())


def _flat(history: _List) -> Iterator[msgspec.Raw]:
    """Give the events one by one: early outputs hold pairs of an action and its observation."""
    for each in history:
        yield from decoded(each, _List) or [each]


class _Log:
    """Takes the events of one conversation in order."""

    def __init__(self, gathering: Gathering) -> None:
        self.gathering = gathering
        self._sdk = SdkEvents(gathering)
        self._response = ""
        self._by_user: set[str] = set()
        """Events of actions that a person took, not the model."""

    def take(self, number: int, raw: msgspec.Raw) -> None:
        """Take one event."""
        record = Record(FORMAT, str(raw, "utf-8"))
        event = record.node
        if event.string("kind"):
            self._sdk.take(record)
        elif event.string("action"):
            self._action(record, event.string("action"))
        elif event.string("observation"):
            self._observation(record, event.string("observation"))
        else:
            self.gathering.problems.append(f"event {number}: neither an action nor an observation")
        self.gathering.media |= record.intake.blobs

    def _action(self, record: Record, action: str) -> None:
        event, args = record.node, record.node.get("args")
        if action == "system" and args is not None:
            self.gathering.system(args.string("content"))
            tools = args.get("tools")
            if tools is not None and tools.items():
                self.gathering.field("tools", tools.source)
        elif action == "condensation" and args is not None and args.string("summary"):
            summary = (Text(args.string("summary")),)
            self.gathering.add(record.message(Role.USER, summary, Origin.CLIENT_SUMMARY, _time(event)))
        elif action in _SILENT:
            pass
        elif event.string("source") == "user":
            self._user(record, action)
        else:
            self._answer(record, action)

    def _user(self, record: Record, action: str) -> None:
        parts = _said(record)
        if action == "message":
            self.gathering.add(record.message(Role.USER, parts, Origin.HUMAN, _time(record.node)))
            return
        self._by_user.add(_id_of(record.node, "id"))
        command = _arguments(record.node)
        self.gathering.add(record.message(Role.USER, (Text(command),), Origin.INJECTED, _time(record.node)))

    def _answer(self, record: Record, action: str) -> None:
        event = record.node
        response = _response(event)
        if response is None:
            parts: tuple[Part, ...] = _said(record)
            if action != "message":
                parts = (*parts, ToolCall(_id_of(event, "id"), action, _arguments(event)))
            self.gathering.answer(record.message(Role.ASSISTANT, parts, Origin.MODEL, _time(event)))
            return
        id = response.string("id")
        if id and id == self._response:
            return
        self._response = id
        choices = response.get("choices")
        spoken = None if choices is None or not choices.items() else choices.items()[0].get("message")
        parts = () if spoken is None else (*thoughts(spoken), *content(spoken, record.intake), *calls(spoken))
        message = record.message(Role.ASSISTANT, parts, Origin.MODEL, _time(event))
        self.gathering.answer(message, model=response.string("model"), usage=_usage(response))

    def _observation(self, record: Record, observation: str) -> None:
        event, time = record.node, _time(record.node)
        if observation == "recall":
            for text in _recalled(event):
                self.gathering.add(_told(Role.USER, Text(text), Origin.INJECTED, time))
            return
        if observation in _SILENT:
            return
        metadata = event.get("tool_call_metadata")
        called = "" if metadata is None else metadata.string("tool_call_id")
        output = Text(event.string("content"))
        if not called and _id_of(event, "cause") in self._by_user:
            self.gathering.add(_told(Role.USER, output, Origin.INJECTED, time))
        elif not called and event.get("cause") is None:
            self.gathering.add(_told(Role.USER, output, Origin.TOOL_FEEDBACK, time))
        else:
            result = ToolResult(called or _id_of(event, "cause"), (output,), observation == "error")
            self.gathering.add(_told(Role.TOOL, result, Origin.TOOL_FEEDBACK, time))


def _told(role: Role, part: Part, origin: Origin, time: str | None) -> Message:
    # Its record repeats the answer that it is for: it is not kept.
    return Message(id="", role=role, parts=(part,), origin=origin, time=time)


def _time(event: JsonNode) -> str | None:
    return event.string("timestamp") or None


def _id_of(event: JsonNode, member: str) -> str:
    node = event.get(member)
    return "" if node is None or node.value is None else f"event-{node.source}"


def _said(record: Record) -> tuple[Text | Media, ...]:
    args = record.node.get("args")
    if args is None:
        return ()
    text = args.string("content") or args.string("thought")
    listed = args.get("image_urls")
    urls = [] if listed is None else [(url, url.value) for url in listed.items()]
    pictures = [media_at(MediaKind.IMAGE, url, link, record.intake) for url, link in urls if isinstance(link, str)]
    return (*([Text(text)] if text else []), *pictures)


def _arguments(event: JsonNode) -> str:
    args = event.get("args")
    return "{}" if args is None else args.source


def _response(event: JsonNode) -> JsonNode | None:
    metadata = event.get("tool_call_metadata")
    response = None if metadata is None else metadata.get("model_response")
    return None if response is None or response.value is None else response


def _usage(response: JsonNode) -> Usage | None:
    usage = response.get("usage")
    figures = None if usage is None else decoded(usage.source.encode(), dict[str, object])
    return None if figures is None else wire("openai_chat").usage({"usage": figures})


def _recalled(event: JsonNode) -> Iterator[str]:
    extras = event.get("extras")
    if extras is None:
        return
    for name in ("repo_instructions", "additional_agent_instructions"):
        if extras.string(name):
            yield extras.string(name)
    knowledge = extras.get("microagent_knowledge")
    for each in [] if knowledge is None else knowledge.items():
        if each.string("content"):
            yield each.string("content")
