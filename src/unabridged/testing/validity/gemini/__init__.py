"""Gemini: which requests `generateContent` refuses for the structure of their `contents`.

Rules from the API reference (Content, Part, FunctionCall, FunctionResponse), the guides on function calling and on
thought signatures, and texts of refusals that the service is known to give (google-gemini/gemini-cli#26486 and #15568,
langchain-ai/langchain#27799, googleapis/python-genai#81, langflow-ai/langflow#9437, symfony/ai#2040, vercel/ai#3775,
pipecat-ai/pipecat#5821). What it accepts stays unflagged: turns of one role in a row, empty text, thoughts alone,
calls and responses without ids, members in camelCase and in snake_case.

That a conversation begins with the user is demanded by the SDK of its histories, and by older models. What holds for
some models alone is looked at where the payload names the model: that a request does not end with a model's turn, and
that calls of the current turn carry a thought signature (Gemini 3).
"""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.testing.validity.gemini.models import check_end, check_signatures
from unabridged.testing.validity.gemini.part import check_part
from unabridged.testing.validity.gemini.turns import Turn, check_turns, read
from unabridged.testing.validity.violation import Json, Violation, as_list, as_object

__all__ = ["check"]

_ROLES = ("user", "model", "function", "tool", "")


def check(body: Json) -> Iterator[Violation]:
    """Yield what the service would refuse, the shapes of contents before the rules between them."""
    if isinstance(body.get("contents"), str):
        return  # the SDK's short form of one user's turn
    shapes = list(_shapes(body))
    if shapes:
        yield from shapes
        return
    turns: list[Turn] = read(as_list(body.get("contents")) or [])
    yield from check_turns(turns)
    yield from check_end(body, turns)
    yield from check_signatures(body, turns)


def _shapes(body: Json) -> Iterator[Violation]:
    contents = as_list(body.get("contents"))
    if not contents:
        says = "* GenerateContentRequest.contents: contents is not specified\n"
        yield Violation("contents_missing", "contents", says)
    for index, value in enumerate(contents or ()):
        yield from _content(index, value)


def _content(index: int, value: object) -> Iterator[Violation]:
    where, shown = f"contents.{index}", f"contents[{index}]"
    content = as_object(value)
    if content is None:
        says = f"Invalid value at '{shown}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)"
        yield Violation("content_not_an_object", where, says)
        return
    role = content.get("role")
    if (role if role is not None else "") not in _ROLES:
        yield Violation("role_unknown", f"{where}.role", "Please use a valid role: user, model.")
    for member in content.keys() - {"role", "parts"}:
        says = f"Invalid JSON payload received. Unknown name \"{member}\" at '{shown}': Cannot find field."
        yield Violation("content_field_unknown", f"{where}.{member}", says)
    parts = as_list(content.get("parts"))
    if not parts:
        says = f"* GenerateContentRequest.{shown}.parts: contents.parts must not be empty.\n"
        yield Violation("parts_empty", f"{where}.parts", says)
    for position, part in enumerate(parts or ()):
        yield from check_part(f"{where}.parts.{position}", f"{shown}.parts[{position}]", part)
