"""Texts that are no summaries of anything: tool syntax, errors of providers and proxies, refusals."""

from __future__ import annotations

import json
import re
from typing import cast

from unabridged.summarizer.elements import without_fences
from unabridged.summarizer.languages import declining

SHORT = 2_500
"""Characters up to which a text can be nothing but an error or a refusal."""
OPENING = 300
"""Characters at the start in which a text says what it is."""
SYNTAX_SHARE = 0.3
"""Share of a text's lines, outside quotations, from which tool syntax is what it is made of."""

_INLINE = re.compile(r"`{1,3}[^`\n]+`{1,3}")
# Hermes and Qwen, Llama, Mistral, DeepSeek, Anthropic's XML, Harmony, GLM, MiniMax, Kimi, Cline and Roo, ReAct.
_SYNTAX = re.compile(
    r"^[ \t]*(?:"
    r"</?(?:tool_calls?|tool_use|function_calls?|function_results?|invoke|antml:\w+|minimax:tool_call|tool_code"
    r"|execute_command|read_file|write_to_file|replace_in_file|attempt_completion|use_mcp_tool|arg_key|arg_value)\b[^\n]*>"
    r"|<(?:function|parameter|tool)[= ][^\n>]*>"
    r"|<\|(?:tool_calls?|tool_call_begin|tool_calls_section_begin|python_tag|action_start|plugin|call)\b[^\n]*"
    r"|<\|?\uff5c[^\n]*"
    r"|<\|channel\|>commentary\b[^\n]*|<\|start\|>assistant\b[^\n]*|[^\n]{0,40}\bto=functions\.[^\n]*"
    r"|\[TOOL_CALLS?\][^\n]*|\[TOOL_REQUEST\][^\n]*|\*\*\* Begin Patch\b[^\n]*"
    r"|\{\s*\"(?:name|tool|tool_name|function|action|tool_calls|recipient_name)\"\s*:[^\n]*"
    r"|(?:Action|Action Input|Tool Input): ?\S[^\n]*"
    r")",
    re.MULTILINE,
)
_CALL_KEYS = frozenset(
    {"name", "tool", "tool_name", "function", "action", "tool_calls", "arguments", "parameters", "input"}
)
_ERROR_KEYS = frozenset({"error", "errors", "detail", "message", "code", "status", "type", "error_code", "msg"})
_STATUS = (
    r"(?:API |HTTP |Server |Request |Upstream |Provider |LLM )?Error(?: code)?:? ?\(?[45]\d\d\b",
    r"(?:HTTP(?:/\d(?:\.\d)?)? )?[45]\d\d[ :]+(?:Bad|Too|Internal|Service|Gateway|Unauthorized|Forbidden|Not|Payment"
    r"|Request|Payload|Unprocessable|Conflict|\{)",
    r"(?:Bad Gateway|Service Unavailable|Gateway Time-?out|Internal Server Error|Too Many Requests"
    r"|Request Entity Too Large)\b",
    r"upstream (?:connect|request)|no healthy upstream|error code: \d{3,4}\b",
)
_EXCEPTIONS = (
    r"(?:litellm|openai|anthropic|google|httpx|requests)\.[\w.]*(?:Error|Exception)\b",
    r"(?:RateLimit|API|Authentication|BadRequest|ContextWindowExceeded|InternalServer)\w*Error\b",
    r"Traceback \(most recent call last\)",
)
_SENTENCES = (
    r"Prompt is too long|This model's maximum context length|Your credit balance is too low",
    r"Rate limit (?:reached|exceeded)|You exceeded your current quota|Insufficient (?:balance|credits|quota)",
    r"(?:Incorrect|Invalid) API key|The server is overloaded|Overloaded\b|Connection error|Request timed out",
    r"The model `[^`]+` does not exist|Model not found|Execution error|API Error|fetch failed|stream error",
    r"An error occurred",
)
_ERROR = re.compile(
    rf"\s*(?:<!DOCTYPE html|<html\b|<head>|<\?xml|{'|'.join((*_STATUS, *_EXCEPTIONS, *_SENTENCES))})", re.IGNORECASE
)
_REFUSES = re.compile(
    r"\b(?:I(?:'m| am)? ?(?:very |so |really )?(?:sorry|apologi[sz]e)\b[^.\n]{0,60}"
    r"\b(?:can'?t|cannot|can not|unable|won'?t|not able)"
    r"|I(?:'m| am)? ?(?:can'?t|cannot|can not|unable to|not able to|won'?t|will not|must decline to|decline to)"
    r" (?:help|assist|comply|fulfil+|provide|do that|do this|summari[sz]e|process|continue|create|engage|produce"
    r"|complete|respond)"
    r"|as an AI(?: language)? model,? I"
    r"|(?:violates?|against) (?:our|my|the) (?:\w+ )?(?:policy|policies|guidelines)"
    r"|your request (?:was|has been) (?:blocked|flagged|rejected)|content (?:policy|management policy))",
    re.IGNORECASE,
)


def is_error_text(text: str) -> bool:
    """Tell whether a text is an error body, or the page of a proxy, and nothing else."""
    if len(text) > SHORT and not text.lstrip()[:15].lower().startswith(("<!doctype html", "<html")):
        return False
    keys = _keys(text)
    if keys is not None:
        return bool(keys & {"error", "errors"}) or (bool(keys) and keys <= _ERROR_KEYS)
    return _ERROR.match(text) is not None


def is_refusal(text: str) -> bool:
    """Tell whether a text declines, and says little else."""
    if len(text) > SHORT:
        return False
    start = text[:OPENING].replace("\u2019", "'")
    return _REFUSES.search(start) is not None or declining().search(start) is not None


def is_tool_syntax(text: str) -> bool:
    """Tell whether a text is, begins, or ends as a tool call. One that quotes some is a summary still."""
    keys = _keys(_unfenced(text))
    if keys is not None:
        return bool(keys & _CALL_KEYS)
    plain = _INLINE.sub("x", without_fences(text)).strip()
    found = list(_SYNTAX.finditer(plain))
    if not found:
        return False
    lines = [line for line in plain.split("\n") if line.strip()]
    begins, ends = not plain[: found[0].start()].strip(), found[-1].end() >= len(plain) - 1
    return begins or ends or len(found) >= SYNTAX_SHARE * len(lines)


def _unfenced(text: str) -> str:
    # A call as the only content of a code block is still a call.
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```") and "\n" in stripped:
        return stripped.split("\n", 1)[1].rsplit("```", 1)[0]
    return stripped


def _keys(text: str) -> set[str] | None:
    """Give the keys of a text that is one JSON object, or a list of some; None for any other text."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")) or not stripped.endswith(("}", "]")):
        return None
    try:
        value: object = json.loads(stripped, strict=False, parse_int=float)
    except (ValueError, RecursionError):
        return None
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    return set(cast("dict[str, object]", items[0])) if items and isinstance(items[0], dict) else set()
