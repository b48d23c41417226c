"""Writes sessions of Claude Code, which `claude --resume` goes on with from its `projects` folder.

A compaction is written as the client writes one: a boundary, and the summary behind it. What was said before it stays
in the file; the client goes on with the summary.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from itertools import groupby

from unabridged.errors import BadInput
from unabridged.exporters.exporter import Losses
from unabridged.exporters.frames import model_of, system_text
from unabridged.exporters.log_file import session_of
from unabridged.exporters.pieces import crosses
from unabridged.exporters.stamps import time_of, uuid_of
from unabridged.importers import Imported, RecordedCall
from unabridged.message import Message, Origin, Role
from unabridged.report import Usage
from unabridged.wire import wire
from unabridged.wire.json_text import JsonNode, object_of, quote
from unabridged.wire.patching import apply

_DIALECT = "anthropic"
_VERSION = "2.0.0"
"""The version of the client whose lines these are; it reads those of other versions."""
_MODEL = "claude"


class ClaudeCode:
    """One session, JSON Lines."""

    name = "claude-code"
    about = "a session for `claude --resume`"
    suffix = ".claude-code.jsonl"
    holds_several = False

    def write(self, conversations: Sequence[Imported], losses: Losses) -> Iterator[str]:
        """Give the lines of one conversation."""
        (conversation,) = conversations
        losses.note("system texts are left out: the client brings its own", bool(system_text(conversation.frame)))
        lines = _Lines(conversation, losses)
        for _, together in groupby(enumerate(conversation.messages), lambda each: _group(*each)):
            yield from lines.of([message for _, message in together])


def _group(place: int, message: Message) -> object:
    """Tell which messages are one line: results that follow one another, and any other for itself."""
    return "results" if message.role is Role.TOOL else place


class _Lines:
    """Writes lines, each of which names the one before."""

    def __init__(self, conversation: Imported, losses: Losses) -> None:
        self._conversation = conversation
        self._losses = losses
        self._calls = {conversation.messages[call.answer].id: call for call in conversation.calls}
        self._session = uuid_of(session_of(conversation))
        self._model = model_of(conversation) or _MODEL
        self._before = "null"

    def of(self, messages: Sequence[Message]) -> Iterator[str]:
        """Give the lines of messages that are written together."""
        first = messages[0]
        if first.origin is Origin.CLIENT_SUMMARY:
            boundary = {"subtype": '"compact_boundary"', "content": '"Conversation compacted"'}
            yield self._line("system", f"{first.id}-boundary", first, **boundary)
        for number, text in enumerate(self._texts(messages)):
            id = first.id if number == 0 else f"{first.id}-{number}"
            if first.role is Role.ASSISTANT and first.origin is Origin.MODEL:
                yield self._line("assistant", id, first, message=self._answer(text, first))
            else:
                yield self._line("user", id, first, message=text, **_marks(first))

    def _texts(self, messages: Sequence[Message]) -> list[str]:
        left = [message for message in messages if crosses(message, _DIALECT, self._losses)]
        try:
            texts = wire(_DIALECT).write_messages(left, self._conversation.media)
        except BadInput:
            left, texts = [], []
        self._losses.note("messages are left out: nothing of them has a place here", len(messages) - len(left))
        return texts if messages[0].role is Role.ASSISTANT else [_as_user(text) for text in texts]

    def _answer(self, text: str, message: Message) -> str:
        """Give an answer with what the client keeps beside it."""
        call = self._calls.get(message.id) or RecordedCall(answer=0)
        node = JsonNode.parse(text, f"message {message.id}")
        content = node.get("content")
        if content is not None and isinstance(content.value, str):
            block = object_of(type='"text"', text=content.source)
            text = apply(text, [node.with_member("content", f"[{block}]")])
            node = JsonNode.parse(text, f"message {message.id}")
        members = {
            "id": quote(f"msg_{uuid.uuid5(uuid.NAMESPACE_OID, message.id).hex[:24]}"),
            "type": '"message"',
            "model": quote(call.model or self._model),
        }
        if call.usage is not None:
            members["usage"] = _usage(call.usage)
        missing = [node.with_member(name, value) for name, value in members.items() if node.get(name) is None]
        return apply(text, missing)

    def _line(self, type: str, id: str, source: Message, **members: str) -> str:
        line = quote(uuid_of(id))
        head = {"parentUuid": self._before, "isSidechain": "false", "userType": '"external"', "cwd": '""'}
        head |= {"sessionId": quote(self._session), "version": quote(_VERSION), "gitBranch": '""', "type": quote(type)}
        self._before = line
        return object_of(**head, **members, uuid=line, timestamp=quote(time_of(source))) + "\n"


def _as_user(text: str) -> str:
    """Give a message with the user's role: the client's files have no other but the assistant's."""
    node = JsonNode.parse(text, "a written message")
    return text if node.string("role") == "user" else apply(text, [node.with_member("role", '"user"')])


def _marks(message: Message) -> dict[str, str]:
    if message.origin is Origin.CLIENT_SUMMARY:
        return {"isCompactSummary": "true"}
    is_typed = message.origin is Origin.HUMAN or bool(message.results)
    return {} if is_typed else {"isMeta": "true"}


def _usage(usage: Usage) -> str:
    return object_of(
        input_tokens=str(usage.input - usage.cached - usage.cache_write),
        cache_creation_input_tokens=str(usage.cache_write),
        cache_read_input_tokens=str(usage.cached),
        output_tokens=str(usage.output),
    )
