"""OpenAI's client, for what goes out as it is: bytes in, an open response out. The SDK is imported on first use."""

from __future__ import annotations

import os
from collections.abc import Mapping

from unabridged.errors import BadInput
from unabridged.models.access import PLACEHOLDER, endpoint_of, missing
from unabridged.models.attempt import Response
from unabridged.models.endpoints import is_loopback
from unabridged.models.per_loop import PerLoop

_KEY, _ADDRESS, _HOST = "OPENAI_API_KEY", "OPENAI_BASE_URL", "api.openai.com"


class Client:
    """Posts requests. It retries nothing and times out never: the adapters do both."""

    def __init__(self, base_url: str | None, api_key: str | None, headers: Mapping[str, str] | None) -> None:
        try:
            import openai
        except ModuleNotFoundError as error:
            raise missing("openai", "openai") from error
        address = base_url or os.environ.get(_ADDRESS) or None
        key = api_key or os.environ.get(_KEY) or (PLACEHOLDER if is_loopback(address or "") else None)
        if key is None:
            raise BadInput(
                f"there is no key: set {_KEY}, or pass `api_key` (any text, for a server that asks for none)"
            )
        self.endpoint = endpoint_of(address, own=_HOST)
        self._clients = PerLoop(
            lambda: openai.AsyncOpenAI(
                api_key=key, base_url=address, default_headers=headers, max_retries=0, timeout=None
            )
        )

    async def post(self, path: str, body: bytes) -> Response:
        """Send a request that streams, and give its response when it begins. Raises what the SDK raises."""
        from openai import AsyncStream

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
