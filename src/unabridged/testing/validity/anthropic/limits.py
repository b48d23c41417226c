"""Anthropic Messages: how many images, how large, and how many cache marks in what order."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.testing.validity.anthropic.image_size import size_of
from unabridged.testing.validity.anthropic.models import most_images
from unabridged.testing.validity.anthropic.request import Request
from unabridged.testing.validity.violation import Json, Violation, as_list, as_object

MANY_IMAGES = 20
"""Above so many in a request, each one must be smaller."""
LARGEST = 8000
LARGEST_OF_MANY = 2000
"""Pixels, on either side."""
MOST_CACHE_MARKS = 4


def check_images(request: Request) -> Iterator[Violation]:
    """Yield more images than a request may have, and images with too many pixels on a side."""
    images = [(where, block) for where, block in _blocks(request) if block.get("type") == "image"]
    most = most_images(request.model)
    if len(images) > most:
        says = f"Too much media: 0 document pages + {len(images)} images > {most}"
        yield Violation("too_many_images", "messages", says)
    crowded = len(images) > MANY_IMAGES
    largest = LARGEST_OF_MANY if crowded else LARGEST
    for where, image in images:
        size = _size(image)
        if size is not None and max(size) > largest:
            at = f"{where}.image.source.base64.data"
            many = " for many-image requests" if crowded else ""
            says = f"At least one of the image dimensions exceed max allowed size{many}: {largest} pixels"
            yield Violation("image_too_large", where, f"{at}: {says}")


def check_cache_marks(request: Request) -> Iterator[Violation]:
    """Yield more cache marks than a request may have, and long-lived marks behind short-lived ones."""
    marks = list(_marks(request))
    found = len(marks) + (request.body.get("cache_control") is not None)
    if found > MOST_CACHE_MARKS:
        says = f"A maximum of {MOST_CACHE_MARKS} blocks with cache_control may be provided. Found {found}."
        yield Violation("too_many_cache_marks", "messages", says)
    short = False
    for where, ttl in marks:
        if short and ttl == "1h":
            says = (
                "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks "
                "are processed in the following order: `tools`, `system`, `messages`."
            )
            yield Violation("cache_marks_out_of_order", where, f"{where}.cache_control.ttl: {says}")
        short = short or ttl != "1h"


def _marks(request: Request) -> Iterator[tuple[str, str]]:
    for field in ("tools", "system"):
        for position, value in enumerate(as_list(request.body.get(field)) or ()):
            yield from _mark(f"{field}.{position}", as_object(value) or {})
    for where, block in _blocks(request):
        yield from _mark(where, block)


def _mark(where: str, block: Json) -> Iterator[tuple[str, str]]:
    mark = block.get("cache_control")
    if mark is not None:
        yield where, str((as_object(mark) or {}).get("ttl", "5m"))


def _blocks(request: Request) -> Iterator[tuple[str, Json]]:
    """Give every image and every marked block, those inside tool results in front of the result itself."""
    for message in request.messages:
        for block in message.blocks:
            if block.kind == "tool_result":
                for position, part in enumerate(as_list(block.fields.get("content")) or ()):
                    fields = as_object(part) or {}
                    if _counts(fields):
                        yield f"{block.where}.tool_result.content.{position}", fields
            if _counts(block.fields):
                yield block.where, block.fields


def _counts(block: Json) -> bool:
    return "cache_control" in block or block.get("type") == "image"


def _size(image: Json) -> tuple[int, int] | None:
    source = as_object(image.get("source")) or {}
    data = source.get("data")
    return size_of(data) if isinstance(data, str) else None
