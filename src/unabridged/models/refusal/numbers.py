"""The numbers in an error: which is the window, which is the request, which is the output that was asked for."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping

import msgspec

LARGEST = 10**12
"""A larger number counts neither tokens nor bytes."""

NUMBER = r"(?:\d{1,3}(?:[,_.'\u00a0\u2009\u202f]\d{3})+(?!\d)|\d{1,15}(?:\.\d{1,3})?)(?:\s?[km]\b)?"
"""128000, 128,000, 128_000, 128.000, 128k, 1.5M; no blank between groups of digits, for it parts two numbers."""

_COMPLETE = (
    r"(?P<input>#) ?\+ ?(?P<output>#) ?> ?(?P<limit>#)",
    r"\((?P<output>#) ?> ?(?P<limit>#) ?- ?(?P<input>#)\)",
)
_ALLOWED = (
    r"less than or equal to \W?(?P<output_allowed>#)",
    r"the model limit of (?P<output_allowed>#)",
    r"range of max_\w+ (?:should be|is) \[\d, ?(?P<output_allowed>#)\]",
    r"limit of (?P<output_allowed>#) (?:completion|output) tokens",
    r"max_\w+ \((?P<output>#)\)",
    r"at most (?P<output_allowed>#) (?:completion|output) tokens",
    r"max_\w+: (?P<output>#) > (?P<output_allowed>#)",
    r"too large: (?P<output>#)",
    r"(?:received|provided|value of) (?P<output>#)",
)
"""Only of a text about the output alone: elsewhere these words speak of the request."""
_LIMIT = (
    r"(?:context|model|allowed(?: input)?|maximum(?: input| prompt)?) (?:length|size|window)"
    r"(?:(?: is| of)?(?: only)?|:) \(?(?P<limit>#)",
    r"(?P<input>#)(?: tokens?| bytes)? ?>=? ?(?P<limit>#)",
    r"must be <=? ?(?P<limit>#)",
    r"\blimit(?: of| is|:| for this model is)? (?P<limit>#)",
    r"(?:model max|max_model_len|(?:model|context) limit) \(?(?P<limit>#)",
    r"max input tokens:? (?P<limit>#)",
    r"tokens allowed:? \(?(?P<limit>#)",
    r"input length should be \[\d, ?(?P<limit>#)\]",
    r"with (?P<limit>#) maximum",
    r"cannot exceed (?P<limit>#)",
    r"larger than max \((?P<requested>#) vs\.? (?P<limit>#)\)",
)
_REQUEST = (
    r"(?P<output>#) (?:(?:in|for) the (?:completion|output)|output tokens|\W?max_new_tokens)",
    r"(?P<input>#) (?:\W?inputs\W? tokens|input tokens)",
    r"(?:resulted in|keep the first|too long:) (?P<input>#)",
    r"(?:token count|(?<!max )(?:input|prompt) tokens)(?: of)?:? \(?(?P<input>#)",
    r"(?:requested|requested tokens):? \(?(?P<requested>#)",
    r"requested (?:about )?(?P<requested>#) tokens",
    r"received (?P<requested>#)",
    r"exceed(?:s|ed)? (?:max context length )?by (?P<over>#) tokens",
    r"(?:prompt|request|inputs?|messages)(?: length)?(?: contains?| has| have| is| of|:)? ?\(?(?:length )?(?P<input>#)",
)
_PARTS = r"(?P<part>#) (?:in (?:the|your) (?:messages|prompt|functions)|of \w+ input)"
_STRUCTURED = {"n_ctx": "limit", "n_prompt_tokens": "input"}


class Numbers(msgspec.Struct, frozen=True, kw_only=True):
    """What a text names; None where it does not."""

    limit: int | None = None
    requested: int | None = None
    input: int | None = None
    output: int | None = None
    output_allowed: int | None = None


def numbers_of(texts: Iterable[str], structured: Mapping[str, int], *, of_output: bool) -> Numbers:
    """Read the numbers of an error, text by text: what the first names, a later one does not change."""
    found: dict[str, int] = {role: structured[name] for name, role in _STRUCTURED.items() if name in structured}
    for text in texts:
        for role, number in _roles(text.lower(), of_output).items():
            found.setdefault(role, number)
    if "over" in found and "limit" in found:
        found.setdefault("input", found["limit"] + found["over"])
    given, asked = found.get("input"), found.get("output")
    total = found.get("requested", given if asked is None or given is None else given + asked)
    named = {role: found.get(role) for role in ("limit", "input", "output", "output_allowed")}
    return Numbers(requested=total, **named)


def number(text: str) -> int | None:
    """Read one number as people write it."""
    digits = text.strip()
    unit = {"k": 1_000, "m": 1_000_000}.get(digits[-1:].lower(), 1)
    bare = digits.rstrip("kKmM \u00a0\u2009\u202f")
    whole = re.sub(r"[,_'\u00a0\u2009\u202f]|\.(?=\d{3}(?!\d))", "", bare) if unit == 1 else bare.replace(",", "")
    try:
        value = int(float(whole) * unit) if "." in whole or unit > 1 else int(whole)
    except (ValueError, OverflowError):
        return None
    return value if 0 < value <= LARGEST else None


def _roles(said: str, of_output: bool) -> dict[str, int]:
    """Give the numbers of one text by what they are. A number has one role: the first that fits it."""
    found: dict[str, int] = {}
    taken: set[int] = set()
    parts = [(match, number(match["part"])) for match in _compiled(_PARTS).finditer(said)]
    for pattern in (*_COMPLETE, *(_ALLOWED if of_output else ()), *_LIMIT):
        _take(pattern, said, found, taken)
    if parts:
        found["input"] = sum(value or 0 for _, value in parts)
        taken |= {match.start("part") for match, _ in parts}
    for pattern in _REQUEST:
        _take(pattern, said, found, taken)
    return found


def _take(pattern: str, said: str, found: dict[str, int], taken: set[int]) -> None:
    """Add the first match whose numbers have no role yet."""
    for match in _compiled(pattern).finditer(said):
        roles = match.groupdict()
        if any(match.start(role) in taken for role in roles):
            continue
        values = {role: number(text) for role, text in roles.items()}
        if any(value is None for value in values.values()):
            continue
        for role, value in values.items():
            if role not in found and value is not None:
                found[role] = value
                taken.add(match.start(role))
        return


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("#", NUMBER))
