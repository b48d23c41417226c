"""The log of facts, and the rounds in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from unabridged.conversation import new_id
from unabridged.message import Message, Origin, Role, Text, ToolResult
from unabridged.rounds import segment
from unabridged.transcript import Transcript
from unabridged.wire import wire

DIALECT = "openai_chat"
"""The articles' messages are OpenAI's."""


class HistoryManager:
    """Keeps every message of a conversation: append-only, never deleted. Knows nothing of windows or views.

    Over a transcript, which is public: pass one to go on with an earlier session, after a crash too. Messages are
    frozen values, so that what `get_messages` gave cannot change the history either.
    """

    def __init__(self, transcript: Transcript | None = None) -> None:
        self.transcript = transcript if transcript is not None else Transcript()

    def append_user(self, content: str, *, origin: Origin = Origin.HUMAN) -> Message:
        """Append what a person wrote. `origin` says so where a program did: that begins no round."""
        return self._append(Message(id=new_id(), role=Role.USER, parts=(Text(content),), origin=origin))

    def append_assistant(
        self,
        content: str | None = None,
        *,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        reasoning_content: str | None = None,
    ) -> Message:
        """Append a model's answer, its calls and thoughts in the form in which an OpenAI response has them."""
        answer: dict[str, Any] = {"role": "assistant", "content": content}
        if reasoning_content is not None:
            answer["reasoning_content"] = reasoning_content
        if tool_calls:
            answer["tool_calls"] = list(tool_calls)
        message, _ = wire(DIALECT).read_message(json.dumps(answer, ensure_ascii=False), id=new_id())
        return self._append(message)

    def append_tool_result(self, tool_call_id: str, content: str) -> Message:
        """Append what a tool gave back for a call."""
        result = ToolResult(tool_call_id, (Text(content),))
        return self._append(Message(id=new_id(), role=Role.TOOL, parts=(result,), origin=Origin.TOOL_FEEDBACK))

    def get_messages(self) -> list[Message]:
        """Give every message, oldest first, as a list of its own."""
        return [record.message for record in self.transcript.records]

    def _append(self, message: Message) -> Message:
        self.transcript.append(message)
        return message


class Round(msgspec.Struct, frozen=True):
    """One round, as positions in a list. `end_idx` is its last message."""

    start_idx: int
    end_idx: int


class RoundSegmenter:
    """Splits messages into rounds, each from one human message to the next.

    Not as in the articles: user-role text that no person wrote begins no round, and a round is where a cut lands if
    a border is near, not the only place where one may (`docs/decisions/0003-cuts-inside-a-round.md`).
    """

    def identify(self, messages: Sequence[Message]) -> list[Round]:
        """Give the rounds in order. What stands before the first human message belongs to none."""
        return [Round(start, end - 1) for start, end in segment(messages)]
