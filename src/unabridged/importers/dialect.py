"""Tells the requests of OpenAI's two interfaces, Anthropic's and Gemini's apart by what is in them.

OpenAI Responses has `input` and Gemini `contents` where the others have `messages`. Between the others, what only one
of the two can read decides, in this order: the messages, then the fields beside them. A message of plain text is the
same in both. There `max_tokens`, which Anthropic demands, speaks for Anthropic as long as nothing speaks for OpenAI;
with nothing at all to go by, it is OpenAI's.
"""

from __future__ import annotations

import msgspec

from unabridged.importers.json_reading import NOTHING, Fields, decoded, fields_of, text_of

OPENAI = "openai_chat"
RESPONSES = "openai_responses"
ANTHROPIC = "anthropic"
GEMINI = "gemini"

LISTED = {"input": RESPONSES, "contents": GEMINI}
"""Dialects that call the list of messages by another name."""

_OPENAI_ROLES = {"tool", "developer", "function"}
_OPENAI_MEMBERS = {"tool_calls", "tool_call_id", "function_call", "refusal", "reasoning", "reasoning_content"}
_OPENAI_BLOCKS = {"image_url", "input_audio", "file", "refusal", "video_url", "document_url"}
_OPENAI_FIELDS = {
    "frequency_penalty", "functions", "logit_bias", "logprobs", "max_completion_tokens", "n", "parallel_tool_calls",
    "presence_penalty", "reasoning_effort", "response_format", "seed", "stop", "stream_options", "user",
}  # fmt: skip
_ANTHROPIC_BLOCKS = {
    "tool_use", "tool_result", "redacted_thinking", "server_tool_use", "container_upload", "compaction",
    "search_result", "tool_reference", "tool_addition",
}  # fmt: skip
# The last two are those of Bedrock's Converse, whose messages are Anthropic's in other words.
_ANTHROPIC_FIELDS = {"anthropic_beta", "anthropic_version", "stop_sequences", "system", "inferenceConfig", "toolConfig"}


def dialect_of(request: Fields) -> str | None:
    """Give the name of the wire that a request is for, None where it could be either."""
    if "messages" not in request:
        return next((dialect for member, dialect in LISTED.items() if member in request), None)
    messages = [fields_of(message) for message in decoded(request.get("messages", NOTHING), list[msgspec.Raw]) or []]
    blocks = [block for message in messages for block in _blocks(message)]
    tools = [fields_of(tool) for tool in decoded(request.get("tools", NOTHING), list[msgspec.Raw]) or []]
    if any(map(_is_openai_message, messages)) or any(text_of(block, "type") in _OPENAI_BLOCKS for block in blocks):
        return OPENAI
    if any(map(_is_anthropic_block, blocks)) or _ANTHROPIC_FIELDS & request.keys():
        return ANTHROPIC
    if any("input_schema" in tool for tool in tools):
        return ANTHROPIC
    if _OPENAI_FIELDS & request.keys() or any("function" in tool for tool in tools) or _begins_with_system(messages):
        return OPENAI
    return ANTHROPIC if "max_tokens" in request else None


def is_bedrock(request: Fields) -> bool:
    """Tell whether this is a request to Bedrock's Converse, whose content blocks name no type."""
    return "messages" in request and bool({"inferenceConfig", "toolConfig"} & request.keys())


def _blocks(message: Fields) -> list[Fields]:
    content = message.get("content", NOTHING)
    return [fields_of(block) for block in decoded(content, list[msgspec.Raw]) or []]


def _is_openai_message(message: Fields) -> bool:
    return bool(_OPENAI_MEMBERS & message.keys()) or text_of(message, "role") in _OPENAI_ROLES


def _is_anthropic_block(block: Fields) -> bool:
    kind = text_of(block, "type")
    if kind == "thinking":
        # Other providers have thoughts too; only Anthropic signs them.
        return "signature" in block
    if kind in ("image", "document"):
        return "source" in block
    return kind in _ANTHROPIC_BLOCKS or kind.endswith("_tool_result")


def _begins_with_system(messages: list[Fields]) -> bool:
    return bool(messages) and text_of(messages[0], "role") == "system"
