"""What a function gave back: an object, of which the texts are what a model reads and a view may cut.

The provider reads the member `output` as the output, `error` as what went wrong, and an object with neither as the
output as a whole ("FunctionResponse").
"""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.wire.json_text import JsonNode, as_list, as_object, list_of, object_of, quote

_MORE = "context"
"""Where the texts after the first stand, of a response that we wrote."""


def texts_of(response: JsonNode) -> list[str]:
    """Give the texts of a response. An empty string says nothing."""
    members = as_object(response.value)
    key = _key(members)
    if key and members.keys() == {key, _MORE} and _all_text([members[key], *as_list(members[_MORE])]):
        return [str(members[key]), *map(str, as_list(members[_MORE]))]
    if len(members) == 1:
        only = next(iter(members))
        if isinstance(members[only], str):
            return [str(members[only])] if members[only] else []
        return [response.member(only).source if key else response.source]
    return [response.source] if members else []


def is_error(response: JsonNode) -> bool:
    """Tell whether a response says that something went wrong."""
    members = as_object(response.value)
    return "error" in members and "output" not in members


def response_of(texts: Sequence[str], *, failed: bool) -> str:
    """Write a response that holds texts, so that exactly these are read of it."""
    key = "error" if failed else "output"
    match texts:
        case []:
            return object_of(error='""') if failed else "{}"
        case [text] if text:
            return object_of(**{key: quote(text)})
        case [first, *more]:
            return object_of(**{key: quote(first), _MORE: list_of(map(quote, more))})
        case _:
            raise AssertionError


def string_in(response: JsonNode) -> str:
    """Name the member that is all the text of a response, "" where none is."""
    members = as_object(response.value)
    return next(iter(members)) if len(members) == 1 and isinstance(next(iter(members.values())), str) else ""


def _key(members: dict[str, object]) -> str:
    return next((key for key in ("output", "error") if key in members), "")


def _all_text(values: Sequence[object]) -> bool:
    return all(isinstance(value, str) for value in values)
