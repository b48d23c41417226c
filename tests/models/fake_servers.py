"""Servers of models that answer as llama.cpp, Ollama, LM Studio and vLLM do; and environments that know none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Message = dict[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

KEYS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
    "DEEPSEEK_API_KEY",
    "MISTRAL_API_KEY",
    "XAI_API_KEY",
    "OLLAMA_HOST",
    "UNABRIDGED_MODEL",
)
"""What of the environment decides on a model."""

LLAMA_CPP: dict[str, Any] = {
    "/v1/models": {
        "models": [{"name": "toy", "model": "toy", "type": "model"}],
        "object": "list",
        "data": [
            {"id": "toy", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx": 4096, "n_ctx_train": 8192}}
        ],
    },
    "/props": {"default_generation_settings": {"id": 0, "n_ctx": 2048, "params": {"seed": 1}}, "total_slots": 2},
}
OLLAMA: dict[str, Any] = {
    "/v1/models": {
        "object": "list",
        "data": [
            {"id": "qwen3:8b", "object": "model", "created": 1, "owned_by": "library"},
            {"id": "coder:latest", "object": "model", "created": 1, "owned_by": "library"},
            {"id": "llama3.1:8b", "object": "model", "created": 1, "owned_by": "library"},
        ],
    },
    "/api/ps": {"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 1, "context_length": 4096}]},
    "/api/show qwen3:8b": {"parameters": "stop x", "model_info": {"qwen3.context_length": 40960}},
    "/api/show coder:latest": {
        "parameters": "temperature 0\nnum_ctx                        16384\nstop num_ctx",
        "model_info": {"llama.context_length": 131072},
    },
    "/api/show llama3.1:8b": {"model_info": {"general.architecture": "llama", "llama.context_length": 131072}},
}
LM_STUDIO: dict[str, Any] = {
    "/v1/models": {"object": "list", "data": [{"id": "gemma-3", "object": "model", "owned_by": "organization_owner"}]},
    "/api/v0/models": {
        "object": "list",
        "data": [
            {
                "id": "gemma-3",
                "type": "vlm",
                "state": "loaded",
                "max_context_length": 131072,
                "loaded_context_length": 8192,
            },
            {"id": "qwen3-4b", "type": "llm", "state": "not-loaded", "max_context_length": 40960},
            {"id": "nomic", "type": "embeddings", "state": "not-loaded", "max_context_length": 2048},
        ],
    },
}
VLLM: dict[str, Any] = {
    "/v1/models": {
        "object": "list",
        "data": [{"id": "meta/llama", "object": "model", "owned_by": "vllm", "root": "x", "max_model_len": 32768}],
    }
}


def answering(
    routes: Mapping[str, Any], *, wait_s: float = 0.0, missing: int = 404, asked: list[Message] | None = None
) -> App:
    """Give an application that answers these paths, each with JSON or bytes, and all others with `missing`.

    A path with a word behind it answers a request that names this model. `asked` gets every request.
    """

    async def app(
        scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        body = (await receive()).get("body", b"")
        path = scope["path"]
        if asked is not None:
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            asked.append({"path": path, "headers": headers})
        if body:
            path = f"{path} {json.loads(body)['model']}"
        await asyncio.sleep(wait_s)
        found = routes.get(path)
        said = found if isinstance(found, bytes) else json.dumps({"error": "no"} if found is None else found).encode()
        status = missing if found is None else 200
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(said)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": said})

    return app
