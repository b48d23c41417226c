"""Reads threads of LangGraph: the state of a thread, or a list of states, with LangChain messages under `values`.

Of several states of one thread, which its history lists newest first, the newest counts. A summary that LangChain's
middleware put in place of what it took away is `Origin.CLIENT_SUMMARY`; what it took away is not in the state.
Format: `ThreadState` of LangGraph's API, messages as `langchain_core.messages` writes them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.importers.attached import Record, inline
from unabridged.importers.detection import Head, document_of
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import Fields, decoded, fields_of, text_of
from unabridged.importers.lines import Problems, each_line, sentences
from unabridged.message import Media, Opaque, Origin, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.report import Usage
from unabridged.wire.json_text import JsonNode, as_object, count
from unabridged.wire.openai_chat.blocks import read_block

FORMAT = "langchain"

_List = list[msgspec.Raw]
_TYPES = {"human", "ai", "tool", "system", "function", "developer", "AIMessageChunk", "HumanMessageChunk"}
_SUMMARY = "Here is a summary of the conversation to date:"


class LangGraph:
    """States of threads."""

    name = "LangGraph thread"

    def recognises(self, head: Head) -> bool:
        """Tell by the messages of a state."""
        return any(_has_messages(each) for each in head.objects)

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give one conversation for each thread."""
        found: Problems = []
        document, seen = document_of(data), set[str]()
        if document is None:
            states = [raw for _, raw in each_line(data, msgspec.Raw, found)]
        else:
            states = decoded(document, _List) or [msgspec.Raw(document)]
        gathered: list[Gathering] = []
        for raw in states:
            state = fields_of(raw)
            thread = text_of(fields_of(state.get("metadata", msgspec.Raw())), "thread_id")
            if not thread or thread not in seen:
                gathered.append(_gathered(state))
            seen.add(thread)
        return conversations(gathered, data, name, sentences(found))


def _has_messages(record: Fields) -> bool:
    messages = decoded(fields_of(record.get("values", msgspec.Raw())).get("messages", msgspec.Raw()), list[Fields])
    return bool(messages) and ("lc" in messages[0] or text_of(messages[0], "type") in _TYPES)


def _gathered(state: Fields) -> Gathering:
    gathering = Gathering()
    messages = fields_of(state.get("values", msgspec.Raw())).get("messages", msgspec.Raw())
    for number, raw in enumerate(decoded(messages, _List) or [], 1):
        record = Record(FORMAT, str(raw, "utf-8"))
        kwargs = record.node.get("kwargs")
        message = kwargs if "lc" in as_object(record.node.value) and kwargs is not None else record.node
        if not _take(gathering, record, message):
            gathering.problems.append(f"message {number}: of the unknown type {message.string('type')!r}")
        gathering.media |= record.intake.blobs
    return gathering


def _take(gathering: Gathering, record: Record, message: JsonNode) -> bool:
    parts = _content(message, record)
    match message.string("type").removesuffix("MessageChunk").lower():
        case "human":
            gathering.add(record.message(Role.USER, parts, _origin_of(message, parts)))
        case "system" | "developer":
            gathering.add(record.message(Role.SYSTEM, parts, Origin.INJECTED))
        case "ai":
            answer = record.message(Role.ASSISTANT, (*_thoughts(message), *parts, *_calls(message)), Origin.MODEL)
            metadata = message.get("response_metadata")
            model = "" if metadata is None else metadata.string("model_name") or metadata.string("model")
            gathering.answer(answer, model=model, usage=_usage(message))
        case "tool" | "function":
            inner = tuple(part for part in parts if isinstance(part, Text | Media | Opaque))
            id = message.string("tool_call_id") or message.string("name")
            result = ToolResult(id, inner, message.string("status") == "error")
            gathering.add(record.message(Role.TOOL, (result,), Origin.TOOL_FEEDBACK))
        case _:
            return False
    return True


def _origin_of(message: JsonNode, parts: tuple[Part, ...]) -> Origin:
    kwargs = message.get("additional_kwargs")
    first = parts[0].text if parts and isinstance(parts[0], Text) else ""
    if first.startswith(_SUMMARY) or (kwargs is not None and kwargs.string("lc_source") == "summarization"):
        return Origin.CLIENT_SUMMARY
    is_hidden = kwargs is not None and as_object(kwargs.value).get("hide_from_ui") is True
    return Origin.INJECTED if is_hidden else Origin.HUMAN


def _content(message: JsonNode, record: Record) -> tuple[Part, ...]:
    content = message.get("content")
    if content is None:
        return ()
    if isinstance(content.value, str):
        return (Text(content.value),) if content.value else ()
    found = (_block(block, record) for block in content.items())
    return tuple(part for part in found if part is not None)


def _block(block: JsonNode, record: Record) -> Part | None:
    match block.value:
        case {"type": "tool_use" | "tool_call" | "function_call" | "input_json_delta"}:
            return None  # its calls are told apart by LangChain, as `tool_calls`
        case {"type": "thinking"}:
            return Reasoning(block.string("thinking"), block.string("signature") or None)
        case {"type": "reasoning"}:
            return Reasoning(block.string("reasoning") or block.string("text"), block.string("signature") or None)
        case {"type": "image" | "audio" | "video" | "file", "base64": str()}:
            return inline(block.get("base64"), block.string("mime_type"), record.intake)
        case {"source_type": "base64", "data": str()}:
            return inline(block.get("data"), block.string("mime_type"), record.intake)
        case _:
            return read_block(block, record.intake)


def _thoughts(message: JsonNode) -> list[Part]:
    kwargs = message.get("additional_kwargs")
    thoughts = "" if kwargs is None else kwargs.string("reasoning_content")
    return [Reasoning(thoughts)] if thoughts else []


def _calls(message: JsonNode) -> list[Part]:
    """Read the calls, and those whose arguments were no JSON."""
    found: list[Part] = []
    for member in ("tool_calls", "invalid_tool_calls"):
        listed = message.get(member)
        for call in [] if listed is None else listed.items():
            args = call.get("args")
            text = "" if args is None else args.value if isinstance(args.value, str) else args.source
            found.append(ToolCall(call.string("id"), call.string("name"), text))
    return found


def _usage(message: JsonNode) -> Usage | None:
    usage = message.get("usage_metadata")
    figures = None if usage is None else decoded(usage.source.encode(), dict[str, object])
    if figures is None or not count(figures, "input_tokens"):
        return None
    read, written = as_object(figures.get("input_token_details")), as_object(figures.get("output_token_details"))
    return Usage(
        input=count(figures, "input_tokens"),
        cached=count(read, "cache_read"),
        cache_write=count(read, "cache_creation"),
        output=count(figures, "output_tokens"),
        reasoning=count(written, "reasoning"),
    )
