"""OpenAI's Responses, and servers that speak them.

model = OpenAIResponsesModel("gpt-5")
"""

from __future__ import annotations

from collections.abc import Mapping

from unabridged.models.access import only, streamed, tokens_in
from unabridged.models.adapter import Adapter
from unabridged.models.answers.openai_responses import ResponsesAnswer
from unabridged.models.attempt import Response
from unabridged.models.openai_client import Client

_COUNTED = frozenset(
    {
        *("model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "reasoning", "text"),
        *("truncation", "conversation", "previous_response_id"),
    }
)
"""Fields that "Get input token counts" takes."""


class OpenAIResponsesModel(Adapter[Client]):
    """A `Model` behind a Responses endpoint.

    Args:
        name: As requests name it.
        base_url: Where `/responses` is found below; None for OpenAI.
        api_key: None takes it from `OPENAI_API_KEY`. A server on this machine needs none.
        window: Tokens of its window, where it is known.
        patience: How long an answer is waited for.
        headers: Sent with every request.

    Raises:
        BadInput: The package is not installed, or there is no key.
    """

    dialect = "openai_responses"

    def _connect(self, base_url: str | None, api_key: str | None, headers: Mapping[str, str] | None) -> Client:
        return Client(base_url, api_key, headers)

    async def count(self, body: bytes) -> int | None:
        """Ask the provider for the tokens of a request; None where the server does not count."""
        return await tokens_in(self._client.ask("/responses/input_tokens", only(body, _COUNTED)), "input_tokens")

    async def _send(self, body: bytes) -> Response:
        return await self._client.post("/responses", streamed(body))

    def _answer(self) -> ResponsesAnswer:
        return ResponsesAnswer()
