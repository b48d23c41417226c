"""Reads decoded JSON that may be anything."""

from __future__ import annotations

from typing import Any, cast

Json = dict[str, Any]


def members(value: object) -> Json:
    """Give an object's members; nothing where it is no object."""
    return cast(Json, value) if isinstance(value, dict) else {}


def elements(value: object) -> list[Any]:
    """Give an array's elements; nothing where it is no array."""
    return cast(list[Any], value) if isinstance(value, list) else []


def is_array(value: object) -> bool:
    """Tell whether a value is an array."""
    return isinstance(value, list)


def is_object(value: object) -> bool:
    """Tell whether a value is an object."""
    return isinstance(value, dict)


def text(value: object) -> str:
    """Give a string; an empty one where it is none."""
    return value if isinstance(value, str) else ""


def number(value: object) -> int:
    """Give a whole number; 0 where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
