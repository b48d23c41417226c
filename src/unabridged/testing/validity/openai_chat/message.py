"""OpenAI Chat: the shape of one message, of its content and of its calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unabridged.testing.validity.violation import Json, Violation, as_list, as_object, kind_of

MOST_CALLS = 128
LONGEST_ID = 40
LONGEST_NAME = 64

_ROLES = frozenset({"system", "assistant", "user", "function", "tool", "developer"})
_ROLES_AS_TEXT = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'"
_PARTS: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "image_url": ("image_url", "url"),
    "input_audio": ("input_audio", "data"),
    "file": ("file",),
    "refusal": ("refusal",),
    "audio": (),
}
"""Each kind of content part with the path of what it must hold."""
_PARTS_AS_TEXT = "'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'"
_PARTS_OF_ROLE: dict[str, frozenset[str]] = {
    "user": frozenset({"text", "image_url", "input_audio", "file"}),
    "assistant": frozenset({"text", "refusal", "audio"}),
}
"""All other roles take text alone."""
_TEXT_ONLY = frozenset({"text"})
_INSTEAD_OF_CONTENT = ("tool_calls", "function_call", "refusal", "audio")
_FUNCTION_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_SPEAKER_NAME = re.compile(r"[^\s<|\\/>]+")


def bracketed(where: str) -> str:
    """Write a path the way the service does: `messages[1].tool_calls[0].id`."""
    return re.sub(r"\.(\d+)", r"[\1]", where)


def check_message(where: str, message: Json) -> Iterator[Violation]:
    """Yield what is wrong with one message by itself."""
    role = message.get("role")
    if not isinstance(role, str):
        yield _missing("role_unknown", f"{where}.role")
        return
    if role not in _ROLES:
        says = f"Invalid value: '{role}'. Supported values are: {_ROLES_AS_TEXT}."
        yield Violation("role_unknown", f"{where}.role", says)
        return
    yield from _content(where, role, message)
    yield from _speaker(where, role, message.get("name"))
    if role == "assistant":
        yield from _calls(f"{where}.tool_calls", message.get("tool_calls"))
        yield from _legacy_call(f"{where}.function_call", message.get("function_call"))
    elif role == "tool":
        yield from _id(f"{where}.tool_call_id", message.get("tool_call_id"))


def _content(where: str, role: str, message: Json) -> Iterator[Violation]:
    content = message.get("content")
    if isinstance(content, str):
        return
    if content is None:
        instead = role == "assistant" and any(message.get(field) is not None for field in _INSTEAD_OF_CONTENT)
        if not instead:
            says = "Invalid value for 'content': expected a string, got null."
            yield Violation("content_missing", f"{where}.content", says)
        return
    parts = as_list(content)
    if parts is None:
        says = f"expected one of a string or array of objects, but got {kind_of(content)} instead."
        at = f"{where}.content"
        yield Violation("content_not_text_or_parts", at, f"Invalid type for '{bracketed(at)}': {says}")
        return
    for position, part in enumerate(parts):
        yield from _part(f"{where}.content.{position}", role, part)


def _part(where: str, role: str, value: object) -> Iterator[Violation]:
    part = as_object(value)
    if part is None or not isinstance(part.get("type"), str):
        yield _missing("part_malformed", f"{where}.type")
        return
    kind = str(part.get("type"))
    if kind not in _PARTS:
        says = f"Invalid value: '{kind}'. Supported values are: {_PARTS_AS_TEXT}."
        yield Violation("part_kind_unknown", where, says)
    elif kind not in _PARTS_OF_ROLE.get(role, _TEXT_ONLY):
        yield Violation("part_in_wrong_role", where, _wrong_role(where, role, kind))
    elif not _holds(part, _PARTS[kind]):
        yield _missing("part_malformed", ".".join((where, *_PARTS[kind])))


def _holds(part: Json, path: tuple[str, ...]) -> bool:
    value: object = part
    for name in path:
        value = (as_object(value) or {}).get(name)
    return isinstance(value, str) or as_object(value) is not None


def _wrong_role(where: str, role: str, kind: str) -> str:
    message = bracketed(where.partition(".content")[0])
    if kind == "image_url":
        but = f"but this message with role '{role}' contains an image URL."
        return f"Invalid '{message}'. Image URLs are only allowed for messages with role 'user', {but}"
    return f"Invalid '{message}'. Content of type '{kind}' is not allowed for messages with role '{role}'."


def _speaker(where: str, role: str, name: object) -> Iterator[Violation]:
    at = f"{where}.name"
    if role == "function":
        yield from _function_name("function_message_without_name", at, name)
    elif isinstance(name, str) and not _SPEAKER_NAME.fullmatch(name):
        says = r"string does not match pattern. Expected a string that matches the pattern '^[^\s<|\\/>]+$'."
        yield Violation("name_malformed", at, f"Invalid '{bracketed(at)}': {says}")
    elif isinstance(name, str) and len(name) > LONGEST_NAME:
        yield _too_long("name_malformed", at, name, LONGEST_NAME)


def _calls(where: str, value: object) -> Iterator[Violation]:
    if value is None:
        return
    calls = as_list(value)
    if calls is None:
        says = f"expected an array of objects, but got {kind_of(value)} instead."
        yield Violation("tool_calls_not_a_list", where, f"Invalid type for '{bracketed(where)}': {says}")
        return
    if not calls:
        says = "empty array. Expected an array with minimum length 1, but got an empty array instead."
        yield Violation("tool_calls_empty", where, f"Invalid '{bracketed(where)}': {says}")
    if len(calls) > MOST_CALLS:
        says = f"Expected an array with maximum length {MOST_CALLS}, but got an array with length {len(calls)} instead."
        yield Violation("too_many_tool_calls", where, f"Invalid '{bracketed(where)}': array too long. {says}")
    for position, call in enumerate(calls):
        yield from _call(f"{where}.{position}", call)


def _call(where: str, value: object) -> Iterator[Violation]:
    call = as_object(value)
    kind = None if call is None else call.get("type")
    if call is None or kind not in ("function", "custom"):
        yield _missing("call_malformed", f"{where}.type")
        return
    yield from _id(f"{where}.id", call.get("id"))
    what = as_object(call.get(str(kind)))
    at = f"{where}.{kind}"
    if what is None:
        yield _missing("call_malformed", at)
        return
    yield from _function_name("call_name_malformed", f"{at}.name", what.get("name"))
    field = "arguments" if kind == "function" else "input"
    yield from _arguments(f"{at}.{field}", what.get(field))


def _legacy_call(where: str, value: object) -> Iterator[Violation]:
    if value is None:
        return
    call = as_object(value) or {}
    yield from _function_name("call_name_malformed", f"{where}.name", call.get("name"))
    yield from _arguments(f"{where}.arguments", call.get("arguments"))


def _arguments(where: str, value: object) -> Iterator[Violation]:
    if value is None:
        yield _missing("arguments_not_text", where)
    elif not isinstance(value, str):
        says = f"expected a string, but got {kind_of(value)} instead."
        yield Violation("arguments_not_text", where, f"Invalid type for '{bracketed(where)}': {says}")


def _id(where: str, value: object) -> Iterator[Violation]:
    if not isinstance(value, str):
        yield _missing("call_id_missing", where)
    elif not value:
        yield _empty("call_id_missing", where)
    elif len(value) > LONGEST_ID:
        yield _too_long("call_id_too_long", where, value, LONGEST_ID)


def _function_name(rule: str, where: str, value: object) -> Iterator[Violation]:
    if not isinstance(value, str):
        yield _missing(rule, where)
    elif not value:
        yield _empty(rule, where)
    elif not _FUNCTION_NAME.fullmatch(value):
        says = "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        yield Violation(rule, where, f"Invalid '{bracketed(where)}': {says}")
    elif len(value) > LONGEST_NAME:
        yield _too_long(rule, where, value, LONGEST_NAME)


def _missing(rule: str, where: str) -> Violation:
    return Violation(rule, where, f"Missing required parameter: '{bracketed(where)}'.")


def _empty(rule: str, where: str) -> Violation:
    says = "empty string. Expected a string with minimum length 1, but got an empty string instead."
    return Violation(rule, where, f"Invalid '{bracketed(where)}': {says}")


def _too_long(rule: str, where: str, value: str, most: int) -> Violation:
    says = f"Expected a string with maximum length {most}, but got a string with length {len(value)} instead."
    return Violation(rule, where, f"Invalid '{bracketed(where)}': string too long. {says}")
