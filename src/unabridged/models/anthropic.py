"""Anthropic's Messages, and servers that speak them.

model = AnthropicModel("claude-sonnet-4-5")
"""

from __future__ import annotations

from collections.abc import Mapping

from unabridged.models.access import only, streamed, tokens_in
from unabridged.models.adapter import Adapter
from unabridged.models.answers.anthropic import AnthropicAnswer
from unabridged.models.anthropic_client import Client
from unabridged.models.attempt import Response

_COUNTED = frozenset(
    {"model", "messages", "system", "tools", "tool_choice", "thinking", "cache_control", "output_config"}
)
"""Fields that "Count tokens in a Message" takes."""


class AnthropicModel(Adapter[Client]):
    """A `Model` behind a Messages endpoint.

    Args:
        name: As requests name it.
        base_url: Where `/v1/messages` is found below; None for Anthropic.
        api_key: None takes what the SDK finds: `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`, a profile. A server on this
            machine needs none.
        window: Tokens of its window, where it is known.
        patience: How long an answer is waited for.
        headers: Sent with every request, such as `anthropic-beta`.

    Raises:
        BadInput: The package is not installed, or there is no key.
    """

    dialect = "anthropic"

    def _connect(self, base_url: str | None, api_key: str | None, headers: Mapping[str, str] | None) -> Client:
        return Client(base_url, api_key, headers)

    async def count(self, body: bytes) -> int | None:
        """Ask the provider for the tokens of a request; None where the server does not count."""
        return await tokens_in(self._client.ask("/v1/messages/count_tokens", only(body, _COUNTED)), "input_tokens")

    async def _send(self, body: bytes) -> Response:
        return await self._client.post("/v1/messages", streamed(body))

    def _answer(self) -> AnthropicAnswer:
        return AnthropicAnswer()
