"""The grammar of the notation: one word into what it says, or an error that shows where it goes wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

import msgspec

from unabridged.errors import BadInput

ROLES = "SUIAT"
LARGEST = 1_000_000
"""Tokens, or pixels on a side, that one thing may have: more is a slip of the pen."""
EXAMPLE = "A{think}[c1,c2:500]:label:2k"
_WORD = re.compile(
    r"(?P<role>[SUIAT])"
    r"(?:\((?P<results>[^)]*)\))?"
    r"(?:\{(?P<blocks>[^}]*)\})?"
    r"(?:\[(?P<calls>[^]]*)\])?"
    r"(?::(?P<label>[a-z]+))?"
    r"(?::(?P<size>[\d.]+k?))?"
)
_PIXELS = re.compile(r"(\d+)x(\d+)")
_CLOSING = {"(": ")", "{": "}", "[": "]"}


class Named(msgspec.Struct, frozen=True):
    """A call, or a result, with the size of what it holds; None where nothing is said of it."""

    id: str
    size: int | None = None


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """What one word says."""

    role: str
    results: tuple[Named, ...] = ()
    thoughts: tuple[int | None, ...] = ()
    """The size of each, in tokens."""
    pictures: tuple[tuple[int, int], ...] = ()
    """Width and height of each, in pixels."""
    calls: tuple[Named, ...] = ()
    label: str | None = None
    size: int | None = None

    @property
    def has_text(self) -> bool:
        """Whether the word says something of its text."""
        return self.label is not None or self.size is not None


def parse(word: str, place: int = 1) -> Word:
    """Read one word; `place` is its number in the script, for errors.

    Raises:
        BadInput: It is none. The message names the word, the character and the remedy.
    """
    return _Parsing(word, place).word()


class _Parsing:
    def __init__(self, text: str, place: int) -> None:
        self._text = text
        self._place = place

    def word(self) -> Word:
        match = _WORD.match(self._text)
        if match is None:
            self._refuse(0, "begin with one of S U I A T: system, user, injected, assistant, tool")
        if match.end() < len(self._text):
            self._refuse(match.end(), self._stop(match.end()))
        role = match["role"]
        if role == "T" and not match["results"]:
            self._refuse(1, "a result names its call, as in T(c1) or T(c1:2k,c2)")
        if role != "T" and match["results"] is not None:
            self._refuse(match.start("results") - 1, "only T brings results, as in T(c1)")
        if role != "A" and match["calls"] is not None:
            self._refuse(match.start("calls") - 1, "only A calls tools, as in A[c1]")
        blocks = list(self._blocks(match))
        return Word(
            role=role,
            results=tuple(self._named(match, "results")),
            thoughts=tuple(size for size in blocks if not isinstance(size, tuple)),
            pictures=tuple(size for size in blocks if isinstance(size, tuple)),
            calls=tuple(self._named(match, "calls")),
            label=match["label"],
            size=None if match["size"] is None else self._size(match["size"], match.start("size")),
        )

    def _stop(self, at: int) -> str:
        """Say what to write where reading stopped."""
        rest = self._text[at:]
        closing = _CLOSING.get(rest[0])
        if closing is not None and closing not in rest:
            return f"close the bracket with {closing}"
        if rest[0] == ":":
            return "a label is small letters and a size is tokens, in this order, as in U:task:2k"
        return f"write the pieces of a word in this order and each once, as in {EXAMPLE}"

    def _items(self, match: re.Match[str], group: str) -> Iterator[tuple[str, str | None, int]]:
        """Give name, size and place of each item between two brackets."""
        if match[group] is None:
            return
        at = match.start(group)
        for item in match[group].split(","):
            name, colon, size = item.partition(":")
            if not name:
                self._refuse(at, "something is missing between the brackets, as in [c1,c2:500]")
            yield name, size if colon else None, at
            at += len(item) + 1

    def _named(self, match: re.Match[str], group: str) -> Iterator[Named]:
        for name, size, at in self._items(match, group):
            yield Named(name, None if size is None else self._size(size, at + len(name) + 1))

    def _blocks(self, match: re.Match[str]) -> Iterator[int | tuple[int, int] | None]:
        for name, size, at in self._items(match, "blocks"):
            inside = at + len(name) + 1
            if name == "img":
                yield (800, 600) if size is None else self._pixels(size, inside)
            elif name != "think":
                self._refuse(at, "a block is {think}, {think:300}, {img} or {img:2100x300}")
            elif match["role"] != "A":
                self._refuse(at, "only A thinks, as in A{think}")
            else:
                yield None if size is None else self._size(size, inside)

    def _size(self, size: str, at: int) -> int:
        try:
            number = float(size[:-1]) * 1_000 if size.endswith("k") else float(size)
        except ValueError:
            number = -1.0
        if not (0 <= number <= LARGEST) or abs(number - round(number)) > 1e-6:
            self._refuse(at, f"a size is a whole number of tokens up to {LARGEST:,}, as in 300, 2k or 1.5k")
        return round(number)

    def _pixels(self, size: str, at: int) -> tuple[int, int]:
        match = _PIXELS.fullmatch(size)
        width, height = (int(match[1]), int(match[2])) if match else (0, 0)
        if not (0 < width <= LARGEST and 0 < height <= LARGEST):
            self._refuse(at, "a picture is width x height in pixels, as in {img:2100x300}")
        return width, height

    def _refuse(self, at: int, remedy: str) -> NoReturn:
        raise BadInput(f"notation, word {self._place}, {self._text!r} at character {at + 1}: {remedy}")
