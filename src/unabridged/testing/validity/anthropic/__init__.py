"""Anthropic Messages: which requests the service refuses for their structure.

Rules from the provider's documentation (API reference of Messages; guides on tool calls, extended and adaptive
thinking, server tools, vision, prompt caching, mid-conversation system messages) and from the texts of refusals
that the service is known to give. Consecutive messages of one role are one turn, as the service joins them.

Two rules are stricter than the first-party service is measured to be today (2026), because older models and
resold ones keep them: the first message is the user's, and each message has content of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from unabridged.testing.validity.anthropic.limits import check_cache_marks, check_images
from unabridged.testing.validity.anthropic.order import check_content, check_end, check_start, check_system_messages
from unabridged.testing.validity.anthropic.parameters import check_parameters
from unabridged.testing.validity.anthropic.request import Request, read
from unabridged.testing.validity.anthropic.server_tools import check_server_tools
from unabridged.testing.validity.anthropic.shape import check_shape
from unabridged.testing.validity.anthropic.thinking import check_thinking
from unabridged.testing.validity.anthropic.tools import check_call_ids, check_tools
from unabridged.testing.validity.violation import Json, Violation

__all__ = ["check"]

_RULES: tuple[Callable[[Request], Iterator[Violation]], ...] = (
    check_start,
    check_system_messages,
    check_content,
    check_call_ids,
    check_tools,
    check_server_tools,
    check_thinking,
    check_end,
    check_images,
    check_cache_marks,
    check_parameters,
)


def check(body: Json) -> Iterator[Violation]:
    """Yield what the service would refuse, the shapes of blocks before the rules between them."""
    shapes = list(check_shape(body))
    if shapes:
        yield from shapes
        return
    request = read(body)
    for rule in _RULES:
        yield from rule(request)
