"""The forms of two more providers, made of those of the first two: Responses items, Gemini contents."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

SIGNED = "c2lnbmVk"
"""What stands where a provider puts a signature."""


def as_items(chat: dict[str, Any], thoughts: Sequence[str], seed: str) -> Any:
    """Give an OpenAI chat message as Responses has it: one item, or the items of an answer."""
    match chat:
        case {"role": "tool"}:
            return {"type": "function_call_output", "call_id": chat["tool_call_id"], "output": _given(chat["content"])}
        case {"role": "assistant"}:
            items = list(_answer(chat, thoughts, f"{zlib.crc32(seed.encode()):08x}"))
            return items[0] if len(items) == 1 else items
        case _:
            return {"role": chat["role"], "content": _given(chat["content"])}


def _given(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [
        {"type": "input_text", "text": block["text"]}
        if block["type"] == "text"
        else {"type": "input_image", "image_url": block["image_url"]["url"], "detail": "auto"}
        for block in content
    ]


def _answer(chat: dict[str, Any], thoughts: Sequence[str], id: str) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(thoughts):
        summary = [{"type": "summary_text", "text": text}]
        yield {"type": "reasoning", "id": f"rs_{id}{number}", "summary": summary, "encrypted_content": SIGNED}
    if chat["content"] is not None:
        block: dict[str, Any] = {"type": "output_text", "text": chat["content"], "annotations": []}
        message = {"type": "message", "role": "assistant", "status": "completed", "content": [block]}
        yield {"id": f"msg_{id}", **message}
    for number, call in enumerate(chat.get("tool_calls", ())):
        function = {"name": call["function"]["name"], "arguments": call["function"]["arguments"]}
        yield {"type": "function_call", "id": f"fc_{id}{number}", "call_id": call["id"], **function}


def as_content(anthropic: dict[str, Any]) -> dict[str, Any]:
    """Give an Anthropic message as Gemini has it. There is no system's turn: it is the user's."""
    content = anthropic["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    role = "model" if anthropic["role"] == "assistant" else "user"
    parts = [_part(block) for block in blocks]
    calls = [part for part in parts if "functionCall" in part]
    if calls:
        calls[0]["thoughtSignature"] = SIGNED
    return {"role": role, "parts": parts}


def _part(block: dict[str, Any]) -> dict[str, Any]:
    match block["type"]:
        case "text":
            return {"text": block["text"]}
        case "thinking":
            return {"text": block["thinking"], "thought": True}
        case "tool_use":
            return {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}
        case "tool_result":
            return {"functionResponse": _response(block)}
        case _:
            source = block["source"]
            return {"inlineData": {"mimeType": source["media_type"], "data": source["data"]}}


def _response(block: dict[str, Any]) -> dict[str, Any]:
    content = block["content"]
    pieces: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [piece["text"] for piece in pieces if piece["type"] == "text"]
    media = [_part(piece) for piece in pieces if piece["type"] != "text"]
    response: dict[str, Any] = {"output": texts[0]} if texts else {}
    answer: dict[str, Any] = {"id": block["tool_use_id"], "name": "run", "response": response}
    return answer | ({"parts": media} if media else {})
