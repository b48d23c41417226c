"""Messages as data of the page: each stored once, and what was shown of it as its differences from that.

    stored  ["t", text]  ["r", text]  ["c", name, id, arguments]  ["o", call id, is error, pieces]  ["m", about]
            ["x", kind, data]
    shown   a stored form, or ["=", n] for part n as it is stored, ["d", n, head, middle, tail] for part n with so many
            characters of its beginning, another middle, and so many of its end, or ["p", n, pieces] for a result

Characters are counted as JavaScript counts them, in UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.message import Media, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

Data = list["Data"] | str | int | bool | None


def stored(part: Part) -> list[Data]:
    """Give a part as it is stored."""
    match part:
        case Text():
            return ["t", part.text]
        case Reasoning():
            return ["r", part.text]
        case ToolCall():
            return ["c", part.name, part.id, part.arguments]
        case ToolResult():
            return ["o", part.call_id, part.is_error, [stored(piece) for piece in part.parts]]
        case Media():
            return ["m", about(part)]
        case Opaque():
            return ["x", part.kind, part.data]


def about(media: Media) -> str:
    """Say what a media item is. Its bytes are not part of the page."""
    size = f", {media.width}x{media.height}" if media.width and media.height else ""
    length = f", {media.size:,} bytes" if media.size else ""
    return f"{media.kind.value}, {media.mime or 'unknown type'}{size}{length}"


def shown(parts: Sequence[Part], originals: Sequence[Part]) -> list[Data]:
    """Give parts as differences from those that they were made from."""
    return [_shown(part, at, originals) for part, at in zip(parts, _paired(parts, originals), strict=True)]


def _shown(part: Part, at: int | None, originals: Sequence[Part]) -> list[Data]:
    if at is None:
        return stored(part)
    original = originals[at]
    if part == original:
        return ["=", at]
    if isinstance(part, ToolResult) and isinstance(original, ToolResult):
        return ["p", at, shown(part.parts, original.parts)]
    before, after = _text_of(original), _text_of(part)
    if before is None or after is None or type(part) is not type(original):
        return stored(part)
    return ["d", at, *difference(before, after)]


def _paired(parts: Sequence[Part], originals: Sequence[Part]) -> list[int | None]:
    """Find for each part what it was made from: the one in its place, or the next of its kind where some left."""
    if len(parts) == len(originals):
        return list(range(len(parts)))
    found: list[int | None] = []
    start = 0
    for part in parts:
        at = next((n for n in range(start, len(originals)) if _alike(part, originals[n])), None)
        found.append(at)
        start = start if at is None else at + 1
    return found


def _alike(part: Part, original: Part) -> bool:
    if isinstance(part, ToolCall) and isinstance(original, ToolCall):
        return part.id == original.id
    if isinstance(part, ToolResult) and isinstance(original, ToolResult):
        return part.call_id == original.call_id
    return type(part) is type(original)


def _text_of(part: Part) -> str | None:
    match part:
        case Text() | Reasoning():
            return part.text
        case ToolCall():
            return part.arguments
        case _:
            return None


def difference(before: str, after: str) -> tuple[int, str, int]:
    """Give how much is the same at the beginning, what stands in the middle of `after`, and how much is at the end."""
    head = _shared(before, after)
    rest, new = before[head:], after[head:]
    tail = _shared(rest[::-1], new[::-1])
    return units(before[:head]), new[: len(new) - tail], units(before[len(before) - tail :])


def _shared(one: str, other: str) -> int:
    """Give the length of the beginning that two texts share, by halving: texts are long, and compared quickly."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def units(text: str) -> int:
    """Count a text as JavaScript does."""
    return len(text) + sum(character > "\uffff" for character in text)
