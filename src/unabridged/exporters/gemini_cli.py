"""Writes recorded sessions of Gemini CLI, which `gemini --resume` goes on with from its `chats` folder.

An answer, its calls and what they gave are one record. A summary gets the tags of the client's own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from unabridged.exporters.exporter import Losses
from unabridged.exporters.frames import model_of, system_text
from unabridged.exporters.log_file import session_of
from unabridged.exporters.pieces import arguments_object, base64_of, home_text, plain
from unabridged.exporters.stamps import began, time_of, uuid_of
from unabridged.importers import Imported, RecordedCall
from unabridged.message import Media, Message, Opaque, Origin, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.wire.json_text import JsonNode, list_of, object_of, quote
from unabridged.wire.patching import apply
from unabridged.wire.stand_in import link_of, stand_in

_FORMAT = "gemini_cli"
_SNAPSHOT = "<state_snapshot>"


class GeminiCli:
    """One session, a JSON document."""

    name = "gemini-cli"
    about = "a session for `gemini --resume`"
    suffix = ".gemini-cli.json"
    holds_several = False

    def write(self, conversations: Sequence[Imported], losses: Losses) -> Iterator[str]:
        """Give the document of one conversation."""
        (conversation,) = conversations
        losses.note("system texts are left out: the client brings its own", bool(system_text(conversation.frame)))
        time, session = quote(began(conversation)), uuid_of(session_of(conversation))
        last = quote(next((each.time for each in reversed(conversation.messages) if each.time), began(conversation)))
        head = {"sessionId": quote(session), "projectHash": quote(hashlib.sha256(b"/").hexdigest())}
        records = list_of(_Records(conversation, losses).all())
        yield object_of(**head, startTime=time, lastUpdated=last, messages=records) + "\n"


class _Records:
    """Writes the records of one conversation."""

    def __init__(self, conversation: Imported, losses: Losses) -> None:
        self._conversation = conversation
        self._losses = losses
        self._calls = {call.answer: call for call in conversation.calls}
        self._given: dict[int, tuple[Message, ToolResult]] = {}
        """For each call, counted over the conversation, the result that answers it."""
        self._unasked: set[tuple[int, int]] = set()
        self._pair()
        self._number = 0

    def all(self) -> Iterator[str]:
        """Give every record."""
        for place, message in enumerate(self._conversation.messages):
            if message.role is Role.ASSISTANT:
                yield self._answer(place, message)
                continue
            own = home_text(message, _FORMAT, self._conversation.media) if message.role is Role.USER else None
            parts = [
                part
                for at, part in enumerate(message.parts)
                if not isinstance(part, ToolResult) or (place, at) in self._unasked
            ]
            if own is not None:
                yield own
            elif parts:
                yield self._user(message, parts)

    def _pair(self) -> None:
        """Find the call of each result: the nearest open one of its id, the first of one message."""
        waiting: list[tuple[int, ToolCall]] = []
        number = 0
        for place, message in enumerate(self._conversation.messages):
            waiting[:0] = enumerate(message.calls, number)
            number += len(message.calls)
            for at, part in enumerate(message.parts):
                if not isinstance(part, ToolResult):
                    continue
                found = next((each for each in waiting if each[1].id == part.call_id), None)
                if found is None:
                    self._unasked.add((place, at))
                else:
                    waiting.remove(found)
                    self._given[found[0]] = (message, part)

    def _user(self, message: Message, parts: Sequence[Part]) -> str:
        if message.origin is Origin.CLIENT_SUMMARY and not plain(parts).lstrip().startswith(_SNAPSHOT):
            content = [_text(f"{_SNAPSHOT}\n{plain(parts)}\n</state_snapshot>")]
        else:
            unsaid = message.role is Role.SYSTEM or message.origin in (Origin.INJECTED, Origin.TOOL_FEEDBACK)
            self._losses.note(
                "messages of the client go out as a person's: this format cannot tell them apart", int(unsaid)
            )
            content = [self._piece(part) for part in parts]
        return self._record(message, "user", content=list_of(content))

    def _answer(self, place: int, message: Message) -> str:
        own = home_text(message, _FORMAT, self._conversation.media)
        given = [self._given.get(self._number + at) for at in range(len(message.calls))]
        self._number += len(message.calls)
        if own is not None:
            return self._with_results(own, given)
        thoughts = [part for part in message.parts if isinstance(part, Reasoning)]
        self._losses.note("thoughts lose their signature: only their own provider can use it", len(thoughts))
        told = (
            object_of(subject='""', description=quote(each.text), timestamp=quote(time_of(message)))
            for each in thoughts
            if each.text
        )
        members = {"content": quote(plain(message.parts)), "thoughts": list_of(told)}
        call = self._calls.get(place) or RecordedCall(answer=place)
        members |= {"tokens": _tokens(call), "model": quote(call.model or model_of(self._conversation) or "gemini")}
        if message.calls:
            pairs = zip(message.calls, given, strict=True)
            members["toolCalls"] = list_of(self._called(call, result, message) for call, result in pairs)
        return self._record(message, "gemini", **members)

    def _called(self, call: ToolCall, given: tuple[Message, ToolResult] | None, message: Message) -> str:
        members = {"id": quote(call.id), "name": quote(call.name), "args": arguments_object(call)}
        if given is None:
            return object_of(**members, status='"cancelled"', timestamp=quote(time_of(message)))
        status = '"error"' if given[1].is_error else '"success"'
        result = self._result(call.name, given)
        return object_of(**members, result=result, status=status, timestamp=quote(time_of(given[0])))

    def _result(self, name: str, given: tuple[Message, ToolResult]) -> str:
        message, result = given
        own = home_text(message, _FORMAT, self._conversation.media)
        if own is not None:
            return own
        member = "error" if result.is_error else "output"
        text = plain(part for part in result.parts if not isinstance(part, Media))
        response = object_of(id=quote(result.call_id), name=quote(name), response=object_of(**{member: quote(text)}))
        media = [self._piece(part) for part in result.parts if isinstance(part, Media)]
        return list_of([object_of(functionResponse=response), *media])

    def _with_results(self, own: str, given: Sequence[tuple[Message, ToolResult] | None]) -> str:
        """Put the results back into the record that they stood in."""
        calls = JsonNode.parse(own, "a record").get("toolCalls")
        listed = [] if calls is None else calls.items()
        pairs = [(call, result) for call, result in zip(listed, given, strict=False) if result is not None]
        return apply(own, [call.with_member("result", self._result(call.string("name"), each)) for call, each in pairs])

    def _record(self, message: Message, type: str, **members: str) -> str:
        return object_of(id=quote(uuid_of(message.id)), timestamp=quote(time_of(message)), type=quote(type), **members)

    def _piece(self, part: Part) -> str:
        match part:
            case Text():
                return _text(part.text)
            case ToolResult():
                response = object_of(output=quote(plain(part.parts)))
                return object_of(functionResponse=object_of(id=quote(part.call_id), name='""', response=response))
            case Media() if data := base64_of(part, self._conversation.media):
                return object_of(inlineData=object_of(mimeType=quote(part.mime), data=quote(data)))
            case Media() if link := link_of(part):
                return object_of(fileData=object_of(mimeType=quote(part.mime), fileUri=quote(link)))
            case _:
                self._losses.note(
                    "items are said in words: only their own provider can read them", int(isinstance(part, Opaque))
                )
                return _text(stand_in(part).text)


def _text(text: str) -> str:
    return object_of(text=quote(text))


def _tokens(call: RecordedCall) -> str:
    usage = call.usage
    if usage is None:
        return "null"
    figures: Mapping[str, int] = {
        "input": usage.input,
        "output": usage.output - usage.reasoning,
        "cached": usage.cached,
        "thoughts": usage.reasoning,
        "tool": 0,
        "total": usage.input + usage.output,
    }
    return object_of(**{name: str(figure) for name, figure in figures.items()})
