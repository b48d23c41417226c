"""Writes session files of pi, which `pi --session` goes on with.

Lines that came from such a file go out as they were, in one chain: each names the line before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from unabridged.exporters.exporter import Losses
from unabridged.exporters.frames import model_of, system_text
from unabridged.exporters.log_file import session_of
from unabridged.exporters.pieces import OpenCalls, arguments_object, base64_of, home_text, plain
from unabridged.exporters.stamps import began, milliseconds_of, time_of, uuid_of
from unabridged.importers import Imported
from unabridged.message import Media, MediaKind, Message, Opaque, Origin, Part, Reasoning, Role, Text, ToolCall
from unabridged.report import Usage
from unabridged.wire.json_text import JsonNode, list_of, object_of, quote
from unabridged.wire.patching import apply
from unabridged.wire.stand_in import stand_in

_FORMAT = "pi"
_FREE = object_of(input="0", output="0", cacheRead="0", cacheWrite="0", total="0")


class Pi:
    """One session, JSON Lines, version 3 of the format."""

    name = "pi"
    about = "a session for `pi --session`"
    suffix = ".pi.jsonl"
    holds_several = False

    def write(self, conversations: Sequence[Imported], losses: Losses) -> Iterator[str]:
        """Give the lines of one conversation."""
        (conversation,) = conversations
        losses.note("system texts are left out: the client brings its own", bool(system_text(conversation.frame)))
        return _Lines(conversation, losses).all()


class _Lines:
    """Writes the lines of one conversation."""

    def __init__(self, conversation: Imported, losses: Losses) -> None:
        self._conversation = conversation
        self._losses = losses
        self._calls = {call.answer: call for call in conversation.calls}
        self._open = OpenCalls()
        self._before = "null"

    def all(self) -> Iterator[str]:
        """Give every line."""
        conversation = self._conversation
        id, time = quote(uuid_of(session_of(conversation))), quote(began(conversation))
        yield object_of(type='"session"', version="3", id=id, timestamp=time, cwd='"/"') + "\n"
        for place, message in enumerate(conversation.messages):
            self._open.see(message)
            own = home_text(message, _FORMAT, conversation.media)
            if own is not None:
                for result in message.results:
                    self._open.answered(result)
            for number, text in enumerate([own] if own is not None else self._entries(place, message)):
                yield self._chained(text, f"{message.id}/{number}")

    def _chained(self, text: str, name: str) -> str:
        """Give a line its place behind the one before."""
        node = JsonNode.parse(text, "a line")
        id = quote(node.string("id") or hashlib.sha256(name.encode()).hexdigest()[:8])
        line = apply(text, [node.with_member("id", id), node.with_member("parentId", self._before)])
        self._before = id
        return line + "\n"

    def _entries(self, place: int, message: Message) -> Iterator[str]:
        time = quote(time_of(message))
        if message.origin is Origin.CLIENT_SUMMARY:
            # Nothing of what stands before it is kept: no line has this id.
            members = {"summary": quote(plain(message.parts)), "firstKeptEntryId": '""', "tokensBefore": "0"}
            yield object_of(type='"compaction"', timestamp=time, **members)
            return
        for result in message.results:
            call = self._open.answered(result)
            name = quote("" if call is None else call.name)
            said = {"role": '"toolResult"', "toolCallId": quote(result.call_id), "toolName": name}
            said |= {"content": self._content(result.parts), "isError": "true" if result.is_error else "false"}
            yield self._message(message, said)
        parts = [part for part in message.parts if part not in message.results]
        if message.role is Role.ASSISTANT:
            yield self._message(message, self._answer(place, message))
        elif parts and message.origin is Origin.HUMAN:
            yield self._message(message, {"role": '"user"', "content": self._content(parts)})
        elif parts:
            members = {"customType": '"unabridged"', "content": self._content(parts), "display": "true"}
            yield object_of(type='"custom_message"', timestamp=time, **members)

    def _message(self, message: Message, said: Mapping[str, str]) -> str:
        spoken = object_of(**said, timestamp=str(milliseconds_of(message)))
        return object_of(type='"message"', timestamp=quote(time_of(message)), message=spoken)

    def _answer(self, place: int, message: Message) -> dict[str, str]:
        call = self._calls.get(place)
        model = (call.model if call is not None else "") or model_of(self._conversation)
        said = {"role": '"assistant"', "content": self._content(message.parts), "api": '"openai-completions"'}
        said |= {"provider": '"openai"', "model": quote(model), "usage": _usage(None if call is None else call.usage)}
        return {**said, "stopReason": '"toolUse"' if message.calls else '"stop"'}

    def _content(self, parts: Sequence[Part]) -> str:
        signed = sum(isinstance(part, Reasoning) and not part.text for part in parts)
        self._losses.note("thoughts are left out: only their own provider can read them", signed)
        opaque = sum(isinstance(part, Opaque) for part in parts)
        self._losses.note("items are said in words: only their own provider can read them", opaque)
        blocks = (self._block(part) for part in parts if not (isinstance(part, Reasoning) and not part.text))
        return list_of(blocks)

    def _block(self, part: Part) -> str:
        match part:
            case Text():
                return object_of(type='"text"', text=quote(part.text))
            case Reasoning():
                return object_of(type='"thinking"', thinking=quote(part.text))
            case ToolCall():
                arguments = arguments_object(part)
                return object_of(type='"toolCall"', id=quote(part.id), name=quote(part.name), arguments=arguments)
            case Media(kind=MediaKind.IMAGE) if data := base64_of(part, self._conversation.media):
                return object_of(type='"image"', data=quote(data), mimeType=quote(part.mime))
            case _:
                return object_of(type='"text"', text=quote(stand_in(part).text))


def _usage(usage: Usage | None) -> str:
    known = usage or Usage(input=0)
    return object_of(
        input=str(known.input - known.cached - known.cache_write),
        output=str(known.output),
        cacheRead=str(known.cached),
        cacheWrite=str(known.cache_write),
        totalTokens=str(known.input + known.output),
        cost=_FREE,
    )
