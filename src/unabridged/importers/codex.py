"""Reads rollouts of Codex: one JSON record a line, which hold items of OpenAI Responses as they went over the wire.

Items that one model call gave are one message, or several where the model thought anew between them. A user's item is
a person's if an event says that its text was typed; without such events, the tags that the client writes tell. Where
the client compacted, it wrote down the history that it went on with: what is new in it comes behind what was said
before, which stays, the summary as `Origin.CLIENT_SUMMARY`. Where the file does not hold the summary, an opaque part
marks the place. Base instructions are the frame's.
Format: `codex-rs/protocol/src` of openai/codex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from unabridged.errors import BadInput
from unabridged.importers.codex_answers import Answers
from unabridged.importers.detection import Head
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import NOTHING, Fields, decoded, fields_of, text_of
from unabridged.importers.lines import Problems, each_line, sentences
from unabridged.message import Message, Opaque, Origin, Raw, Role, Text
from unabridged.wire import wire
from unabridged.wire.json_text import quote

FORMAT = "codex"
DIALECT = "openai_responses"

_KINDS = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_TOLD = ("message", "replacement_history")
_SUMMARY = "Another language model started to solve this problem and produced a summary"
_TAGS = (
    "environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill|user_shell_command|subagent_notification"
    "|permissions instructions|collaboration_mode|apps_instructions|skills_instructions|model_switch"
)
_INJECTED = re.compile(rf"\s*(?:# AGENTS\.md instructions|<(?:{_TAGS})\b)")


class _Line(msgspec.Struct, frozen=True):
    type: str = ""
    timestamp: str | None = None
    payload: msgspec.Raw = NOTHING


class _Item(msgspec.Struct, frozen=True):
    type: str = ""
    role: str = ""


class _Compacted(msgspec.Struct, frozen=True):
    message: str = ""
    replacement_history: list[msgspec.Raw] | None = None


class Codex:
    """Rollouts of Codex, as they lie in its `sessions` folder."""

    name = "Codex rollout"

    def recognises(self, head: Head) -> bool:
        """Tell by the envelope of the records."""
        return any("payload" in each and text_of(each, "type") in _KINDS for each in head.objects)

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give the one conversation of a rollout."""
        found: Problems = []
        rollout = _Rollout()
        for number, line in each_line(data, _Line, found):
            try:
                rollout.take(number, line)
            except BadInput as error:
                found.append((number, str(error)))
        return conversations([rollout.done()], data, name, sentences(found))


class _Rollout:
    """Takes the records of a file in order."""

    def __init__(self) -> None:
        self._gathering = Gathering(dialect=DIALECT)
        self._answers = Answers(self._gathering)
        self._fields: dict[str, str] = {}
        self._typed: set[str] = set()
        """What people wrote, as the client's own events have it."""
        self._said: set[tuple[str, str]] = set()
        """Role and text of every message so far: a compaction repeats some."""

    def take(self, number: int, line: _Line) -> None:
        """Take one record."""
        fields = fields_of(line.payload)
        match line.type:
            case "session_meta":
                text = text_of(fields_of(fields.get("base_instructions", NOTHING)), "text")
                if text or text_of(fields, "instructions"):
                    self._fields.setdefault("instructions", quote(text or text_of(fields, "instructions")))
            case "turn_context":
                self._answers.model = text_of(fields, "model") or self._answers.model
            case "event_msg":
                self._event(fields)
            case "response_item":
                self._item(number, line.payload, line.timestamp)
            case "compacted":
                self._compacted(number, line)
            case _:
                pass

    def done(self) -> Gathering:
        """Give the conversation, with everything known that the file says only later."""
        gathering = self._gathering
        if self._answers.model:
            gathering.field("model", quote(self._answers.model))
        for name, text in self._fields.items():
            gathering.field(name, text)
        if self._typed:
            for place, message in enumerate(gathering.messages):
                if message.role is Role.USER and message.origin in (Origin.HUMAN, Origin.INJECTED):
                    origin = Origin.HUMAN if self._is_typed(message) else Origin.INJECTED
                    gathering.replace(place, msgspec.structs.replace(message, origin=origin))
        return gathering

    def _is_typed(self, message: Message) -> bool:
        texts = [part.text for part in message.parts if isinstance(part, Text)]
        return not texts or not self._typed.isdisjoint([*texts, message.text])

    def _event(self, fields: Fields) -> None:
        kind = text_of(fields, "type")
        if kind == "user_message":
            self._typed.add(text_of(fields, "message"))
        elif kind == "token_count":
            self._answers.reported(fields)

    def _item(self, number: int, payload: msgspec.Raw, time: str | None) -> None:
        item, text = decoded(payload, _Item) or _Item(), str(payload, "utf-8")
        if item.type == "ghost_snapshot":
            return  # the client's own note of a state of the files
        if self._answers.is_models(item.type, item.role):
            self._answers.take(item.type, text, time)
            return
        message, media = wire(DIALECT).read_message(text, id=f"of line {number}", time=time)
        self._add(message, media, item.role)

    def _add(self, message: Message, media: dict[str, bytes], role: str) -> None:
        if message.role is Role.USER and message.origin is Origin.HUMAN and _INJECTED.match(message.text):
            message = msgspec.structs.replace(message, origin=Origin.INJECTED)
        if role:
            self._said.add((role, message.text))
        self._answers.interrupted(message)
        if message.role is Role.SYSTEM and not self._gathering.messages:
            frame = self._gathering.frame
            self._gathering.frame = msgspec.structs.replace(frame, system=(*frame.system, message))
        else:
            self._gathering.add(message)
        self._gathering.media |= media

    def _compacted(self, number: int, line: _Line) -> None:
        compacted = decoded(line.payload, _Compacted) or _Compacted()
        before, history = len(self._gathering.messages), compacted.replacement_history or []
        summed_up = False
        for raw in history:
            item = decoded(raw, _Item) or _Item()
            message, media = wire(DIALECT).read_message(str(raw, "utf-8"), id=f"of line {number}", time=line.timestamp)
            is_summary = _SUMMARY in message.text or (bool(compacted.message) and compacted.message in message.text)
            if is_summary:
                message = msgspec.structs.replace(message, origin=Origin.CLIENT_SUMMARY)
            elif message.origin is Origin.HUMAN:
                message = msgspec.structs.replace(message, origin=Origin.INJECTED)
            summed_up = summed_up or is_summary
            if is_summary or (item.role, message.text) not in self._said:
                self._add(message, media, item.role)
        if compacted.message and not summed_up:
            text = (Text(compacted.message),)
            summary = Message(id="", role=Role.USER, parts=text, origin=Origin.CLIENT_SUMMARY, time=line.timestamp)
            self._add(summary, {}, "user")
        if len(self._gathering.messages) == before:
            kept = [
                f"{quote(name)}:{str(raw, 'utf-8')}"
                for name, raw in fields_of(line.payload).items()
                if name not in _TOLD
            ]
            mark = Raw(FORMAT, "{" + ",".join(kept) + "}")
            parts = (Opaque("compacted", mark.body),)
            self._add(Message(id="", role=Role.USER, parts=parts, origin=Origin.CLIENT_SUMMARY, raw=mark), {}, "")
            self._gathering.problems.append(
                f"line {number}: the client compacted here, and its summary is not in the file"
            )
