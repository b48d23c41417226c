"""Gemini's generateContent.

model = GeminiModel("gemini-3-pro")
"""

from __future__ import annotations

from collections.abc import Mapping

from unabridged.models.access import request_of
from unabridged.models.adapter import Adapter
from unabridged.models.answers.gemini import GeminiAnswer
from unabridged.models.attempt import Response
from unabridged.models.gemini_client import Client
from unabridged.wire.json_text import JsonNode
from unabridged.wire.patching import apply


class GeminiModel(Adapter[Client]):
    """A `Model` behind `generateContent`, of the Gemini API or of Vertex AI.

    The model goes into the address, by the request's own field `model` where it has one. Requests may be in the form of
    the REST interface, and in the SDK's, with `config`.

    Args:
        name: As requests name it.
        base_url: Where the versions of the API are found below; None for Google.
        api_key: None takes what the SDK finds: `GEMINI_API_KEY`, `GOOGLE_API_KEY`, the settings of Vertex AI. A server
            on this machine needs none.
        window: Tokens of its window, where it is known.
        patience: How long an answer is waited for.
        headers: Sent with every request.

    Raises:
        BadInput: The package is not installed, or there is no key.
    """

    dialect = "gemini"

    def _connect(self, base_url: str | None, api_key: str | None, headers: Mapping[str, str] | None) -> Client:
        return Client(base_url, api_key, headers)

    async def count(self, body: bytes) -> int | None:
        """Ask the provider for the tokens of a request; None where the server does not count."""
        name, node = self._named(body)
        return None if "config" in node.members else await self._client.count(name, node)

    async def _send(self, body: bytes) -> Response:
        return await self._client.post(*self._named(body))

    def _answer(self) -> GeminiAnswer:
        return GeminiAnswer()

    def _named(self, body: bytes) -> tuple[str, JsonNode]:
        """Give the model that a request is for, and the request without its name."""
        node = request_of(body)
        if "model" not in node.members:
            return self.name, node
        text = apply(node.text, node.without({"model"}))
        return node.string("model") or self.name, JsonNode.parse_quickly(text, "the request")
