"""Reads ShareGPT files, as training tools take them: `conversations` of turns with `from` and `value`.

Turns of calls and observations have no ids: each call gets one, and an observation answers the first open call. A text
with calls right behind it is one answer. Calls inside a text (`<tool_call>`, as Hermes models are trained) are read as
calls. Tool schemas go into the frame.
Format: `data/README.md` of hiyouga/LLaMA-Factory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from unabridged.importers.attached import Record
from unabridged.importers.detection import Head, document_of
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import Fields, decoded, fields_of, text_of
from unabridged.importers.lines import Problems, each_line, sentences
from unabridged.message import Message, Origin, Part, Raw, Role, Text, ToolCall, ToolResult

FORMAT = "sharegpt"

_MEMBERS = ("conversations", "conversation")
_HUMAN = {"human", "user"}
_MODEL = {"gpt", "assistant", "chatgpt", "model", "bot", "bing", "bard"}
_CALL = {"function_call", "tool_call", "function-call"}
_RESULT = {"observation", "tool", "function_response", "function-response", "tool_response", "function"}
_CALLED = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
_ANSWERED = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
_List = list[msgspec.Raw]


class _Call(msgspec.Struct, frozen=True):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


class ShareGpt:
    """Training conversations in ShareGPT's form."""

    name = "ShareGPT file"

    def recognises(self, head: Head) -> bool:
        """Tell by turns that say who they are from."""
        return any(map(_is_conversation, head.objects))

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give a conversation for each record."""
        found: Problems = []
        document = document_of(data)
        if document is None:
            records = list(each_line(data, msgspec.Raw, found))
        else:
            records = list(enumerate(decoded(document, _List) or [msgspec.Raw(document)], 1))
        gathered = [_gathered(fields_of(raw)) for _, raw in records]
        return conversations(gathered, data, name, sentences(found))


def _is_conversation(record: Fields) -> bool:
    turns = _turns(record)
    return bool(turns) and {"from", "value"} <= fields_of(turns[0]).keys()


def _turns(record: Fields) -> list[msgspec.Raw]:
    member = next((name for name in _MEMBERS if name in record), "")
    return decoded(record.get(member, msgspec.Raw()), _List) or []


def _gathered(record: Fields) -> Gathering:
    reading = _Reading(Gathering(text_of(record, "id")))
    if text_of(record, "system"):
        reading.gathering.system(text_of(record, "system"))
    tools = _tools(record)
    if tools:
        reading.gathering.field("tools", tools)
    for number, raw in enumerate(_turns(record), 1):
        turn = Record(FORMAT, str(raw, "utf-8"))
        if not reading.take(turn):
            reading.gathering.problems.append(f"turn {number}: from the unknown {turn.node.string('from')!r}")
    return reading.gathering


def _tools(record: Fields) -> str:
    """Give the schemas as OpenAI's `tools`; they may be text that holds JSON."""
    written = text_of(record, "tools").encode() or record.get("tools", msgspec.Raw())
    listed = [(raw, fields_of(raw)) for raw in decoded(written, _List) or []]
    tools = (
        str(raw, "utf-8") if "function" in fields else '{"type":"function","function":' + str(raw, "utf-8") + "}"
        for raw, fields in listed
        if fields
    )
    joined = ",".join(tools)
    return f"[{joined}]" if joined else ""


class _Reading:
    """Takes the turns of one conversation in order."""

    def __init__(self, gathering: Gathering) -> None:
        self.gathering = gathering
        self._open: list[str] = []
        self._number = 0

    def take(self, turn: Record) -> bool:
        """Take a turn; False for one of an unknown kind."""
        speaker, value = turn.node.string("from").lower(), turn.node.string("value")
        if speaker == "system" and not self.gathering.messages:
            self.gathering.system(value)
        elif speaker == "system":
            self.gathering.add(turn.message(Role.SYSTEM, _text(value), Origin.INJECTED))
        elif speaker in _HUMAN:
            self.gathering.add(turn.message(Role.USER, _text(value), Origin.HUMAN))
        elif speaker in _MODEL or speaker in _CALL:
            parts = self._called(value) if speaker in _CALL else self._said(value)
            self._answer(turn.message(Role.ASSISTANT, parts, Origin.MODEL), goes_on=speaker in _CALL)
        elif speaker in _RESULT:
            texts = _ANSWERED.findall(value) or [value]
            results = tuple(ToolResult(self._answered(), _text(text)) for text in texts)
            self.gathering.add(turn.message(Role.TOOL, results, Origin.TOOL_FEEDBACK))
        else:
            return False
        return True

    def _answer(self, message: Message, *, goes_on: bool) -> None:
        """Take an answer. Calls behind a text are of the same one: turns have no other way to say so."""
        messages = self.gathering.messages
        before = messages[-1] if goes_on and messages else None
        if before is None or before.role is not Role.ASSISTANT or before.calls:
            self.gathering.answer(message)
            return
        assert before.raw is not None and message.raw is not None  # every turn has its own form
        raw = Raw(FORMAT, f"[{before.raw.body},{message.raw.body}]")
        joined = msgspec.structs.replace(before, parts=before.parts + message.parts, raw=raw)
        self.gathering.replace(len(messages) - 1, joined)

    def _said(self, value: str) -> tuple[Part, ...]:
        found = _CALLED.findall(value)
        calls = self._calls([decoded(text.encode(), _Call) for text in found])
        return (*_text(_CALLED.sub("", value).strip()), *calls) if calls else _text(value)

    def _called(self, value: str) -> tuple[Part, ...]:
        listed = decoded(value.encode(), list[_Call])
        calls = self._calls([decoded(value.encode(), _Call)] if listed is None else listed)
        return tuple(calls) or _text(value)

    def _calls(self, calls: Sequence[_Call | None]) -> list[ToolCall]:
        """Give the calls their ids; none where one of them is not written as a call is."""
        if not calls or any(call is None for call in calls):
            return []
        made: list[ToolCall] = []
        for call in filter(None, calls):
            self._number += 1
            arguments = decoded(call.arguments, str) or str(call.arguments, "utf-8")
            made.append(ToolCall(f"call-{self._number}", call.name, arguments))
        self._open = [call.id for call in made]
        return made

    def _answered(self) -> str:
        self._number += not self._open
        return self._open.pop(0) if self._open else f"call-{self._number}"


def _text(value: str) -> tuple[Text, ...]:
    return (Text(value),) if value else ()
