"""Chat completions: OpenAI's, and those of every server that speaks them.

model = OpenAIChatModel("qwen3", base_url="http://localhost:8000/v1")
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from unabridged.models.access import only, request_of, tokens_in
from unabridged.models.adapter import Adapter
from unabridged.models.answers.openai_chat import ChatAnswer
from unabridged.models.attempt import Response
from unabridged.models.openai_client import Client
from unabridged.models.refusal.evidence import evidence_of
from unabridged.wire.patching import apply

AGAIN_S = 300.0
"""Seconds for which a server that does not count is not asked again, in whichever conversation."""
_USAGE = "stream_options"
_COUNTED = ("model", "messages", "tools", "tool_choice", "response_format")
"""Fields that take part in a count."""


class OpenAIChatModel(Adapter[Client]):
    """A `Model` behind a chat completions endpoint.

    Args:
        name: As requests name it.
        base_url: Where `/chat/completions` is found below; None for OpenAI.
        api_key: None takes it from `OPENAI_API_KEY`. A server on this machine needs none.
        window: Tokens of its window, where it is known.
        patience: How long an answer is waited for.
        headers: Sent with every request.

    Raises:
        BadInput: The package is not installed, or there is no key.
    """

    dialect = "openai_chat"

    _reports_usage = True
    _has_counted = False
    _asked_again = 0.0
    """When a server that has never counted is asked again."""

    def _connect(self, base_url: str | None, api_key: str | None, headers: Mapping[str, str] | None) -> Client:
        return Client(base_url, api_key, headers)

    async def count(self, body: bytes) -> int | None:
        """Ask for the tokens of a request, its template included, as llama.cpp's server counts; None elsewhere."""
        if not self._client.endpoint:  # OpenAI's own, which has no such thing for this API
            return None
        if time.monotonic() < self._asked_again:
            return None
        asked = self._client.ask("/chat/completions/input_tokens", only(body, _COUNTED))
        tokens = await tokens_in(asked, "input_tokens")
        self._has_counted = self._has_counted or tokens is not None
        self._asked_again = 0.0 if self._has_counted else time.monotonic() + AGAIN_S
        return tokens

    async def _send(self, body: bytes) -> Response:
        try:
            return await self._client.post("/chat/completions", _prepared(body, usage=self._reports_usage))
        except Exception as error:  # of the SDK, whichever: it is asked what the server said
            if not self._reports_usage or not _refuses_usage(error):
                raise
        self._reports_usage = False
        return await self._client.post("/chat/completions", _prepared(body, usage=False))

    def _answer(self) -> ChatAnswer:
        return ChatAnswer()


def _prepared(body: bytes, *, usage: bool) -> bytes:
    """Give a request that streams, and reports usage at its end; every other character stays."""
    node = request_of(body)
    patches = [node.with_member("stream", "true")]
    if usage:
        options = node.get(_USAGE)
        if options is not None and isinstance(options.value, dict):
            patches.append(options.with_member("include_usage", "true"))
        else:
            patches.append(node.with_member(_USAGE, '{"include_usage":true}'))
    return apply(node.text, patches).encode("utf-8", "surrogatepass")


def _refuses_usage(error: Exception) -> bool:
    """Tell whether a server does not know the field that asks for usage."""
    found = evidence_of(error)
    said = " ".join((*found.texts, *found.codes))
    return found.status in (400, 422) and (_USAGE in said or "include_usage" in said)
