"""Exact strings that recur: symbols, paths, addresses, hashes, versions, ports, ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from unabridged.message import Message, Role, Text, ToolCall, ToolResult
from unabridged.summarizer.record import Name

MOST = 40
LEAST = 3
"""Messages that a name stands in before it counts as recurring."""
SPOKEN = 2_000
"""Characters of what people and models write that are looked at."""
SHOWN = 600
"""Characters at either end of a call or a result."""
SPOKEN_WEIGHT = 3
"""A name that people or the model say themselves weighs more than one that scrolls by in outputs."""
LONGEST = 120

_NAME = re.compile(
    # Plain words and numbers first, and not as a group: most of a text is passed over at once.
    r"[A-Za-z][a-z]*(?![\w./:#@\\-])|(?<![#:=])(?<!port )\d+(?![\w./:#@-])|("
    r"https?://[^\s<>\"'`)\]}\\]{4,120}"
    r"|[A-Za-z]:\\[\w.\\ -]{3,100}\w"
    r"|~?/?(?:[\w.@+-]{1,60}/){1,12}[\w.@+-]{1,80}"
    r"|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
    r"|[A-Za-z_][\w]{0,60}(?:[.:#-]{1,2}[A-Za-z0-9_]{1,60}){0,6}"
    r"|v?\d{1,5}(?:\.\d{1,6}){1,4}(?:[-+][\w.]{1,20})?"
    r"|(?<=[:=])\d{4,5}\b|(?<=port )\d{2,5}\b|#\d{1,6}\b"
    r"|[0-9a-f]{7,40}\b)"
)
_TELLS = re.compile(
    r"https?://|[\\/]"
    r"|^[0-9a-f]{7,40}$|^[0-9a-fA-F-]{36}$|^v?\d+\.\d+\.\d|^\d{4,5}$|^#\d+$"
    r"|[a-z0-9][A-Z]|\w_\w|\w[.:#]{1,2}\w|^[A-Z]{2,}-\d+$|\d.*[A-Za-z].*\d|[A-Z].*\d|^[A-Z]{2,}_"
)
_KEY = re.compile(r"\"[\w -]{1,40}\"\s*:")
"""A key of a JSON object says what kind of thing a value is: a word of the tool, not of the conversation."""
_NOISE = re.compile(
    r"\d{1,4}/\d{1,4}.*|\d{1,3}s?|\d+[.:]\d+s?|\d+s|\d{1,2}:\d\d\b.*|\d{4}-\d\d-\d\d.*|[\d_]{1,3}|\d+[a-z]{1,2}"
    r"|\w+'\w+|e\.g|i\.e|.*\.\.+.*|[A-Za-z]\d{1,2}|/dev/\w+|pts/\d+|/(?:usr/)?bin/\w+|in_progress"
    r"|(?:and|or|he|his|him|read|input|client)/(?:or|she|her|write|output|server)",
    re.IGNORECASE,
)
_LIKE_A_HASH = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}|[0-9a-f]{40}")
_HEX_WORD = re.compile(r"[0-9a-f]{7,40}")


def names_of(messages: Sequence[Message], known: Iterable[str]) -> tuple[Name, ...]:
    """Give the names that stand in several messages, the most frequent first, without those `known` from elsewhere."""
    weights: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for message in messages:
        found: dict[str, int] = {}
        for text, weight in sorted(_texts(message), key=lambda item: item[1]):
            found.update(dict.fromkeys(_NAME.findall(text), weight))
        counts.update(found.keys())
        weights.update(found)
    listed = set(known)
    recurring = (name for name, count in counts.items() if count >= LEAST and name not in listed and is_name(name))
    ranked = sorted(recurring, key=lambda name: (-weights[name], name))
    return tuple(Name(name, counts[name]) for name in ranked[:MOST])


def is_name(text: str) -> bool:
    """Tell whether a word is a name that one would have to know exactly: no plain word, no number, no date."""
    if not 3 <= len(text) <= LONGEST or _NOISE.fullmatch(text) or _TELLS.search(text) is None:
        return False
    return _LIKE_A_HASH.fullmatch(text) is not None if _HEX_WORD.fullmatch(text) else True


def _texts(message: Message) -> Iterator[tuple[str, int]]:
    spoken = message.is_human or message.role is Role.ASSISTANT
    for part in message.parts:
        if isinstance(part, Text):
            yield (part.text[:SPOKEN], SPOKEN_WEIGHT) if spoken else (_ends(part.text), 1)
        elif isinstance(part, ToolCall):
            yield _KEY.sub(" ", _ends(part.arguments.replace("\\n", "\n").replace("\\t", "\t"))), 1
        elif isinstance(part, ToolResult):
            yield from ((_KEY.sub(" ", _ends(inner.text)), 1) for inner in part.parts if isinstance(inner, Text))


def _ends(text: str) -> str:
    return text if len(text) <= 2 * SHOWN else f"{text[:SHOWN]}\n{text[-SHOWN:]}"
