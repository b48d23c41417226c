"""A message as its provider writes it, in each of the four dialects, made of one neutral value.

Written for tests from what clients send and providers answer. Nothing here is shared with the wires of the library.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, cast

import msgspec

from unabridged.errors import BadInput
from unabridged.testing.forms import SIGNED, as_content, as_items
from unabridged.testing.models import Call

Body = dict[str, Any]
"""One message, or one item of it, as decoded JSON."""
LISTED = {"anthropic": "messages", "gemini": "contents", "openai_chat": "messages", "openai_responses": "input"}
"""The field of a request that holds the messages, by dialect."""
TOOL = "run"
"""The name of every tool that is called here."""


class Result(msgspec.Struct, frozen=True):
    """What a call gave back."""

    call_id: str
    text: str | None = None
    pictures: tuple[bytes, ...] = ()
    """PNG files."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One message, whoever its provider is. With results it is those and nothing else."""

    role: str
    """`system`, `user` or `assistant`."""
    text: str | None = None
    thoughts: tuple[str, ...] = ()
    pictures: tuple[bytes, ...] = ()
    """PNG files."""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()


def written(said: Said, dialect: str, seed: str) -> list[Body]:
    """Write a message: several bodies where the dialect has a message, or an item, for each result or each call.

    `seed` makes the ids that a provider gives to its items.

    Raises:
        BadInput: The dialect is unknown.
    """
    writer = _WRITERS.get(dialect)
    if writer is None:
        raise BadInput(
            f"no messages can be written for the dialect {dialect!r}: use one of {', '.join(sorted(LISTED))}"
        )
    return writer(said, seed)


def _chat(said: Said, seed: str = "") -> list[Body]:
    del seed
    if said.results:
        return [
            {"role": "tool", "tool_call_id": result.call_id, "content": _chat_content(result.text, result.pictures)}
            for result in said.results
        ]
    body: Body = {"role": said.role, "content": _chat_content(said.text, said.pictures)}
    if said.calls:
        body["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in said.calls
        ]
    elif body["content"] is None:
        body["content"] = ""
    if said.thoughts:
        body["reasoning_content"] = "\n\n".join(said.thoughts)
    return [body]


def _chat_content(text: str | None, pictures: tuple[bytes, ...]) -> Any:
    if not pictures:
        return text
    urls = [f"data:image/png;base64,{base64.b64encode(picture).decode()}" for picture in pictures]
    shown = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [*_texts(text), *shown]


def _texts(text: str | None) -> list[Body]:
    return [] if text is None else [{"type": "text", "text": text}]


def _anthropic(said: Said, seed: str = "") -> list[Body]:
    del seed
    if said.results:
        return [{"role": "user", "content": [_result_block(result) for result in said.results]}]
    content = [{"type": "thinking", "thinking": thought, "signature": SIGNED} for thought in said.thoughts]
    content += _texts(said.text)
    content += [_image(picture) for picture in said.pictures]
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _object(call.arguments)} for call in said.calls
    ]
    return [{"role": said.role, "content": content}]


def _image(picture: bytes) -> Body:
    data = base64.b64encode(picture).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def _result_block(result: Result) -> Body:
    content: Any = result.text or ""
    if result.pictures:
        content = [*_texts(result.text), *map(_image, result.pictures)]
    return {"type": "tool_result", "tool_use_id": result.call_id, "content": content}


def _object(arguments: str) -> Body:
    """Read arguments where a dialect wants an object; what is none, as of an answer that was cut off, is put in one."""
    try:
        decoded: Any = json.loads(arguments)
    except ValueError:
        decoded = None
    return cast(Body, decoded) if isinstance(decoded, dict) else {"input": arguments}


def _responses(said: Said, seed: str) -> list[Body]:
    items: list[Body] = []
    for body in _chat(said):
        given = as_items(body, said.thoughts, seed)
        items += given if isinstance(given, list) else [given]
    return items


def _gemini(said: Said, seed: str = "") -> list[Body]:
    del seed
    return [as_content(body) for body in _anthropic(said)]


_WRITERS: dict[str, Callable[[Said, str], list[Body]]] = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai_chat": _chat,
    "openai_responses": _responses,
}
