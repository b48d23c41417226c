"""Anthropic Messages: what depends on the model. A name that says no version is taken to allow everything."""

from __future__ import annotations

import re

_NEW_NAME = re.compile(r"claude-(?:opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")
_OLD_NAME = re.compile(r"claude-([123])(?:[-.](\d))?(?!\d)")

_FEW_IMAGES = 100
_MANY_IMAGES = 600


def version(model: str) -> tuple[int, int] | None:
    """Read the version from a model's name: `claude-opus-4-8` is (4, 8), `claude-sonnet-5` is (5, 0)."""
    found = _NEW_NAME.search(model) or _OLD_NAME.search(model)
    return None if found is None else (int(found[1]), int(found[2] or 0))


def takes_system_messages(model: str) -> bool:
    """Tell whether `role: system` may stand between messages: from Opus 4.8 on."""
    known = version(model)
    return known is None or known >= (4, 8)


def takes_prefill(model: str) -> bool:
    """Tell whether the conversation may end with words of the assistant: until 4.5."""
    known = version(model)
    return known is None or known < (4, 6)


def most_images(model: str) -> int:
    """Give the number of images per request: 600 for models with a window of 1M (from 4.6 on), 100 for others."""
    known = version(model)
    return _MANY_IMAGES if known is not None and known >= (4, 6) else _FEW_IMAGES
