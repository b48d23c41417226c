"""Anthropic's client, for what goes out as it is: bytes in, an open response out. The SDK is imported on first use."""

from __future__ import annotations

import os
from collections.abc import Mapping

from unabridged.errors import BadInput
from unabridged.models.access import PLACEHOLDER, endpoint_of, missing
from unabridged.models.attempt import Response
from unabridged.models.endpoints import is_loopback
from unabridged.models.per_loop import PerLoop

_KEY, _TOKEN, _ADDRESS = "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"
_HOST = "api.anthropic.com"


class Client:
    """Posts requests. It retries nothing and times out never: the adapter does both."""

    def __init__(self, base_url: str | None, api_key: str | None, headers: Mapping[str, str] | None) -> None:
        try:
            import anthropic
        except ModuleNotFoundError as error:
            raise missing("anthropic", "anthropic") from error
        address = base_url or os.environ.get(_ADDRESS) or None
        needs_none = is_loopback(address or "") and not (os.environ.get(_KEY) or os.environ.get(_TOKEN))
        key = PLACEHOLDER if api_key is None and needs_none else api_key

        def make() -> anthropic.AsyncAnthropic:
            client = anthropic.AsyncAnthropic(
                api_key=key, base_url=address, default_headers=headers, max_retries=0, timeout=None
            )
            if not (client.api_key or client.auth_token or client.credentials):
                raise BadInput(f"there is no key for Anthropic: set {_KEY}, or pass `api_key`")
            return client

        self.endpoint = endpoint_of(address, own=_HOST)
        try:
            self._clients = PerLoop(make)
        except anthropic.AnthropicError as error:
            raise BadInput(f"the credentials for Anthropic cannot be read: set {_KEY} ({error})") from error

    async def post(self, path: str, body: bytes) -> Response:
        """Send a request that streams, and give its response when it begins. Raises what the SDK raises."""
        from anthropic import AsyncStream

        stream = await self._clients.get().post(
            path, cast_to=object, content=body, stream=True, stream_cls=AsyncStream[object]
        )
        return stream.response

    async def ask(self, path: str, body: bytes) -> object:
        """Send a request that does not stream, and give the decoded answer."""
        return await self._clients.get().post(path, cast_to=object, content=body)

    async def close(self) -> None:
        """Close the connections of the running loop."""
        if self._clients.made:
            await self._clients.take().close()
