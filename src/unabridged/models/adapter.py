"""What the adapters share: a name, an address, and patience. What differs is how a request goes out, and comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping
from typing import ClassVar, Generic, Protocol, TypeVar

from unabridged.models.attempt import Assembly, Response, attempt
from unabridged.models.endpoints import is_loopback
from unabridged.models.model import Event, Patience
from unabridged.models.persistence import persist

PATIENCE = Patience()


class Connected(Protocol):
    """An SDK's client, at an address."""

    @property
    def endpoint(self) -> str:
        """Where it posts to, as `Model.endpoint` says."""
        ...

    async def close(self) -> None:
        """Close the connections of the running loop."""
        ...


_C = TypeVar("_C", bound=Connected)


class Adapter(ABC, Generic[_C]):
    """A `Model` over an SDK. Each adapter says what its arguments mean for it."""

    dialect: ClassVar[str]

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        window: int | None = None,
        patience: Patience = PATIENCE,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._client: _C = self._connect(base_url, api_key, headers)
        self.name = name
        self.endpoint = self._client.endpoint
        self.window = window
        self.counts_at_once = is_loopback(self._client.endpoint)
        self.patience = patience

    def stream(self, body: bytes) -> AsyncGenerator[Event]:
        """Send a request and give the answer as it comes, as `Model.stream` says."""
        return persist(
            lambda limits: attempt(lambda: self._send(body), self._answer(), limits), self.patience, self.window
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    @abstractmethod
    def _connect(self, base_url: str | None, api_key: str | None, headers: Mapping[str, str] | None) -> _C:
        """Give the client. Raises `BadInput` where the package is not installed, or there is no key."""

    @abstractmethod
    async def _send(self, body: bytes) -> Response:
        """Send a request once, and give the response when it begins; raises for any status but success."""

    @abstractmethod
    def _answer(self) -> Assembly:
        """Give what puts one answer together."""

    @abstractmethod
    async def count(self, body: bytes) -> int | None:
        """Give the tokens of a request as the provider counts them; None where it does not tell."""
