"""Events of OpenHands' software-agent SDK, told by their `kind`.

Actions of one answer share `llm_response_id` and are one message. What the client put behind a person's words or a
tool's output (`extended_content`) is a message of its own. Format: `openhands-sdk/openhands/sdk/event` of
OpenHands/software-agent-sdk.
"""

from __future__ import annotations

import msgspec

from unabridged.importers.attached import Record
from unabridged.importers.chat_entries import calls, thoughts
from unabridged.importers.gathering import Gathering
from unabridged.message import Media, MediaKind, Message, Opaque, Origin, Part, Role, Text, ToolCall, ToolResult
from unabridged.wire.data_url import media_at
from unabridged.wire.json_text import JsonNode

FORMAT = "openhands"

_REFUSALS = {"UserRejectObservation": "rejection_reason", "AgentErrorEvent": "error"}
_SUMMARIES = ("Condensation", "CondensationSummaryEvent")


class SdkEvents:
    """Takes the events of one conversation in order."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._response = ""

    def take(self, record: Record) -> None:
        """Take one event; kinds that say nothing to the model are passed over."""
        event = record.node
        match event.string("kind"):
            case "SystemPromptEvent":
                prompt = event.get("system_prompt")
                self._gathering.system("" if prompt is None else prompt.string("text"))
            case "MessageEvent":
                self._message(record)
            case "ActionEvent":
                self._action(record)
            case "ObservationEvent":
                observation = event.get("observation")
                self._result(record, () if observation is None else _observed(observation, record))
                self._extended(record)
            case kind if kind in _REFUSALS:
                self._result(record, (Text(event.string(_REFUSALS[kind])),), is_error=True)
            case kind if kind in _SUMMARIES and event.string("summary"):
                self._add(record, Role.USER, (Text(event.string("summary")),), Origin.CLIENT_SUMMARY)
            case _:
                pass

    def _message(self, record: Record) -> None:
        spoken = record.node.get("llm_message")
        if spoken is None:
            return
        parts: tuple[Part, ...] = (*thoughts(spoken), *_blocks(spoken.get("content"), record), *calls(spoken))
        if record.node.string("source") == "agent":
            self._gathering.answer(record.message(Role.ASSISTANT, parts, Origin.MODEL, _time(record)))
            self._response = ""
        else:
            origin = Origin.HUMAN if record.node.string("source") == "user" else Origin.INJECTED
            self._add(record, Role.USER, parts, origin)
        self._extended(record)

    def _action(self, record: Record) -> None:
        event, written = record.node, record.node.get("tool_call")
        call = ToolCall(event.string("tool_call_id"), event.string("tool_name"), _arguments(written))
        id, messages = event.string("llm_response_id"), self._gathering.messages
        if id and id == self._response and self._gathering.calls:
            place = max(self._gathering.calls)
            self._gathering.replace(
                place, msgspec.structs.replace(messages[place], parts=(*messages[place].parts, call))
            )
            return
        self._response = id
        parts: tuple[Part, ...] = (*thoughts(event), *_blocks(event.get("thought"), record), call)
        self._gathering.answer(record.message(Role.ASSISTANT, parts, Origin.MODEL, _time(record)))

    def _result(self, record: Record, parts: tuple[Text | Media | Opaque, ...], *, is_error: bool = False) -> None:
        result = ToolResult(record.node.string("tool_call_id"), parts, is_error)
        self._add(record, Role.TOOL, (result,), Origin.TOOL_FEEDBACK)

    def _extended(self, record: Record) -> None:
        more = _blocks(record.node.get("extended_content"), record)
        if more:
            message = Message(id="", role=Role.USER, parts=more, origin=Origin.INJECTED, time=_time(record))
            self._gathering.add(message)

    def _add(self, record: Record, role: Role, parts: tuple[Part, ...], origin: Origin) -> None:
        self._gathering.add(record.message(role, parts, origin, _time(record)))


def _time(record: Record) -> str | None:
    return record.node.string("timestamp") or None


def _arguments(call: JsonNode | None) -> str:
    function = None if call is None else call.get("function") or call
    return "{}" if function is None else function.string("arguments") or "{}"


def _observed(observation: JsonNode, record: Record) -> tuple[Text | Media | Opaque, ...]:
    """Read what a tool gave back; tools of early versions have fields of their own in place of content."""
    parts = _blocks(observation.get("content"), record)
    return parts or (Text(observation.string("output") or observation.string("text") or observation.source),)


def _blocks(content: JsonNode | None, record: Record) -> tuple[Text | Media | Opaque, ...]:
    if content is None:
        return ()
    if isinstance(content.value, str):
        return (Text(content.value),) if content.value else ()
    parts: list[Text | Media | Opaque] = []
    for block in content.items():
        match block.value:
            case {"type": "text", "text": str(text)}:
                parts.append(Text(text))
            case {"type": "image", "image_urls": list()}:
                urls = block.member("image_urls").items()
                parts += [media_at(MediaKind.IMAGE, url, str(url.value), record.intake) for url in urls]
            case _:
                parts.append(Opaque(block.string("type"), block.source))
    return tuple(parts)
