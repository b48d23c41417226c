"""A short quote of what a provider said, without anything that opens a door."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unabridged.models.refusal.body_text import beginning

LONGEST = 240
"""Characters of a quote."""
READ = 2_000
"""Characters of a text that a quote is taken from."""
GONE = "[…]"

_ADDRESS = re.compile(
    r"\b([a-z][a-z0-9+.-]{1,20}://)(?:[^\s/@]{1,300}@)?([^\s/?#\"'<>]{0,300})[^\s\"'<>]*", re.IGNORECASE
)
_MARKUP = re.compile(r"<[^<>]{1,200}>")
_NAMED = re.compile(
    r"((?:api[ _-]?key|access[ _-]?key|secret|password|passwd|authorization|credential|cookie|x-api-key"
    r"|(?:auth|access|refresh|session|bearer)[ _-]?token|\btoken)(?: provided| is| was)?[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?:(?:bearer|basic|token)\s{1,3})?|\b(?:bearer|basic)\s{1,3})(?=[^\s\"',;]{0,40}[a-z])[^\s\"',;]{4,}",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"\b(?:sk|pk|rk|ak|gsk|xai|hf|ghp|gho|ghs|glpat|xox[a-z]|r8|nvapi|fw|pplx|tgp|csk|org|proj|key)[_-][\w*.-]{6,}"
    r"|\b(?:AIza|AKIA|ASIA|ya29\.|eyJ)[\w.*-]{8,}"
)
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_RUN = re.compile(r"[\w+/=-]{20,}", re.ASCII)
_SEGMENT = re.compile(r"[A-Za-z0-9]+")


def quote_of(texts: Sequence[str], pattern: re.Pattern[str] | None) -> str:
    """Quote the text that the pattern is found in, or else the first one, from its beginning."""
    found = next((text for text in texts if pattern is not None and pattern.search(text.lower())), None)
    text = found if found is not None else next(iter(texts), "")
    spoken = " ".join(redacted(beginning(text, READ)).split())
    return spoken if len(spoken) <= LONGEST else f"{spoken[: LONGEST - 1]}…"


def redacted(text: str) -> str:
    """Take out keys, tokens, passwords, and all of an address but its host."""
    text = _MARKUP.sub(" ", _ADDRESS.sub(r"\1\2", text))
    for pattern in (_KEY, _UUID):
        text = pattern.sub(GONE, text)
    return _RUN.sub(_unless_words, _NAMED.sub(rf"\1{GONE}", text))


def _unless_words(run: re.Match[str]) -> str:
    return GONE if any(_is_random(segment) for segment in _SEGMENT.findall(run[0])) else run[0]


def _is_random(segment: str) -> bool:
    """Tell keys from words: letters and digits mixed over sixteen characters, or over eight in both cases."""
    if segment.isdigit() or not any(letter.isdigit() for letter in segment):
        return len(segment) > 40
    return len(segment) >= 16 or (len(segment) >= 8 and segment.lower() != segment != segment.upper())
