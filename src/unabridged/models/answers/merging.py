"""Deltas become one object: texts are joined, lists grow, whatever else comes last counts.

No field is known here, so that a field nobody heard of is kept as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from unabridged.wire.json_text import as_list, as_object, escaped

_ONCE = frozenset({"role", "id", "type", "name", "index", "object", "format"})
"""Texts that come whole, some with every delta."""


class _Pieces(list[str]):
    """A text that grows: joined once, at the end."""


def merge(into: dict[str, object], delta: Mapping[str, object]) -> None:
    """Add a delta to what came before. `plain` gives what it came to."""
    for key, value in delta.items():
        held = into.get(key)
        if value is None or (value == "" and key in _ONCE):  # some servers blank what they have said
            into.setdefault(key, value)
        elif isinstance(value, str) and key not in _ONCE:
            _add_text(into, key, value)
        elif isinstance(value, dict):
            inner = cast("dict[str, object]", held if isinstance(held, dict) else {})
            merge(inner, as_object(cast(object, value)))
            into[key] = inner
        elif isinstance(value, list) and not isinstance(held, _Pieces):
            into[key] = _longer(as_list(held), as_list(cast(object, value)))
        else:
            into[key] = value


def plain(value: object) -> object:
    """Give what the deltas came to."""
    if isinstance(value, _Pieces):
        return "".join(value)
    if isinstance(value, dict):
        return {key: plain(each) for key, each in as_object(cast(object, value)).items()}
    if isinstance(value, list):
        return [plain(each) for each in as_list(cast(object, value))]
    return value


def text_of(value: object) -> str:
    """Give JSON text. The halves of a surrogate pair, which came in two deltas, are one character in it."""
    return escaped(json.dumps(plain(value), ensure_ascii=False, separators=(",", ":")))


def _add_text(into: dict[str, object], key: str, text: str) -> None:
    held = into.get(key)
    if isinstance(held, _Pieces):
        held.append(text)
    else:
        into[key] = _Pieces([text])


def _longer(held: list[object], more: list[object]) -> list[object]:
    for item in more:
        members = as_object(item)
        same = next((one for one in map(as_object, held) if _is_same(one, members)), None)
        if same is None:
            same = dict[str, object]()
            held.append(same if members else item)
        merge(same, members)
    return held


def _is_same(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Tell whether two items of a list are parts of one: the same index, and nothing that speaks against it."""
    if not isinstance(other.get("index"), int) or one.get("index") != other["index"]:
        return False
    return "type" not in one or "type" not in other or one["type"] == other["type"]
