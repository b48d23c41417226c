"""Texts for what a wire cannot carry: another provider's items, media that it does not take, parts out of place.

Only a message that goes to another provider than the one it was held with needs them; at home nothing is replaced.
"""

from __future__ import annotations

from unabridged.markers import NAMES, PREFIX
from unabridged.message import Media, Opaque, Part, Text, ToolCall, ToolResult


def stand_in(part: Part) -> Text:
    """Say in a part's place what it was and why it is not there."""
    match part:
        case Text():
            return part
        case Media():
            described = ", ".join(filter(None, [part.mime, link_of(part)])) or "unknown type"
            return _context(f"{NAMES[part.kind]} ({described}), which this provider does not take here")
        case Opaque(kind):
            return _context(f"{kind or 'an item'}, which only the provider that made it can read")
        case ToolCall(name=name) | ToolResult(call_id=name):
            return _context(f"a call or result out of place, {name}")
        case _:
            return _context("thoughts, which only the model that had them can use")


def link_of(media: Media) -> str | None:
    """Give the address of media that lie on the web; None for the id of a file that a provider keeps."""
    return media.url if media.url and "://" in media.url else None


def _context(what: str) -> Text:
    return Text(f"{PREFIX}{what}]")
