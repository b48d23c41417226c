"""Requests in the one form that the oracles take: messages of Chat Completions, as plain JSON.

Long texts are shortened: an oracle looks at whether there is one. Blank texts are mended by litellm because Anthropic
refuses them. Where they are taken they are none of its business: a dash stands for them in what goes to OpenAI, and one
that a model of Anthropic wrote in front of something else, whose API takes it back, is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = dict[str, Any]
SHOWN = 200
"""Characters of a text that are kept."""
BLANK = "-"


def chat_messages(dialect: str, messages: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Give the messages of a request to `openai_chat` or `anthropic`."""
    if dialect == "openai_chat":
        return [{**message, "content": _worded(_short(message.get("content")))} for message in messages]
    return [each for message in _joined(messages) for each in _from_anthropic(message)]


def _joined(messages: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Join messages of the model that follow each other to one, as that API does."""
    joined: list[Json] = []
    for message in messages:
        if joined and joined[-1]["role"] == message["role"] == "assistant":
            joined[-1]["content"] = [*joined[-1]["content"], *_blocks(message)]
        else:
            joined.append({"role": message["role"], "content": _blocks(message)})
    return joined


def _blocks(message: Mapping[str, Any]) -> list[Json]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _from_anthropic(message: Mapping[str, Any]) -> Iterator[Json]:
    """Give a message as one, or a message of results as one for each and one for what stands beside them."""
    blocks = _blocks(message)
    if message["role"] == "assistant":
        yield _answer(blocks)
        return
    beside: list[Json] = []
    for block in blocks:
        if block["type"] == "tool_result":
            if beside:
                yield {"role": message["role"], "content": beside}
                beside = []
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _result(block.get("content"))}
        else:
            beside.append(_block(block))
    if beside:
        yield {"role": message["role"], "content": beside}


def _answer(blocks: Sequence[Json]) -> Json:
    says = [block for block in blocks if block["type"] != "text" or block["text"].strip()] or blocks
    texts = [_block(block) for block in says if block["type"] == "text"]
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    answer: Json = {"role": "assistant", "content": texts or None}
    return {**answer, "tool_calls": calls} if calls else answer


def _result(content: object) -> object:
    return "" if content is None else _short(content)


def _short(content: object) -> object:
    if isinstance(content, str):
        return content[:SHOWN]
    return [_block(block) for block in content] if isinstance(content, list) else content


def _worded(content: object) -> object:
    if isinstance(content, str):
        return content if content.strip() else BLANK
    blocks = content if isinstance(content, list) else []
    return [{**block, "text": _worded(block["text"])} if "text" in block else block for block in blocks] or None


def _block(block: Json) -> Json:
    if block.get("type") == "text":
        return {"type": "text", "text": block["text"][:SHOWN]}
    return {"type": "image_url", "image_url": {"url": "data:,"}}  # any other block: it is there
