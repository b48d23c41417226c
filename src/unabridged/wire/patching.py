"""Patches: a few characters of a text are replaced, and all others stay."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Patch(NamedTuple):
    """Characters `start` to `end` of a text, and what stands there instead."""

    start: int
    end: int
    text: str


def apply(text: str, patches: Iterable[Patch]) -> str:
    """Give a text with patches applied. They do not overlap; insertions at one place keep the order they came in."""
    pieces, at = list[str](), 0
    for start, end, replacement in sorted(patches, key=_range):
        pieces += text[at:start], replacement
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _range(patch: Patch) -> tuple[int, int]:
    return patch.start, patch.end
