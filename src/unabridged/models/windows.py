"""How large a model's window is, and who says so.

    given       a setting
    cap         `maxContextTokens` of the project, where it is smaller than what else is known
    learned     the smallest limit that a refusal named
    server      what the server itself says
    registry    what the registry lists
    default     128,000

The first that says something holds. Two of them only lower: the cap is a wish that no model grows by, and a server that
runs with less than it once refused has the smaller window now.

A window here is what a request may carry. Where a provider takes less input than its context (272,000 of gpt-5's
400,000), the input limit is the window: room that only an answer may use is no room for a conversation, and a request
above it is refused however short the answer.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from unabridged.budget import DEFAULT_WINDOW, LEAST_WINDOW
from unabridged.errors import BadSetting
from unabridged.models.learned_windows import LearnedWindow, LearnedWindows
from unabridged.models.model import Model
from unabridged.models.registry import INSTALL, Limits, limits_of, registry_is_there


class Source(StrEnum):
    """Who says how large a window is."""

    GIVEN = "given"
    CAP = "cap"
    LEARNED = "learned"
    SERVER = "server"
    REGISTRY = "registry"
    DEFAULT = "default"


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A model's window, in tokens."""

    tokens: int
    """What a request may carry, by the source that holds."""
    context: int | None = None
    """Input and output together, as the registry lists it."""
    max_input: int | None = None
    """The largest input, as the registry lists it; None where only the context limits it."""
    max_output: int | None = None
    source: Source
    detail: str
    """Who exactly says so, as a sentence for people."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a model's window from outside the registry."""

    given: int | None = None
    cap: int | None = None
    learned: LearnedWindow | None = None
    server: int | None = None


def window_of(name: str, known: Known | None = None, *, endpoint: str = "") -> Window:
    """Work out the window of a model at an endpoint. Raises `BadSetting` for a size that holds no conversation."""
    known = known or Known()
    _check("window", known.given)
    _check("maxContextTokens", known.cap)
    limits = limits_of(name, endpoint=endpoint)
    tokens, source, detail = _uncapped(known, limits, name)
    if known.cap is not None and known.cap < tokens:
        tokens, source, detail = known.cap, Source.CAP, f"the project's cap; without it {tokens:,}: {detail}"
    return Window(
        tokens=tokens,
        context=limits.context if limits else None,
        max_input=limits.max_input if limits else None,
        max_output=limits.max_output if limits else None,
        source=source,
        detail=detail,
    )


def window_of_model(
    model: Model, *, given: int | None = None, cap: int | None = None, learned: LearnedWindows | None = None
) -> Window:
    """Work out the window of a model that is connected, with what earlier sessions learned of it."""
    kept = (learned or LearnedWindows()).find(model.name, model.endpoint)
    known = Known(given=given, cap=cap, learned=kept, server=model.window)
    return window_of(model.name, known, endpoint=model.endpoint)


def _uncapped(known: Known, limits: Limits | None, name: str) -> tuple[int, Source, str]:
    if known.given is not None:
        return known.given, Source.GIVEN, "as it was set"
    learned, server = known.learned, known.server
    if learned is not None and (server is None or learned.tokens <= server):
        return learned.tokens, Source.LEARNED, _taught(learned, server)
    if server is not None:
        return server, Source.SERVER, "the server itself says so"
    if limits is not None:
        return limits.input, Source.REGISTRY, limits.detail
    if not registry_is_there():
        return DEFAULT_WINDOW, Source.DEFAULT, f"no registry is installed: {INSTALL}"
    named = f"the registry does not list {name}" if name else "no model is named"
    return DEFAULT_WINDOW, Source.DEFAULT, f"{named}: set the window where it is another"


def _taught(learned: LearnedWindow, server: int | None) -> str:
    said = f"a request was refused on {learned.seen[:10]}"
    if server is None or server == learned.tokens:
        return said
    return f"{said}; the server says {server:,}: `unabridged models forget {learned.model}` if that is so now"


def _check(setting: str, tokens: int | None) -> None:
    if tokens is not None and tokens < LEAST_WINDOW:
        raise BadSetting(setting, tokens, f"give at least {LEAST_WINDOW:,} tokens")
