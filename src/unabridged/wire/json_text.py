"""JSON as text that is kept: values that know where they stand, so that one can be changed and the rest stays.

A provider's message is never decoded and encoded again: white space, order and repetition of keys, escapes and
the spelling of numbers would change, and with them prompt caches and signatures. It is decoded to be understood,
and changed by replacing the characters of one value.

The standard library decodes, on purpose: it reads what real clients send and stricter readers refuse (lone surrogates,
`NaN`), and it can say where a value ends. msgspec, where it can read a text, gives its values, and the text of each
member, faster.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, cast

import msgspec

from unabridged.errors import BadInput
from unabridged.wire.patching import Patch

# `float` reads an integer of any length; `int` refuses more than 4300 digits.
_decode = json.JSONDecoder(parse_int=float).raw_decode
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHITE = " \t\n\r"
_value = msgspec.json.Decoder()
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_items = msgspec.json.Decoder(list[msgspec.Raw])
_space = re.compile(r"[ \t\n\r]*")
_colon = re.compile(r"[ \t\n\r]*:?[ \t\n\r]*")
_comma = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*")


_NO_MEMBERS: dict[str, object] = {}
"""Of what is no object; nobody writes into it."""


class Member(NamedTuple):
    """Where a member of an object, or an item of a list, stands. `start` is its key's for an object."""

    key: str | int
    start: int
    value: int
    end: int


class JsonNode:
    """A JSON value and where it stands in its text. Where is found out on first asking, since most are never asked."""

    __slots__ = ("_key", "_layout", "_parent", "_sources", "_span", "members", "text", "value")

    def __init__(self, text: str, value: object, parent: JsonNode | None = None, key: str | int = "") -> None:
        self.text = text
        self.value = value
        self.members = cast("dict[str, object]", value) if isinstance(value, dict) else _NO_MEMBERS
        """The decoded members of an object; none where this is no object."""
        self._parent = parent
        self._key = key
        self._span: tuple[int, int] | None = None
        self._layout: list[Member] | None = None
        self._sources: dict[str | int, msgspec.Raw] | None = None

    @classmethod
    def parse(cls, text: str, what: str) -> JsonNode:
        """Read a text that holds one JSON value. Raises `BadInput`, which names `what`, for anything else."""
        try:
            value, end = _decode(text, _end(_space, text, 0))
            if _end(_space, text, end) != len(text):
                raise ValueError(f"one value ends at character {end}, and more follows")
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{what} is not JSON ({error}): send one JSON object") from error
        return cls(text, value)

    @classmethod
    def parse_quickly(cls, text: str, what: str) -> JsonNode:
        """Read as `parse` does, several times faster. Whole numbers are `int` here: for where nobody reads numbers."""
        try:
            return cls(text, _value.decode(text))
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return cls.parse(text, what)

    @property
    def span(self) -> tuple[int, int]:
        """First character of the value in `text`, and the one after its last."""
        if self._span is None:
            self._span = _inside(self.text) if self._parent is None else self._parent._span_of(self._key)
        return self._span

    @property
    def source(self) -> str:
        """The value's own text."""
        quick = self._parent._quick_source(self._key) if self._span is None and self._parent is not None else None
        if quick is not None:
            return quick
        start, end = self.span
        return self.text[start:end]

    @property
    def layout(self) -> list[Member]:
        """Where each member of this object, or each item of this list, stands."""
        if self._layout is None:
            self._layout = self._find_members()
        return self._layout

    def detached(self) -> JsonNode:
        """Give the same value with its own text as the whole text."""
        node = JsonNode(self.source, self.value)
        node._span = 0, len(node.text)
        return node

    def get(self, key: str) -> JsonNode | None:
        """Give a member, or None where this is no object or has no such member."""
        return JsonNode(self.text, self.members[key], self, key) if key in self.members else None

    def member(self, key: str) -> JsonNode:
        """Give a member that is known to be there."""
        return JsonNode(self.text, self.members[key], self, key)

    def string(self, key: str) -> str:
        """Give the text of a member, "" where it is missing or no string."""
        value = self.members.get(key)
        return value if isinstance(value, str) else ""

    def items(self) -> list[JsonNode]:
        """Give the items of a list; none where this is no list."""
        return [JsonNode(self.text, value, self, at) for at, value in enumerate(as_list(self.value))]

    def replaced(self, text: str) -> Patch:
        """Give the patch that puts another JSON text in this value's place."""
        return Patch(*self.span, text)

    def with_member(self, key: str, text: str) -> Patch:
        """Give the patch that gives a member of this object another value, or adds it at the end."""
        member = self.get(key)
        if member is not None:
            return member.replaced(text)
        if not self.layout:
            return Patch(self.span[0] + 1, self.span[0] + 1, f"{quote(key)}:{text}")
        end = self.layout[-1].end
        return Patch(end, end, f",{quote(key)}:{text}")

    def with_string(self, key: str, was: str, now: str) -> list[Patch]:
        """Give the patch for a member that holds text, or none where the text is the same."""
        return [] if was == now else [self.with_member(key, quote(now))]

    def without(self, keys: Collection[str | int]) -> list[Patch]:
        """Give the patches that take members or items out, each with one comma; all of one name go."""
        layout, patches = self.layout, list[Patch]()
        first = 0
        while first < len(layout):
            if layout[first].key not in keys:
                first += 1
                continue
            after = first + 1
            while after < len(layout) and layout[after].key in keys:
                after += 1
            if after < len(layout):
                patches.append(Patch(layout[first].start, layout[after].start, ""))
            else:
                start = layout[first - 1].end if first else layout[0].start
                patches.append(Patch(start, layout[-1].end, ""))
            first = after
        return patches

    def _quick_source(self, key: str | int) -> str | None:
        """Give a member's text without its place, far faster; None for what only the slow way reads."""
        if self._layout is not None:
            return None
        if self._sources is None:
            try:
                if isinstance(self.value, dict):
                    self._sources = {**_members.decode(self.source)}
                else:
                    self._sources = dict(enumerate(_items.decode(self.source)))
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                self._sources = {}
        found = self._sources.get(key)
        return None if found is None else str(found, "utf-8")

    def _span_of(self, key: str | int) -> tuple[int, int]:
        if isinstance(key, int):
            member = self.layout[key]
        else:  # the last of several members of one name is the one that counts, as for every reader of JSON
            member = next(member for member in reversed(self.layout) if member.key == key)
        return member.value, member.end

    def _find_members(self) -> list[Member]:
        text, members = self.text, list[Member]()
        keyed = isinstance(self.value, dict)
        at = _end(_space, text, self.span[0] + 1)
        while text[at] not in "]}":
            key: str | int = len(members)
            start = at
            if keyed:
                key, at = _decode(text, at)
                at = _end(_colon, text, at)
            end = self._end_of_value(key, at)
            members.append(Member(key, start, at, end))
            at = _end(_comma, text, end)
        return members

    def _end_of_value(self, key: str | int, at: int) -> int:
        quick = self._quick_source(key)
        # A number may begin with another one, and several members of one name are not alike; all else is what it is.
        if quick is not None and quick[-1] in '"]}' and self.text.startswith(quick, at):
            return at + len(quick)
        return _decode(self.text, at)[1]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    assert found is not None  # each pattern matches the empty text too
    return found.end()


