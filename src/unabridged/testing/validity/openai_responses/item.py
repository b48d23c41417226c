"""OpenAI Responses: the shape of one item."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unabridged.testing.validity.openai_responses.content import check_content, check_output
from unabridged.testing.validity.violation import Json, Violation, as_list, as_object, kind_of

LONGEST_ID = 64
LONGEST_NAME = 128

_ROLES = ("assistant", "system", "developer", "user")
_KINDS = (
    "additional_tools",
    "agent_message",
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "compaction",
    "compaction_trigger",
    "computer_call",
    "computer_call_output",
    "configuration_update",
    "custom_tool_call",
    "custom_tool_call_output",
    "file_search_call",
    "function_call",
    "function_call_output",
    "image_generation_call",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "message",
    "multi_agent_call",
    "multi_agent_call_output",
    "program",
    "program_output",
    "reasoning",
    "shell_call",
    "shell_call_output",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
)
_TEXTS: dict[str, tuple[str, ...]] = {
    "function_call": ("call_id", "name", "arguments"),
    "custom_tool_call": ("call_id", "name", "input"),
    "function_call_output": ("call_id",),
    "custom_tool_call_output": ("call_id",),
}
"""Members that an item of a kind must hold, as text."""
_PREFIXES = {
    "message": "msg",
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "reasoning": "rs",
    "web_search_call": "ws",
}
_NAME = re.compile(r"[a-zA-Z0-9_-]+")


def check_item(index: int, value: object) -> Iterator[Violation]:
    """Yield what is wrong with one item by itself."""
    where, shown = f"input.{index}", f"input[{index}]"
    item = as_object(value)
    if item is None:
        what = "null" if value is None else kind_of(value)
        says = f"Invalid type for '{shown}': expected an input item, but got {what} instead."
        yield Violation("item_not_an_object", where, says)
        return
    kind = item.get("type", "item_reference" if set(item) == {"id"} else "message")
    if not isinstance(kind, str) or kind not in _KINDS:
        given = kind if isinstance(kind, str) else ""
        yield Violation("item_kind_unknown", where, _unsupported(given, _KINDS))
        return
    if kind == "message":
        yield from _message(where, shown, item)
    elif kind == "reasoning":
        yield from _reasoning(where, shown, item)
    yield from _members(where, shown, kind, item)
    yield from _id(where, shown, kind, item.get("id"))


def _message(where: str, shown: str, item: Json) -> Iterator[Violation]:
    role = item.get("role")
    if role not in _ROLES:
        yield Violation("role_unknown", where, _unsupported(role if isinstance(role, str) else "", _ROLES))
    else:
        yield from check_content(where, shown, str(role), item)


def _reasoning(where: str, shown: str, item: Json) -> Iterator[Violation]:
    if as_list(item.get("summary")) is None:
        says = f"Missing required parameter: '{shown}.summary'."
        yield Violation("item_malformed", f"{where}.summary", says)


def _members(where: str, shown: str, kind: str, item: Json) -> Iterator[Violation]:
    for member in _TEXTS.get(kind, ()):
        value = item.get(member)
        at = f"{where}.{member}"
        if value is None:
            yield Violation("item_malformed", at, f"Missing required parameter: '{shown}.{member}'.")
        elif not isinstance(value, str):
            says = f"expected a string, but got {kind_of(value)} instead."
            yield Violation("item_malformed", at, f"Invalid type for '{shown}.{member}': {says}")
        elif member in ("call_id", "name"):
            yield from _named(at, f"{shown}.{member}", member, value)
    if kind in ("function_call_output", "custom_tool_call_output"):
        yield from check_output(where, shown, item)


def _named(where: str, shown: str, member: str, value: str) -> Iterator[Violation]:
    most = LONGEST_ID if member == "call_id" else LONGEST_NAME
    rule = f"{member}_malformed"
    if not value:
        says = "empty string. Expected a string with minimum length 1, but got an empty string instead."
        yield Violation(rule, where, f"Invalid '{shown}': {says}")
    elif len(value) > most:
        says = f"Expected a string with maximum length {most}, but got a string with length {len(value)} instead."
        yield Violation(rule, where, f"Invalid '{shown}': string too long. {says}")
    elif member == "name" and not _NAME.fullmatch(value):
        says = "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        yield Violation(rule, where, f"Invalid '{shown}': {says}")


def _id(where: str, shown: str, kind: str, value: object) -> Iterator[Violation]:
    if not isinstance(value, str):
        return
    prefix = _PREFIXES.get(kind, "")
    if len(value) > LONGEST_ID:
        says = f"Expected a string with maximum length {LONGEST_ID}, but got a string with length {len(value)} instead."
        yield Violation("item_id_malformed", f"{where}.id", f"Invalid '{shown}.id': string too long. {says}")
    elif not value.startswith(prefix):
        says = f"Invalid '{shown}.id': '{value}'. Expected an ID that begins with '{prefix}'."
        yield Violation("item_id_malformed", f"{where}.id", says)


def _unsupported(given: str, supported: tuple[str, ...]) -> str:
    listed = ", ".join(f"'{name}'" for name in supported[:-1])
    return f"Invalid value: '{given}'. Supported values are: {listed}, and '{supported[-1]}'."
