"""Calls as chat servers stream them: by index, without one, without an id, in pieces, or whole."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping

from unabridged.models.answers.merging import merge, plain
from unabridged.models.model import CallDelta, CallStarted, Event
from unabridged.wire.json_text import as_object


class _Call:
    """One call, as far as it came."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.index: object = None
        self.id = ""
        self.name = ""
        self.item: dict[str, object] = {}
        self.early: list[str] = []
        """Arguments that came before the name."""
        self._newest = ""

    def take(self, delta: Mapping[str, object]) -> Iterator[Event]:
        """Add a delta."""
        function = dict(as_object(delta.get("function")))
        name, arguments = function.pop("name", None), function.pop("arguments", None)
        given = delta.get("id")
        if isinstance(given, str) and given and not self.id:
            self.id = given
        named = self.name
        if isinstance(name, str) and name != self.name:  # some servers repeat it with every delta
            self.name += name
        rest = {key: value for key, value in delta.items() if key not in ("index", "id", "function")}
        text = "" if arguments is None else arguments if isinstance(arguments, str) else json.dumps(arguments)
        self._newest = text or self._newest
        merge(self.item, {**rest, "function": {**function, "arguments": text}})
        yield from self._events(text, is_first=not named and bool(self.name))

    def _events(self, text: str, *, is_first: bool) -> Iterator[Event]:
        if not self.name:
            self.early.append(text)
            return
        if is_first:
            self.id = self.id or f"call_{secrets.token_hex(12)}"  # its result has to name it
            yield CallStarted(self.place, self.id, self.name)
            text, self.early = "".join((*self.early, text)), []
        if text:
            yield CallDelta(self.place, text)

    @property
    def is_whole(self) -> bool:
        """Tell whether its arguments are a whole object, to which nothing can be added."""
        if not self._newest.rstrip().endswith("}"):  # most pieces, and all of them are not joined for each
            return False
        try:
            written = str(plain(as_object(self.item.get("function")).get("arguments")))
            return isinstance(json.loads(written), dict)
        except (ValueError, RecursionError):
            return False

    def finished(self) -> dict[str, object]:
        """Give the call as a message lists it."""
        function = {"name": self.name, **as_object(self.item.get("function"))}
        rest = {key: value for key, value in self.item.items() if key not in ("type", "function")}
        kind = self.item.get("type") or "function"
        return {"id": self.id or f"call_{secrets.token_hex(12)}", "type": kind, **rest, "function": function}


class Calls:
    """The calls of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def __bool__(self) -> bool:
        """Tell whether there is one."""
        return bool(self._calls)

    def take(self, delta: Mapping[str, object]) -> Iterator[Event]:
        """Take in one item of `tool_calls` of a delta."""
        call = self._meant(delta)
        if call is None:
            call = _Call(len(self._calls))
            call.index = delta.get("index")
            self._calls.append(call)
        yield from call.take(delta)

    def finished(self) -> list[dict[str, object]]:
        """Give them as a message lists them."""
        return [call.finished() for call in self._calls]

    def _meant(self, delta: Mapping[str, object]) -> _Call | None:
        """Give the call that a delta goes on with; None where it begins one."""
        id, index = delta.get("id") or "", delta.get("index")
        function = as_object(delta.get("function"))
        begins = bool(function.get("name"))
        known = next((call for call in reversed(self._calls) if id and call.id == id), None)
        if index is None:
            last = self._calls[-1] if self._calls and not id and not begins else None
            return known or last
        same = next((call for call in reversed(self._calls) if call.index == index), None)
        if same is not None and begins and id and same.id and id != same.id:
            return None  # whole calls, all with the same index
        if same is not None and begins and not id and str(function.get("arguments") or "").strip() and same.is_whole:
            return None  # the same, without ids
        return same
