"""What a check reports, and how it looks at JSON that may have any shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import msgspec

Json = Mapping[str, object]
"""A JSON object whose members nobody has looked at yet."""


class Violation(msgspec.Struct, frozen=True):
    """One reason why a provider would refuse a request."""

    rule: str
    """Stable name of the rule that is broken, in snake_case."""
    where: str
    """Path into the body, `messages.4.content.1`; `messages` where the list as a whole breaks the rule."""
    says: str
    """What the provider answers, in its own words where they are known."""


def as_object(value: object) -> Json | None:
    """Give `value` if it is a JSON object, else None."""
    return cast("Json", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[object] | None:
    """Give `value` if it is a JSON array, else None."""
    return cast("list[object]", value) if isinstance(value, list) else None


def kind_of(value: object) -> str:
    """Name the JSON type of `value` with its article, as OpenAI's refusals do."""
    if isinstance(value, bool):
        return "a boolean"
    names: tuple[tuple[type, str], ...] = (
        (str, "a string"),
        (int, "an integer"),
        (float, "a decimal"),
        (list, "an array"),
        (dict, "an object"),
    )
    return next((name for type_, name in names if isinstance(value, type_)), "null")
