"""What the adapters share: a name, an address, and patience. What differs is how a request goes out, and comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from typing import ClassVar

from unabridged.models.attempt import Assembly, Response, attempt
from unabridged.models.model import Event, Patience
from unabridged.models.persistence import persist

PATIENCE = Patience()


class Adapter(ABC):
    """A `Model` over an SDK."""

    dialect: ClassVar[str]

    def __init__(self, name: str, endpoint: str, window: int | None, patience: Patience) -> None:
        self.name = name
        self.endpoint = endpoint
        self.window = window
        self.patience = patience

    def stream(self, body: bytes) -> AsyncGenerator[Event]:
        """Send a request and give the answer as it comes, as `Model.stream` says."""
        return persist(
            lambda limits: attempt(lambda: self._send(body), self._answer(), limits), self.patience, self.window
        )

    @abstractmethod
    async def _send(self, body: bytes) -> Response:
        """Send a request once, and give the response when it begins; raises for any status but success."""

    @abstractmethod
    def _answer(self) -> Assembly:
        """Give what puts one answer together."""

    @abstractmethod
    async def count(self, body: bytes) -> int | None:
        """Give the tokens of a request as the provider counts them; None where it does not tell."""

    @abstractmethod
    async def close(self) -> None:
        """Close what is open."""
