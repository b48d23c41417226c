"""The content of a message or of a tool result: one string, a list of blocks, or nothing.

Every dialect has these three shapes and its own blocks. An empty string says nothing: it is read as no part at
all, and no part is written as an empty string.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Protocol, TypeVar

from unabridged.errors import BadInput
from unabridged.message import Media, Opaque, Part, Reasoning, Text
from unabridged.wire.json_text import JsonNode, list_of, quote
from unabridged.wire.patching import Patch

P = TypeVar("P")

CACHE_MARKS = ("cache_control", "prompt_cache_breakpoint")
"""Members that belong to a block's place in the request, and stay when another block takes that place."""


class Blocks(Protocol):
    """How one dialect changes its content blocks."""

    def patches(self, block: JsonNode, was: Part, now: Part) -> list[Patch] | None:
        """Change a block inside, or give None where it has to be written anew."""
        ...

    def build(self, part: Part) -> str:
        """Write a part as a new block."""
        ...


def content_parts(
    owner: JsonNode, read_block: Callable[[JsonNode], P], member: str = "content"
) -> tuple[P | Text, ...]:
    """Read the content of a message or of a tool result: a part for every block, in order."""
    content = owner.members.get(member)
    if isinstance(content, str):
        return (Text(content),) if content else ()
    return tuple(map(read_block, owner.member(member).items())) if content else ()


def shaped(parts: Sequence[Part], build: Callable[[Part], str], nothing: str = '""') -> str:
    """Write content anew: one text as a string, anything else as a list of blocks."""
    match parts:
        case []:
            return nothing
        case [Text(text)] if text:
            return quote(text)
        case _:
            return list_of(map(build, parts))


def replaced(
    owner: JsonNode, was: Sequence[Part], now: Sequence[Part | None], blocks: Blocks, member: str = "content"
) -> list[Patch]:
    """Change content part by part, None taking one out. At least one part has to stay."""
    content = owner.get(member)
    if content is None or not isinstance(content.value, list):
        if list(was) == list(now):
            return []
        return [owner.with_member(member, shaped([part for part in now if part is not None], blocks.build))]
    items = content.items()
    check_pairs(items, was)
    patches, gone = list[Patch](), set[int]()
    for at, (block, before, after) in enumerate(zip(items, was, now, strict=True)):
        if after is None:
            gone.add(at)
        elif after != before:
            patches += _block_patches(block, before, after, blocks)
    return patches + content.without(gone)


def rewritten(
    owner: JsonNode, was: Sequence[Part], now: Sequence[Part], blocks: Blocks, member: str = "content"
) -> list[Patch]:
    """Change content to other parts, as many as may be. Those that stay, in their order, are not touched."""
    content = owner.get(member)
    if content is None or not content.items() or not now:
        return [] if list(was) == list(now) else [owner.with_member(member, shaped(now, blocks.build))]
    aligned: list[Part | None] = list(was)
    patches, items = list[Patch](), content.items()
    for _, start, end, new_start, new_end in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        new = now[new_start:new_end]
        both = min(end - start, len(new))
        aligned[start:end] = [*new[:both], *[None] * (end - start - both)]
        patches += _inserted(items, start + both, [blocks.build(part) for part in new[both:]])
    return patches + replaced(owner, was, aligned, blocks, member)


def _inserted(items: Sequence[JsonNode], at: int, blocks: Sequence[str]) -> list[Patch]:
    """Put new blocks between those that stand before and behind position `at`."""
    if at:
        place = items[at - 1].span[1]
        return [Patch(place, place, "," + block) for block in blocks]
    place = items[0].span[0]
    return [Patch(place, place, block + ",") for block in blocks]


def check_pairs(found: Sequence[object], parts: Sequence[Part]) -> None:
    """Raise `BadInput` where a raw form does not hold the parts that its message says."""
    if len(found) != len(parts):
        raise BadInput(f"a raw form holds {len(found)} parts and its message {len(parts)}: read the message again")


def _block_patches(block: JsonNode, was: Part, now: Part, blocks: Blocks) -> list[Patch]:
    match was, now:
        case Media(), Media() if (was.kind, was.digest, was.url) == (now.kind, now.digest, now.url):
            return []  # more is known of the same media
        case Reasoning(signature=str()), Reasoning():
            raise BadInput("signed reasoning was edited: keep it as it is, or take it out whole")
        case _, Opaque():
            return [block.replaced(now.data)]
        case _:
            inside = blocks.patches(block, was, now)
    if inside is not None:
        return inside
    marks = "".join(f',"{key}":{mark.source}' for key in CACHE_MARKS if (mark := block.get(key)) is not None)
    return [block.replaced(blocks.build(now)[:-1] + marks + "}")]
