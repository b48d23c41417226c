"""A model without a network: it says the same, piece by piece, and lets others run between two pieces."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable

from unabridged.models.model import Completed, Event, TextDelta
from unabridged.report import Usage

NAME = "bench"
PIECE, PIECES = "river stone by the lamp ", 64
SAYS = PIECE * PIECES


class InProcess:
    """Answers every request with `SAYS`. `asked` is told of each request before its answer begins."""

    name = NAME
    dialect = "openai_chat"
    endpoint = "in-process"
    window = 128_000
    counts_at_once = False

    def __init__(self, asked: Callable[[], None] = lambda: None) -> None:
        self._asked = asked

    async def stream(self, body: bytes) -> AsyncGenerator[Event, None]:
        """Stream the answer."""
        self._asked()
        for _ in range(PIECES):
            await asyncio.sleep(0)
            yield TextDelta(PIECE)
        message = json.dumps({"role": "assistant", "content": SAYS})
        yield Completed(items=(message,), usage=Usage(input=len(body) // 4, output=PIECES * 6), stop="stop")

    async def count(self, body: bytes) -> int | None:
        """Tell nothing."""
        del body
        return None

    async def close(self) -> None:
        """Nothing is open."""
