"""The control: what a window costs that keeps the history, counts exactly, and promises nothing else.

It counts each message once, keeps system text and task, and drops whole exchanges to half the budget on overflow. No
log, no digests, no report, no repair, no cut inside a message: the floor for any engine that does more.
"""

from __future__ import annotations

import json
from typing import Any

from unabridged.tokens import default_counter

Message = dict[str, Any]


class Control:
    """Head and tail, dropped to 50 % when full."""

    def __init__(self, budget: int) -> None:
        self._count = default_counter().count
        self._budget = budget
        self.messages: list[Message] = []
        self._texts: list[str] = []
        self._sizes: list[int] = []
        self._head = 0
        self._start = 0
        self._tail = 0

    def append(self, text: str) -> None:
        """Take in one message as JSON text."""
        message = json.loads(text)
        calls = message.get("tool_calls") or ()
        size = 4 + self._count(message.get("content") or "")
        size += sum(self._count(call["function"]["arguments"]) + 12 for call in calls)
        self.messages.append(message)
        self._texts.append(text)
        self._sizes.append(size)
        if len(self.messages) <= 2:
            self._head += size
            self._start = len(self.messages)
        else:
            self._tail += size

    def request(self) -> list[str]:
        """Give the messages of the next request."""
        if self._head + self._tail > self._budget:
            while self._start < len(self.messages) and (
                self._head + self._tail > self._budget // 2 or self.messages[self._start]["role"] == "tool"
            ):
                self._tail -= self._sizes[self._start]
                self._start += 1
        return self._texts[:2] + self._texts[self._start :]
