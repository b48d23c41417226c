"""The official SDKs' own request types as judges of what we write."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping

from pydantic import TypeAdapter


@functools.cache
def _adapter(dialect: str) -> TypeAdapter[object]:
    match dialect:
        case "anthropic":
            from anthropic.types import MessageParam

            return TypeAdapter(MessageParam)
        case "openai_responses":
            from openai.types.responses import ResponseInputItemParam

            return TypeAdapter(ResponseInputItemParam)
        case "gemini":
            from google.genai.types import Content

            return TypeAdapter(Content)
        case _:
            from openai.types.chat import ChatCompletionMessageParam

            return TypeAdapter(ChatCompletionMessageParam)


def accept(dialect: str, body: str) -> None:
    """Raise pydantic's `ValidationError` where the SDK would not let a message be sent."""
    value = json.loads(body)
    for item in value if isinstance(value, list) else [value]:
        walk(_adapter(dialect).validate_python(item, strict=False))


def walk(value: object) -> None:
    """Look at every item: pydantic checks the items of an `Iterable` only when they are asked for."""
    if isinstance(value, Mapping):
        for item in value.values():
            walk(item)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for item in value:
            walk(item)
