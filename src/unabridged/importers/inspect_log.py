"""Reads logs of Inspect evaluations: JSON, or the `.eval` archive that is a zip of it. One conversation a sample.

What the log calls `input` is the task. Other user messages were put in by a solver or a scorer, nobody typed them.
Usage stands in the events of model calls, which hold the answer's id. Format: `inspect_ai.log` of
UKGovernmentBEIS/inspect_ai.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator

import msgspec

from unabridged.errors import BadInput
from unabridged.importers.attached import Record, inline
from unabridged.importers.detection import Head, document_of
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import decoded, fields_of, text_of
from unabridged.message import Media, MediaKind, Opaque, Origin, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.report import Usage
from unabridged.wire.data_url import media_at
from unabridged.wire.json_text import JsonNode, as_object, count

FORMAT = "inspect"

_ZIP = b"PK\x03\x04"
_ARCHIVED = ("header.json", "_journal/start.json")
_MEDIA = {"image": MediaKind.IMAGE, "audio": MediaKind.AUDIO, "video": MediaKind.VIDEO, "document": MediaKind.DOCUMENT}
_List = list[msgspec.Raw]


class _Event(msgspec.Struct, frozen=True):
    event: str = ""
    model: str = ""
    output: msgspec.Raw = msgspec.Raw(b"null")


class _Sample(msgspec.Struct, frozen=True):
    messages: list[msgspec.Raw]
    id: int | str = ""
    epoch: int = 1
    events: list[_Event] = []
    attachments: dict[str, str] = {}


class InspectLog:
    """Logs of Inspect."""

    name = "Inspect log"

    def recognises(self, head: Head) -> bool:
        """Tell by the fields of a log, or by what is in its archive."""
        if head.start.startswith(_ZIP):
            return not _archived(head.data).isdisjoint(_ARCHIVED)
        return any({"eval", "samples"} <= each.keys() for each in head.objects)

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give a conversation for each sample and epoch."""
        if data.startswith(_ZIP):
            raws = _unzipped(data, name)
        else:
            samples = fields_of(document_of(data) or b"").get("samples", msgspec.Raw())
            raws = [bytes(raw) for raw in decoded(samples, _List) or []]
        gathered: list[Gathering] = []
        problems: list[str] = []
        for number, raw in enumerate(raws, 1):
            sample = decoded(raw, _Sample)
            if sample is None:
                problems.append(f"sample {number}: not a record of this format")
            else:
                gathered.append(_gathered(sample))
        return conversations(gathered, data, name, problems)


def _archived(data: bytes) -> set[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError):
        return set()


def _unzipped(data: bytes, name: str) -> list[bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            samples = [each for each in archive.namelist() if each.startswith("samples/") and each.endswith(".json")]
            return [archive.read(each) for each in samples]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError) as error:
        remedy = "write it as JSON with `inspect log convert --to json`"
        raise BadInput(f"{name}: this Inspect archive cannot be unpacked ({error}): {remedy}") from error


def _gathered(sample: _Sample) -> Gathering:
    gathering = Gathering(f"{sample.id}/{sample.epoch}")
    reported = dict(filter(None, map(_reported, sample.events)))
    for number, raw in enumerate(sample.messages, 1):
        # Long texts and pictures may have been moved out: what is shown is what they stand for.
        record = Record(FORMAT, _attached(str(raw, "utf-8"), sample.attachments))
        if not _take(gathering, record, reported.get(record.node.string("id"))):
            gathering.problems.append(f"message {number}: the unknown role {record.node.string('role')!r}")
        gathering.media |= record.intake.blobs
    return gathering


def _attached(text: str, attachments: dict[str, str]) -> str:
    if "attachment://" in text:
        for key, value in attachments.items():
            text = text.replace(f'"attachment://{key}"', msgspec.json.encode(value).decode())
    return text


