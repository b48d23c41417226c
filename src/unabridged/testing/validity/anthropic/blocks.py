"""Anthropic Messages: the shape of one content block, and the role that it may stand in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from unabridged.testing.validity.violation import Json, Violation, as_list, as_object

LONGEST_TOOL_NAME = 200

_USER_ONLY = frozenset({"tool_result", "image"})
_ASSISTANT_ONLY = frozenset({"tool_use", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"})
_SYSTEM_KINDS = frozenset({"text", "tool_addition", "tool_removal"})
_OTHER_KINDS = frozenset({"text", "document", "search_result", "container_upload", "compaction", "fallback"})
_RESULT_KINDS = frozenset({"text", "image", "document", "search_result", "tool_reference"})
_SOURCES = ("base64", "content", "file", "text", "url")
_IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})

_CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_SERVER_CALL_ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")


def check_block(where: str, role: str, value: object) -> Iterator[Violation]:
    """Yield what is wrong with one block by itself, in a message of `role`."""
    block = as_object(value)
    if block is None:
        yield Violation("block_malformed", where, f"{where}: Input should be an object")
        return
    kind = block.get("type")
    if not isinstance(kind, str):
        yield _required("block_malformed", f"{where}.type")
        return
    misplaced = _misplaced(where, role, kind)
    if misplaced is not None:
        yield misplaced
    elif kind in _SHAPES:
        yield from _SHAPES[kind](f"{where}.{kind}", block)


def _misplaced(where: str, role: str, kind: str) -> Violation | None:
    only = _only_in(kind)
    message = where.partition(".content")[0]
    if role == "system":
        if kind in _SYSTEM_KINDS:
            return None
        says = f"{message}: role 'system' supports text, tool_addition, and tool_removal blocks only"
        return Violation("block_in_wrong_role", where, says)
    if only is None and kind not in _OTHER_KINDS:
        says = f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
        return Violation("block_kind_unknown", where, says)
    if only is None or role == only:
        return None
    return Violation("block_in_wrong_role", where, f"{message}: `{kind}` blocks can only be in `{only}` messages")


def _only_in(kind: str) -> str | None:
    if kind in _USER_ONLY:
        return "user"
    return "assistant" if kind in _ASSISTANT_ONLY or kind.endswith("_tool_result") else None


def _text(where: str, block: Json) -> Iterator[Violation]:
    text = block.get("text")
    if not isinstance(text, str):
        yield _required("block_malformed", f"{where}.text")
    elif not text:
        marked = f"{where}: cache_control cannot be set for empty text blocks"
        says = marked if block.get("cache_control") else "messages: text content blocks must be non-empty"
        yield Violation("text_empty", where.removesuffix(".text"), says)


def _tool_use(where: str, block: Json) -> Iterator[Violation]:
    yield from _id(f"{where}.id", block.get("id"), _CALL_ID, "^[a-zA-Z0-9_-]+$")
    yield from _call(where, block)


def _server_tool_use(where: str, block: Json) -> Iterator[Violation]:
    yield from _id(f"{where}.id", block.get("id"), _SERVER_CALL_ID, "^srvtoolu_[a-zA-Z0-9_]+$")
    yield from _call(where, block)


def _call(where: str, block: Json) -> Iterator[Violation]:
    name = block.get("name")
    if not isinstance(name, str):
        yield _required("call_name_malformed", f"{where}.name")
    elif not 0 < len(name) <= LONGEST_TOOL_NAME:
        limit = f"at most {LONGEST_TOOL_NAME} characters" if name else "at least 1 character"
        yield Violation("call_name_malformed", f"{where}.name", f"{where}.name: String should have {limit}")
    if "input" not in block:
        yield _required("input_not_an_object", f"{where}.input")
    elif as_object(block["input"]) is None:
        yield Violation("input_not_an_object", f"{where}.input", f"{where}.input: Input should be an object")


def _tool_result(where: str, block: Json) -> Iterator[Violation]:
    yield from _id(f"{where}.tool_use_id", block.get("tool_use_id"), _CALL_ID, "^[a-zA-Z0-9_-]+$")
    content = block.get("content")
    if content is None or isinstance(content, str):
        return
    at = f"{where}.content"
    parts = as_list(content)
    if parts is None:
        yield Violation("content_not_text_or_blocks", at, f"{at}: Input should be a valid array")
        return
    for position, part in enumerate(parts):
        yield from _result_part(f"{at}.{position}", part)
    if block.get("is_error") is True and any((as_object(part) or {}).get("type") != "text" for part in parts):
        says = f'{where}: all content must be type "text" if `is_error` is true'
        yield Violation("error_result_not_text", where, says)


def _result_part(where: str, value: object) -> Iterator[Violation]:
    part = as_object(value) or {}
    kind = part.get("type")
    if not isinstance(kind, str):
        yield _required("block_malformed", f"{where}.type")
    elif kind not in _RESULT_KINDS:
        says = f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
        yield Violation("result_content_kind", where, f"{says}: 'document', 'image', 'search_result', 'text'")
    elif kind in _SHAPES:
        yield from _SHAPES[kind](f"{where}.{kind}", part)


def _thinking(where: str, block: Json) -> Iterator[Violation]:
    if not isinstance(block.get("thinking"), str):
        yield _required("thinking_malformed", f"{where}.thinking")
    signature = block.get("signature")
    if not isinstance(signature, str):
        yield _required("thinking_malformed", f"{where}.signature")
    elif not signature:
        yield Violation("thinking_malformed", f"{where}.signature", f"{where}: Invalid `signature` in `thinking` block")
    yield from _unmarked(where, block)


def _redacted_thinking(where: str, block: Json) -> Iterator[Violation]:
    data = block.get("data")
    if not isinstance(data, str):
        yield _required("thinking_malformed", f"{where}.data")
    elif not data:
        yield Violation("thinking_malformed", f"{where}.data", f"{where}: Invalid `data` in `redacted_thinking` block")
    yield from _unmarked(where, block)


def _unmarked(where: str, block: Json) -> Iterator[Violation]:
    if block.get("cache_control") is not None:
        at = f"{where}.cache_control"
        yield Violation("cache_mark_on_thinking", at, f"{at}: Extra inputs are not permitted")


def _media(where: str, block: Json) -> Iterator[Violation]:
    source = as_object(block.get("source"))
    if source is None:
        yield _required("source_malformed", f"{where}.source")
        return
    kind = source.get("type")
    if kind not in _SOURCES:
        expected = ", ".join(f"'{name}'" for name in _SOURCES)
        says = (
            f"{where}.source: Input tag '{kind}' found using 'type' does not match any of the expected tags: {expected}"
        )
        yield Violation("source_malformed", f"{where}.source", says)
    elif kind == "base64":
        yield from _base64(f"{where}.source.base64", source, picture=block.get("type") == "image")


def _base64(where: str, source: Json, *, picture: bool) -> Iterator[Violation]:
    if not isinstance(source.get("data"), str) or not source["data"]:
        yield _required("source_malformed", f"{where}.data")
    if picture and source.get("media_type") not in _IMAGE_TYPES:
        at = f"{where}.media_type"
        says = "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
        yield Violation("image_type", at, f"{at}: {says}")


def _id(where: str, value: object, pattern: re.Pattern[str], shown: str) -> Iterator[Violation]:
    if not isinstance(value, str):
        yield _required("call_id_malformed", where)
    elif not pattern.fullmatch(value):
        yield Violation("call_id_malformed", where, f"{where}: String should match pattern '{shown}'")


def _required(rule: str, where: str) -> Violation:
    return Violation(rule, where, f"{where}: Field required")


_SHAPES: dict[str, Callable[[str, Json], Iterator[Violation]]] = {
    "text": _text,
    "image": _media,
    "document": _media,
    "tool_use": _tool_use,
    "mcp_tool_use": _tool_use,
    "server_tool_use": _server_tool_use,
    "tool_result": _tool_result,
    "thinking": _thinking,
    "redacted_thinking": _redacted_thinking,
}