def _inside(text: str) -> tuple[int, int]:
    """Give where the one value of a text begins and ends."""
    return len(text) - len(text.lstrip(_WHITE)), len(text.rstrip(_WHITE))


def as_object(value: object) -> dict[str, object]:
    """Give a decoded JSON object, or an empty one for any other value."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Give a decoded JSON list, or an empty one for any other value."""
    return cast("list[object]", value) if isinstance(value, list) else []


def count(members: Mapping[str, object], key: str) -> int:
    """Give a member that is a whole number, 0 where it is missing or something else."""
    value = members.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def quote(text: str) -> str:
    """Give a string as JSON text; half surrogate pairs, which UTF-8 cannot hold, as escapes."""
    try:
        return msgspec.json.encode(text).decode()
    except UnicodeEncodeError:
        return escaped(json.dumps(text, ensure_ascii=False))


def escaped(text: str) -> str:
    """Give a JSON text that UTF-8 can hold: half surrogate pairs become escapes of the same meaning."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def object_of(**members: str) -> str:
    """Give an object as JSON text; each value is JSON text already."""
    return "{" + ",".join(f'"{key}":{text}' for key, text in members.items()) + "}"


def list_of(items: Iterable[str]) -> str:
    """Give a list as JSON text; each item is JSON text already."""
    return "[" + ",".join(items) + "]"


def compact(text: str) -> str:
    """Give a JSON text without white space between its tokens and without needless escapes, if it can be had so."""
    try:
        return msgspec.json.encode(msgspec.json.decode(text)).decode()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text
