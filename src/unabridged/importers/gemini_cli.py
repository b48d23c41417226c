"""Reads chats of Gemini CLI: recorded sessions, as one document or as lines, and saved checkpoints.

A record of type `gemini` holds an answer with its calls and what they gave: the answer and one message for each
result come of it. In files of lines a record is written again as it grows, the last one counts; when the client
compresses, it writes down its new history: what is new in it, the summary, comes behind what was said before, which
stays. What was rewound is a conversation of its own. Records of type `info`, `warning` and `error` are notices to the
person. Format: `chatRecordingTypes.ts` of google-gemini/gemini-cli.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.errors import BadInput
from unabridged.importers.attached import Record
from unabridged.importers.detection import Head, document_of
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import Fields, decoded, fields_of, text_of
from unabridged.importers.lines import Problems, each_line, sentences
from unabridged.message import Media, Message, Opaque, Origin, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.report import Usage
from unabridged.wire import wire
from unabridged.wire.gemini.places import Place, read_place
from unabridged.wire.json_text import JsonNode, count
from unabridged.wire.patching import apply

FORMAT = "gemini_cli"
DIALECT = "gemini"

_SUMMARY = "<state_snapshot>"
_INJECTED = ("This is the Gemini CLI. We are setting up the context", "<session_context>", "<hook_context>", "System: ")


class GeminiCli:
    """Chats of Gemini CLI, as they lie in its `chats` folder, and what `/chat save` writes."""

    name = "Gemini CLI session"

    def recognises(self, head: Head) -> bool:
        """Tell by the fields of a session, or by contents in a list."""
        first = next(iter(head.objects), Fields())
        if {"sessionId", "projectHash"} <= first.keys():
            return True
        contents = _contents(head.document)
        return bool(contents) and all({"role", "parts"} <= fields_of(each).keys() for each in contents)

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give the conversation as it went on first, then what was rewound."""
        found: Problems = []
        document = document_of(data)
        contents = _contents(document)
        if contents:
            return conversations([_checkpoint(contents)], data, name)
        chat = _Chat()
        messages = None if document is None else decoded(fields_of(document).get("messages", msgspec.Raw()), _List)
        for number, raw in enumerate(messages, 1) if messages is not None else each_line(data, msgspec.Raw, found):
            chat.take(number, raw)
        return conversations(chat.all(), data, name, sentences(found))


_List = list[msgspec.Raw]


def _contents(document: bytes | None) -> list[msgspec.Raw]:
    """Give the contents of a checkpoint: a list of them, or one under `history`."""
    if document is None:
        return []
    listed = decoded(document, _List)
    return (decoded(fields_of(document).get("history", msgspec.Raw()), _List) or []) if listed is None else listed


class _Line(msgspec.Struct, frozen=True):
    """What is needed of a line to know what it does to the chat."""

    id: str | None = None
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")
    set: dict[str, msgspec.Raw] | None = msgspec.field(default=None, name="$set")


class _Kept(msgspec.Struct, frozen=True):
    number: int
    raw: msgspec.Raw
    is_new: bool = False
    """The client put it into a history that it rewrote: nobody said it."""


class _Chat:
    """Follows the lines of a file: records that are written again, taken back or put in by a rewritten history."""

    def __init__(self) -> None:
        self._records: dict[str, _Kept] = {}
        self._rewound: list[tuple[str, list[_Kept]]] = []

    def all(self) -> list[Gathering]:
        """Give the chat as it is, and each part that was taken back, with what stood before it."""
        return [_gathered(key, kept) for key, kept in [("", list(self._records.values())), *self._rewound]]

    def take(self, number: int, raw: msgspec.Raw) -> None:
        """Take a line, or a message of a document."""
        line = decoded(raw, _Line) or _Line()
        if line.rewind_to is not None:
            self._rewind(line.rewind_to)
        elif line.id is not None:
            self._records[line.id] = _Kept(number, raw)
        elif line.set is not None:
            for each in decoded(line.set.get("messages", msgspec.Raw()), _List) or []:
                id = text_of(fields_of(each), "id")
                self._records.setdefault(id, _Kept(number, each, is_new=True))

    def _rewind(self, id: str) -> None:
        if not self._records:
            return
        before = list(self._records.items())
        kept = next((at for at, (key, _) in enumerate(before) if key == id), 0)
        self._rewound.append((f"rewound-{len(self._rewound) + 1}", [record for _, record in before]))
        self._records = dict(before[:kept])


def _gathered(key: str, kept: list[_Kept]) -> Gathering:
    reading = _Reading(Gathering(key, DIALECT))
    for each in kept:
        text = str(each.raw, "utf-8")
        match text_of(fields_of(each.raw), "type"):
            case "user":
                reading.user(Record(FORMAT, text))
            case "gemini":
                reading.answer(text, made_up=each.is_new)
            case "info" | "warning" | "error":
                pass
            case kind:
                reading.gathering.problems.append(f"line {each.number}: a message of the unknown type {kind!r}")
    return reading.gathering


def _checkpoint(contents: list[msgspec.Raw]) -> Gathering:
    gathering = Gathering(dialect=DIALECT)
    for number, raw in enumerate(contents, 1):
        try:
            message, media = wire(DIALECT).read_message(str(raw, "utf-8"), id=f"{number} of the checkpoint")
        except BadInput as error:
            gathering.problems.append(str(error))
            continue
        gathering.media |= media
        if message.role is Role.ASSISTANT:
            gathering.answer(message)
        else:
            human = message.origin is Origin.HUMAN
            origin = _origin_of(list(message.parts)) if human else message.origin
            gathering.add(msgspec.structs.replace(message, origin=origin))
    return gathering


