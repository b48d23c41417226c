"""Exact strings inside a line of text: in backticks, and found again whatever they hold."""

from __future__ import annotations

import re

from unabridged.cutting import safe_cut

_RUNS = re.compile(r"`+")
_BREAKS = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+\s*")
BREAK = " ⏎ "
"""Stands for a line break where a text is shown on one line."""


def one_line(text: str) -> str:
    """Give a text without line breaks."""
    return _BREAKS.sub(BREAK, text.strip())


def code(text: str) -> str:
    """Give a text in as many backticks as it takes (CommonMark's rule), so that it can hold any itself."""
    longest = max(map(len, _RUNS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    padded = f" {text} " if longest or not text or text != text.strip(" ") else text
    return f"{fence}{padded}{fence}"


def decode(text: str, at: int = 0) -> tuple[str, int] | None:
    """Read a quoted string that starts at `at`; give it with the position behind it."""
    opening = _RUNS.match(text, at)
    if opening is None:
        return None
    for run in _RUNS.finditer(text, opening.end()):
        if len(run[0]) == len(opening[0]):
            inner = text[opening.end() : run.start()]
            return (inner[1:-1] if _is_padded(inner) else inner), run.end()
    return None


def _is_padded(inner: str) -> bool:
    return len(inner) >= 2 and inner[0] == inner[-1] == " "


def brief(text: str, most: int) -> str:
    """Give a text on one line, of at most `most` characters; `…` stands at a cut."""
    start = text[: 4 * most]
    line = one_line(start)
    if len(line) <= most:
        return line if len(start) == len(text) else f"{line}…"
    return f"{line[: safe_cut(line, most - 1)].rstrip()}…"
