"""The official SDKs' own request types as judges of what we write."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping

from pydantic import TypeAdapter


@functools.cache
def _adapter(dialect: str) -> TypeAdapter[object]:
    if dialect == "anthropic":
        from anthropic.types import MessageParam

        return TypeAdapter(MessageParam)
    from openai.types.chat import ChatCompletionMessageParam

    return TypeAdapter(ChatCompletionMessageParam)


def accept(dialect: str, body: str) -> None:
    """Raise pydantic's `ValidationError` where the SDK would not let a message be sent."""
    _walk(_adapter(dialect).validate_python(json.loads(body), strict=False))


def _walk(value: object) -> None:
    """Look at every item: pydantic checks the items of an `Iterable` only when they are asked for."""
    if isinstance(value, Mapping):
        for item in value.values():
            _walk(item)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for item in value:
            _walk(item)
