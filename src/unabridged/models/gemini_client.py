"""Google's client, for what goes out as it is: bytes in, an open response out. The SDK is imported on first use.

The SDK knows addresses, keys and errors, and reads requests and answers into types that do not hold every field. So its
HTTP client is one of ours: it puts the request's own text in the place of what the SDK wrote, and keeps the response of
a success for itself; the SDK gets an empty one.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

from unabridged.errors import BadInput
from unabridged.models.access import PLACEHOLDER, endpoint_of, missing, tokens_in
from unabridged.models.attempt import Response
from unabridged.models.endpoints import is_loopback
from unabridged.models.failing import Broken
from unabridged.models.per_loop import PerLoop
from unabridged.wire.json_text import JsonNode, as_object, object_of, quote
from unabridged.wire.patching import apply

if TYPE_CHECKING:
    import httpx2
    from google import genai
    from google.genai import types

_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
_ADDRESS = "GOOGLE_GEMINI_BASE_URL"
_HOST = "generativelanguage.googleapis.com"
_TICKET = "x-unabridged-exchange"
"""A header between the SDK's two ends. It never goes out."""
_COUNTED = ("contents", "systemInstruction", "tools", "generationConfig")
"""Fields that Vertex AI's `countTokens` takes."""


class Exchange:
    """One request on its way through the SDK, and the response to it."""

    def __init__(self, body: str | None, contents: str) -> None:
        self.body = body
        """All of it; None where the SDK writes it, and only the contents are put in."""
        self.contents = contents
        self.response: Response | None = None

    def written(self, by_sdk: bytes) -> bytes:
        """Give what goes out."""
        if self.body is None:
            node = JsonNode.parse_quickly(by_sdk.decode(), "the request")
            return apply(node.text, [node.with_member("contents", self.contents)]).encode("utf-8", "surrogatepass")
        return self.body.encode("utf-8", "surrogatepass")


class _Models(Protocol):
    """What is used of the SDK; its own types are complete only where a picture library is installed."""

    async def generate_content_stream(self, *, model: str, contents: str, config: object) -> AsyncIterator[object]: ...

    async def count_tokens(self, *, model: str, contents: str, config: object) -> object: ...


class _Connection:
    """What there is of the SDK in one event loop."""

    def __init__(self, client: genai.Client, http: httpx2.AsyncClient) -> None:
        self.models = cast(_Models, client.aio.models)
        self.is_vertex = client.vertexai
        self._client = client
        self._http = http

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aio.aclose()
        await self._http.aclose()


class Client:
    """Posts requests. It retries nothing and times out never: the adapter does both."""

    def __init__(self, base_url: str | None, api_key: str | None, headers: Mapping[str, str] | None) -> None:
        try:
            from google import genai
        except ImportError as error:  # `google` may be there without it
            raise missing("google-genai", "gemini") from error
        address = base_url or os.environ.get(_ADDRESS) or None
        if api_key is None and is_loopback(address or "") and not any(map(os.environ.get, _KEYS)):
            api_key = PLACEHOLDER
        self.endpoint = endpoint_of(address, own=_HOST)
        self._exchanges: dict[str, Exchange] = {}
        self._tickets = itertools.count()
        options = {"base_url": address, "headers": dict(headers or {})}

        def make() -> _Connection:
            http = _carrier(self._exchanges)
            given = genai.types.HttpOptions.model_validate({**options, "httpx_async_client": http})
            return _Connection(genai.Client(api_key=api_key, http_options=given), http)

        try:
            self._connections = PerLoop(make)
        except ValueError as error:
            raise BadInput(f"there is no key for Gemini: set {_KEYS[1]}, or pass `api_key` ({error})") from error

    async def post(self, model: str, request: JsonNode) -> Response:
        """Send a request that streams, and give its response when it begins. Raises what the SDK raises."""
        contents = request.get("contents")
        by_sdk = isinstance(request.members.get("config"), dict)
        exchange = Exchange(None if by_sdk else request.text, "[]" if contents is None else contents.source)
        ticket = self._open(exchange)
        try:
            chunks = await self._connections.get().models.generate_content_stream(
                model=model, contents="-", config=_config(ticket, request.members.get("config"))
            )
            async for _ in chunks:
                pass  # the carrier keeps what came, and leaves none
        except BaseException:  # cancelled, too: nobody else would close it
            if exchange.response is not None:
                await exchange.response.aclose()
            raise
        finally:
            del self._exchanges[ticket]
        if exchange.response is None:
            raise Broken("the request did not go out")
        return exchange.response

    async def count(self, model: str, request: JsonNode) -> int | None:
        """Give the tokens of a request as the provider counts them."""
        if self._connections.get().is_vertex:
            body = object_of(**{name: request.member(name).source for name in _COUNTED if name in request.members})
        else:
            named = f"models/{model.removeprefix('models/')}"
            inner = apply(request.text, [request.with_member("model", quote(named))])
            body = object_of(generateContentRequest=inner)
        ticket = self._open(Exchange(body, ""))
        try:
            asked = self._connections.get().models.count_tokens(
                model=model, contents="-", config={"http_options": {"headers": {_TICKET: f"count {ticket}"}}}
            )
            return await tokens_in(asked, "total_tokens")
        finally:
            del self._exchanges[ticket]

    async def close(self) -> None:
        """Close the connections of the running loop."""
        if self._connections.made:
            await self._connections.take().close()

    def _open(self, exchange: Exchange) -> str:
        ticket = str(next(self._tickets))
        self._exchanges[ticket] = exchange
        return ticket


def _config(ticket: str, given: object) -> types.GenerateContentConfig:
    """Give the SDK's settings, with the ticket in a header; it is to send once, and to call no function itself."""
    from google.genai import types

    config = types.GenerateContentConfig.model_validate(as_object(given))
    options = config.http_options or types.HttpOptions()
    config.http_options = options.model_copy(update={"headers": {**(options.headers or {}), _TICKET: ticket}})
    config.automatic_function_calling = types.AutomaticFunctionCallingConfig(disable=True)
    return config


def _carrier(exchanges: Mapping[str, Exchange]) -> httpx2.AsyncClient:
    """Make the HTTP client: `exchanges` holds, by ticket, what goes through it."""
    import httpx2

    class Carrier(httpx2.AsyncClient):
        """Sends the text of an exchange in the place of what the SDK wrote."""

        async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            """Send a request; the response of a stream stays in its exchange."""
            purpose, _, ticket = request.headers.pop(_TICKET, "").rpartition(" ")
            exchange = exchanges[ticket]
            headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]
            content = exchange.written(request.content)
            fresh = self.build_request(
                request.method, request.url, headers=headers, content=content, extensions=request.extensions
            )
            response = await super().send(fresh, **options)
            if purpose or not response.is_success:
                return response
            exchange.response = response
            return httpx2.Response(200, content=b"", request=fresh)

    return Carrier(timeout=None, follow_redirects=True)