class _Reading:
    """Makes messages of the records of one conversation, in order."""

    def __init__(self, gathering: Gathering) -> None:
        self.gathering = gathering
        self._answered: set[str] = set()
        """Calls whose result stood with the call: a rewritten history repeats it."""

    def user(self, record: Record) -> None:
        """Take what a person wrote, what the client wrote for one, or results."""
        parts = _parts(record)
        told = [part for part in parts if not isinstance(part, ToolResult) or part.call_id not in self._answered]
        if not told and parts:
            return
        if told and all(isinstance(part, ToolResult) for part in told):
            role, origin = Role.TOOL, Origin.TOOL_FEEDBACK
        else:
            role, origin = Role.USER, _origin_of(told)
        self._add(record, record.message(role, tuple(told), origin, _time(record)))

    def answer(self, text: str, *, made_up: bool) -> None:
        """Take an answer with its calls, and the results that stand with them."""
        node = JsonNode.parse(text, "a record")
        calls = node.get("toolCalls")
        results = [] if calls is None else [(each, each.get("result")) for each in calls.items()]
        given = [(call, result) for call, result in results if result is not None and result.value is not None]
        record = Record(FORMAT, apply(text, [result.replaced("null") for _, result in given]))
        self._spoken(record, made_up=made_up)
        for call, result in given:
            self._result(call, result, node.string("timestamp"))

    def _spoken(self, record: Record, *, made_up: bool) -> None:
        """Take an answer by itself. One that nobody asked a model for is the client's."""
        parts, calls = _parts(record), record.node.get("toolCalls")
        if not any(isinstance(part, Reasoning) and part.text for part in parts):
            parts[:0] = _thoughts(record.node)
        if calls is not None and not any(isinstance(part, ToolCall) for part in parts):
            parts += map(_call, calls.items())
        model = record.node.string("model")
        if made_up and not model:
            self._add(record, record.message(Role.ASSISTANT, tuple(parts), Origin.INJECTED, _time(record)))
            return
        message = record.message(Role.ASSISTANT, tuple(parts), Origin.MODEL, _time(record))
        self.gathering.answer(message, model=model, usage=_usage(record.node))
        self.gathering.media |= record.intake.blobs

    def _result(self, call: JsonNode, written: JsonNode, time: str) -> None:
        record = Record(FORMAT, written.source)
        is_error, inner = call.string("status") == "error", list[Text | Media | Opaque]()
        for part in _pieces(record.node, record):
            match part:
                case ToolResult(parts=parts, is_error=failed):
                    inner += parts
                    is_error = is_error or failed
                case Text() | Media() | Opaque():
                    inner.append(part)
                case _:
                    pass
        id = call.string("id")
        self._answered.add(id)
        result = ToolResult(id, tuple(inner), is_error)
        self._add(record, record.message(Role.TOOL, (result,), Origin.TOOL_FEEDBACK, call.string("timestamp") or time))

    def _add(self, record: Record, message: Message) -> None:
        self.gathering.add(message)
        self.gathering.media |= record.intake.blobs


def _parts(record: Record) -> list[Part]:
    content = record.node.get("content")
    return [] if content is None else list(_pieces(content, record))


def _pieces(content: JsonNode, record: Record) -> Iterator[Part]:
    """Read a text, a part of Gemini's contents, or a list of either."""
    for piece in content.items() if isinstance(content.value, list) else [content]:
        if isinstance(piece.value, str):
            yield from [Text(piece.value)] if piece.value else []
        elif piece.value is not None:
            yield read_place(Place(0, piece), record.intake)


def _call(call: JsonNode) -> ToolCall:
    arguments = call.get("args")
    written = "{}" if arguments is None or arguments.value is None else arguments.source
    return ToolCall(call.string("id"), call.string("name"), written)


def _origin_of(parts: list[Part]) -> Origin:
    texts = [part.text.lstrip() for part in parts if isinstance(part, Text)]
    if texts and texts[0].startswith(_SUMMARY):
        return Origin.CLIENT_SUMMARY
    is_injected = bool(texts) and len(texts) == len(parts) and all(text.startswith(_INJECTED) for text in texts)
    return Origin.INJECTED if is_injected else Origin.HUMAN


def _thoughts(node: JsonNode) -> list[Part]:
    thoughts = node.get("thoughts")
    found = [] if thoughts is None else thoughts.items()
    texts = ("\n".join(filter(None, (each.string("subject"), each.string("description")))) for each in found)
    return [Reasoning(text) for text in texts if text]


def _time(record: Record) -> str | None:
    return record.node.string("timestamp") or None


def _usage(node: JsonNode) -> Usage | None:
    tokens = node.get("tokens")
    figures = None if tokens is None else decoded(tokens.source.encode(), dict[str, object])
    if figures is None or not count(figures, "input"):
        return None
    thoughts = count(figures, "thoughts")
    return Usage(
        input=count(figures, "input"),
        cached=count(figures, "cached"),
        output=count(figures, "output") + thoughts,
        reasoning=thoughts,
    )
