"""Formats that are known and not read yet, so that their owners are told so."""

from __future__ import annotations

from typing import NamedTuple

from unabridged.importers.json_reading import Fields, fields_of, text_of


class Foreign(NamedTuple):
    """A format, told by the fields that its first records have, and by their type where fields are not enough."""

    name: str
    fields: frozenset[str]
    types: tuple[str, ...] = ()


_FORMATS = (
    Foreign("a Happy client log", frozenset({"localId", "seq", "content"})),
    Foreign("a ChatGPT export", frozenset({"mapping", "current_node"})),
    Foreign("a Claude.ai export", frozenset({"chat_messages", "uuid"})),
)


def foreign_format(records: list[Fields]) -> str | None:
    """Give the name of a format that is known but not read, None where nothing is known."""
    for record in records:
        inner = fields_of(record["body"]) if "body" in record else record
        for format in _FORMATS:
            if format.fields <= inner.keys() and (not format.types or text_of(inner, "type") in format.types):
                return format.name
    return None
