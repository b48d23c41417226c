"""Anthropic Messages: a request whose shape is sound, laid out for the rules between messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from unabridged.testing.validity.violation import Json, as_list, as_object

THINKING = frozenset({"thinking", "redacted_thinking"})


class Block(NamedTuple):
    """One content block and where it stands."""

    message: int
    position: int | None
    """None where the content is a plain string."""
    kind: str
    fields: Json
    id: str = ""
    """The id of a call, or of the call that a result answers."""

    @property
    def where(self) -> str:
        """Path of the block in the body."""
        content = f"messages.{self.message}.content"
        return content if self.position is None else f"{content}.{self.position}"

    @property
    def text(self) -> str:
        """The text of a text block."""
        return str(self.fields.get("text", ""))


class Message(NamedTuple):
    """One message; a plain string is one text block, an empty string none."""

    number: int
    role: str
    blocks: list[Block]
    fields: Json


class Turn(msgspec.Struct):
    """Consecutive messages of one role, which the service joins."""

    role: str
    messages: list[Message]
    blocks: list[Block]
    last: bool = False

    def of(self, kind: str) -> Iterator[Block]:
        """Give the blocks of one kind, in order."""
        return (block for block in self.blocks if block.kind == kind)


class Request(NamedTuple):
    """The whole request."""

    body: Json
    model: str
    thinking: str
    """`enabled`, `adaptive`, `disabled`, or empty where the request says nothing."""
    messages: list[Message]
    turns: list[Turn]


def read(body: Json) -> Request:
    """Lay out a body that `check_shape` found nothing wrong with."""
    messages: list[Message] = []
    for index, value in enumerate(as_list(body.get("messages")) or ()):
        fields = as_object(value) or {}
        messages.append(Message(index, str(fields.get("role")), _blocks(index, fields.get("content")), fields))
    thinking = as_object(body.get("thinking")) or {}
    return Request(body, str(body.get("model", "")), str(thinking.get("type", "")), messages, _turns(messages))


def _blocks(index: int, content: object) -> list[Block]:
    if isinstance(content, str):
        return [Block(index, None, "text", {"text": content})] if content else []
    return [
        _block(index, position, fields)
        for position, value in enumerate(as_list(content) or ())
        if (fields := as_object(value)) is not None
    ]


def _block(index: int, position: int, fields: Json) -> Block:
    kind = str(fields.get("type"))
    id = fields.get("tool_use_id" if kind.endswith("_result") else "id")
    return Block(index, position, kind, fields, str(id))


def _turns(messages: list[Message]) -> list[Turn]:
    turns: list[Turn] = []
    for message in messages:
        if turns and turns[-1].role == message.role:
            turns[-1].messages.append(message)
            turns[-1].blocks.extend(message.blocks)
        else:
            turns.append(Turn(message.role, [message], list(message.blocks)))
    if turns:
        turns[-1].last = True
    return turns
