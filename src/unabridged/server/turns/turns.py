"""Turns: begun by a request, run apart from it."""

from __future__ import annotations

from unabridged.server.config import ServerConfig
from unabridged.server.models import ModelShelf
from unabridged.store import Store


class Turns:
    """The turns of one process."""

    def __init__(self, store: Store, models: ModelShelf, config: ServerConfig) -> None:
        self._store = store
        self._models = models
        self._config = config

    def start(self) -> None:
        """Begin to take turns."""

    async def close(self) -> None:
        """Come to an end."""