def _reported(event: _Event) -> tuple[str, Usage] | None:
    """Read of a model call's event which message it gave and what it took."""
    if event.event != "model":
        return None
    output = fields_of(event.output)
    choices = decoded(output.get("choices", msgspec.Raw()), _List) or []
    answer = fields_of(fields_of(choices[0]).get("message", msgspec.Raw())) if choices else {}
    usage = decoded(output.get("usage", msgspec.Raw()), dict[str, object]) or {}
    cached, cache_write = count(usage, "input_tokens_cache_read"), count(usage, "input_tokens_cache_write")
    if not count(usage, "input_tokens"):
        return None
    # Anthropic's input is given without what was cached; of the others' it is a part.
    apart = cached + cache_write + count(usage, "input_tokens") + count(usage, "output_tokens")
    whole = count(usage, "input_tokens") + (cached + cache_write if apart == count(usage, "total_tokens") else 0)
    return text_of(answer, "id"), Usage(
        input=whole,
        cached=cached,
        cache_write=cache_write,
        output=count(usage, "output_tokens"),
        reasoning=count(usage, "reasoning_tokens"),
    )


def _take(gathering: Gathering, record: Record, usage: Usage | None) -> bool:
    entry, parts = record.node, _content(record)
    match entry.string("role"):
        case "system" if not gathering.messages:
            gathering.system("\n".join(part.text for part in parts if isinstance(part, Text)))
        case "system":
            gathering.add(record.message(Role.SYSTEM, parts, Origin.INJECTED))
        case "user":
            asked = any(message.origin is Origin.HUMAN for message in gathering.messages)
            is_input = entry.string("source") == "input" or not asked
            gathering.add(record.message(Role.USER, parts, Origin.HUMAN if is_input else Origin.INJECTED))
        case "assistant":
            answer = record.message(Role.ASSISTANT, (*_thoughts(entry), *parts, *_calls(entry)), Origin.MODEL)
            gathering.answer(answer, model=entry.string("model"), usage=usage)
        case "tool":
            result = _result(entry, parts)
            gathering.add(record.message(Role.TOOL, (result,), Origin.TOOL_FEEDBACK))
        case _:
            return False
    return True


def _result(entry: JsonNode, parts: tuple[Part, ...]) -> ToolResult:
    inner = tuple(part for part in parts if isinstance(part, Text | Media | Opaque))
    error = entry.get("error")
    if error is None or error.value is None:
        return ToolResult(entry.string("tool_call_id"), inner)
    told = error.string("message")
    if told and not any(isinstance(part, Text) and told in part.text for part in inner):
        inner = (*inner, Text(told))
    return ToolResult(entry.string("tool_call_id"), inner, is_error=True)


def _content(record: Record) -> tuple[Part, ...]:
    content = record.node.get("content")
    if content is None:
        return ()
    if isinstance(content.value, str):
        return (Text(content.value),) if content.value else ()
    return tuple(_block(block, record) for block in content.items())


def _block(block: JsonNode, record: Record) -> Part:
    kind = block.string("type")
    match block.value:
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "reasoning"}:
            redacted = as_object(block.value).get("redacted") is True
            thoughts = block.string("reasoning")
            if redacted:  # then they are the provider's encrypted text
                return Reasoning(block.string("summary"), thoughts or None, redacted=True)
            return Reasoning(thoughts, block.string("signature") or None)
        case {"type": "image" | "audio" | "video" | "document"} if isinstance(as_object(block.value).get(kind), str):
            text = block.string(kind)
            if text.startswith("data:") or "://" in text:
                return media_at(_MEDIA[kind], block.member(kind), text, record.intake)
            return inline(block.member(kind), f"{kind}/{block.string('format')}", record.intake, _MEDIA[kind])
        case _:
            return Opaque(kind, block.source)


def _thoughts(entry: JsonNode) -> list[Part]:
    thoughts = entry.string("reasoning")
    return [Reasoning(thoughts)] if thoughts else []


def _calls(entry: JsonNode) -> list[Part]:
    listed = entry.get("tool_calls")
    found: list[Part] = []
    for call in [] if listed is None else listed.items():
        arguments = call.get("arguments")
        text = "{}" if arguments is None else arguments.source
        found.append(ToolCall(call.string("id"), call.string("function"), text, call.string("type") == "custom"))
    return found
