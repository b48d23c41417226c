"""Characters that came in two deltas: a half of a surrogate pair can be neither printed nor sent on."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.models.model import CallDelta, Event, ReasoningDelta, TextDelta

_FIRST, _LAST = "\ud800", "\udbff"
"""The first halves of pairs."""


class Halves:
    """Holds a first half back until its second half comes. A half that stays alone is given at the end."""

    def __init__(self) -> None:
        self._held: dict[tuple[type, int], tuple[str, Event]] = {}

    def joined(self, event: Event) -> Iterator[Event]:
        """Give an event with whole characters; nothing where there is none in it yet."""
        if not isinstance(event, TextDelta | ReasoningDelta | CallDelta) or not event.text:
            yield event
            return
        place = type(event), event.index if isinstance(event, CallDelta) else 0
        text = event.text
        if place in self._held:
            both = self._held.pop(place)[0] + text
            text = both.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        if _FIRST <= text[-1] <= _LAST:
            self._held[place] = text[-1], event
            text = text[:-1]
        if text:
            yield event if text is event.text else _with(event, text)

    def left(self) -> Iterator[Event]:
        """Give the halves that stayed alone."""
        for text, event in self._held.values():
            yield _with(event, text)


def _with(event: Event, text: str) -> Event:
    if isinstance(event, CallDelta):
        return CallDelta(event.index, text)
    return TextDelta(text) if isinstance(event, TextDelta) else ReasoningDelta(text)
