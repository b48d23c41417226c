"""The many spellings of one model's name, from the most to the least exact."""

from __future__ import annotations

import re
from collections.abc import Iterator

_REGION = re.compile(r"^(?:us|eu|apac|au|jp|global)\.")
_VENDOR = re.compile(r"^(?:ai21|amazon|anthropic|cohere|deepseek|meta|minimax|mistral|moonshot|openai|qwen|writer)\.")
_ISSUE = re.compile(r"(?:-v\d+)?:\d+$|-v1$|@default$")
"""How Bedrock numbers the issues of a model, and Vertex the newest one."""
_OFFER = re.compile(r":(?:latest|free|beta|thinking|nitro|floor|online|extended|exacto)$")
"""What a gateway sells is no part of the name; a size is (`qwen3:8b`)."""
_DATE = re.compile(r"-(?:20\d{6}|20\d\d-\d\d-\d\d)$")
_NEWEST = re.compile(r"-latest$")


def spellings(name: str) -> Iterator[str]:
    """Give the name in small letters, then what others call the same model.

    Without a tag, without the prefix of a gateway or a region, hyphens for dots and colons, without its date. Each is a
    step further from what was written, so the first that is known is the best.
    """
    first = name.strip().lower()
    plain = _OFFER.sub("", first)
    last = plain.rpartition("/")[2]
    bare = _VENDOR.sub("", _REGION.sub("", _ISSUE.sub("", last))).replace("@", "-")
    hyphens = bare.replace(".", "-").replace(":", "-")
    steps = (first, plain, last, bare, hyphens, undated(bare), undated(hyphens))
    yield from dict.fromkeys(step for step in steps if step)


def undated(name: str) -> str:
    """Give a name without the day of its issue, or `-latest`."""
    return _DATE.sub("", _NEWEST.sub("", name))
