"""Writes rollouts of Codex, which `codex resume` goes on with from its `sessions` folder.

Items that came from OpenAI Responses go out as they were. What a person typed is said by an event too: the client
shows a session by its events. A client's compaction is a `compacted` record: the client goes on with what people
wrote before it, and with its summary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.exporters.codex_items import items_of
from unabridged.exporters.exporter import Losses
from unabridged.exporters.frames import model_of, system_text
from unabridged.exporters.log_file import session_of
from unabridged.exporters.pieces import OpenCalls, home_text
from unabridged.exporters.stamps import began, time_of, uuid_of
from unabridged.importers import Imported
from unabridged.message import Message, Origin, Role
from unabridged.report import Usage
from unabridged.wire.json_text import list_of, object_of, quote

_RESPONSES = "openai_responses"
_CODEX = "codex"
_VERSION = "0.142.0"
"""The version of the client whose records these are; it reads those of other versions."""


class Codex:
    """One rollout, JSON Lines."""

    name = "codex"
    about = "a rollout for `codex resume`"
    suffix = ".codex.jsonl"
    holds_several = False

    def write(self, conversations: Sequence[Imported], losses: Losses) -> Iterator[str]:
        """Give the records of one conversation."""
        (conversation,) = conversations
        return _Records(conversation, losses).all()


class _Records:
    """Writes the records of one conversation."""

    def __init__(self, conversation: Imported, losses: Losses) -> None:
        self._conversation = conversation
        self._losses = losses
        self._usage = {call.answer: call.usage for call in conversation.calls}
        self._open = OpenCalls()
        self._typed: list[str] = []
        """Items of what people wrote: a compaction repeats them."""
        self._due: Usage | None = None
        self._total = [0, 0, 0, 0]

    def all(self) -> Iterator[str]:
        """Give every record."""
        yield from self._head()
        for place, message in enumerate(self._conversation.messages):
            if message.role is not Role.TOOL:
                yield from self._reported(message)
            if place in self._usage:
                self._due = self._usage[place]
            if message.origin is Origin.CLIENT_SUMMARY:
                yield self._compacted(message)
            else:
                yield from self._items(message)
        if self._conversation.messages:
            yield from self._reported(self._conversation.messages[-1])

    def _head(self) -> Iterator[str]:
        conversation, time = self._conversation, began(self._conversation)
        text, leading = system_text(conversation.frame), list[str]()
        if conversation.frame.dialect == _RESPONSES:
            leading = [item for message in conversation.frame.system for item in self._written(message)]
            text = next((text for name, text in conversation.frame.fields if name == "instructions"), "null")
        else:
            text = quote(text)
        id = quote(uuid_of(session_of(conversation)))
        meta = {"id": id, "timestamp": quote(time), "cwd": '"/"', "originator": '"unabridged"'}
        meta |= {"cli_version": quote(_VERSION), "source": '"cli"', "model_provider": '"openai"'}
        if text not in ("null", '""'):
            meta["base_instructions"] = object_of(text=text)
        yield _record("session_meta", object_of(**meta), time)
        policy = {"approval_policy": '"on-request"', "sandbox_policy": '{"type":"read-only"}', "summary": '"auto"'}
        context = object_of(cwd='"/"', model=quote(model_of(conversation) or "gpt-5"), **policy)
        yield _record("turn_context", context, time)
        yield from (_record("response_item", item, time) for item in leading)

    def _items(self, message: Message) -> Iterator[str]:
        time, items = time_of(message), self._written(message)
        yield from (_record("response_item", item, time) for item in items)
        if message.is_human:
            self._typed += items
            event = {"type": '"user_message"', "message": quote(message.text), "images": "[]"}
            yield _record("event_msg", object_of(**event), time)
        elif message.origin is Origin.MODEL and message.text:
            event = {"type": '"agent_message"', "message": quote(message.text)}
            yield _record("event_msg", object_of(**event), time)

    def _written(self, message: Message) -> list[str]:
        self._open.see(message)
        return items_of(message, self._conversation.media, self._open, self._losses)

    def _compacted(self, message: Message) -> str:
        """Give the record of a compaction: its summary as text, or the item that only the provider can read."""
        mark = home_text(message, _CODEX, {})
        if mark is not None:  # its summary was not in the file that it came from
            members = {"message": '""', "replacement_history": list_of(self._typed)}
            inside = filter(None, (mark.strip()[1:-1].strip(), object_of(**members)[1:-1]))
            return _record("compacted", "{" + ",".join(inside) + "}", time_of(message))
        if message.text:
            return _record("compacted", object_of(message=quote(message.text)), time_of(message))
        history = list_of([*self._typed, *self._written(message)])
        return _record("compacted", object_of(message='""', replacement_history=history), time_of(message))

    def _reported(self, message: Message) -> Iterator[str]:
        usage, self._due = self._due, None
        if usage is None:
            return
        last = [usage.input, usage.cached, usage.output, usage.reasoning]
        self._total = [before + now for before, now in zip(self._total, last, strict=True)]
        info = object_of(total_token_usage=_usage(self._total), last_token_usage=_usage(last))
        yield _record("event_msg", object_of(type='"token_count"', info=info), time_of(message))


def _usage(figures: Sequence[int]) -> str:
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    named = {name: str(figure) for name, figure in zip(names, figures, strict=True)}
    return object_of(**named, total_tokens=str(figures[0] + figures[2]))


def _record(type: str, payload: str, time: str) -> str:
    return object_of(timestamp=quote(time), type=quote(type), payload=payload) + "\n"
