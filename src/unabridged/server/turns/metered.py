"""A model whose answers are counted, those that a summary takes as well."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from unabridged.errors import StoreError
from unabridged.models.model import Completed, Event, Model
from unabridged.report import Usage

LOG = logging.getLogger("unabridged.server")


class Metered:
    """A model that says what each answer took, as its provider reports it."""

    def __init__(self, model: Model, count: Callable[[Usage], None]) -> None:
        self._model = model
        self._count = count

    @property
    def name(self) -> str:
        """As requests name it."""
        return self._model.name

    @property
    def dialect(self) -> str:
        """The API that it speaks."""
        return self._model.dialect

    @property
    def endpoint(self) -> str:
        """Where requests go."""
        return self._model.endpoint

    @property
    def window(self) -> int | None:
        """Tokens of its window, where that is known."""
        return self._model.window

    @property
    def counts_at_once(self) -> bool:
        """Whether a count costs next to nothing."""
        return self._model.counts_at_once

    async def stream(self, body: bytes) -> AsyncGenerator[Event, None]:
        """Give the answer as it comes. One that cannot be counted now is given all the same."""
        async with aclosing(self._model.stream(body)) as events:
            async for event in events:
                if isinstance(event, Completed):
                    try:
                        self._count(event.usage or Usage(input=0))
                    except StoreError as error:
                        LOG.warning("an answer was not counted: %s", error.fault)
                yield event

    async def count(self, body: bytes) -> int | None:
        """Give the tokens of a request as the provider counts them."""
        return await self._model.count(body)

    async def close(self) -> None:
        """Close the connections."""
        await self._model.close()
