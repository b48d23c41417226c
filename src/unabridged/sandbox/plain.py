"""Output of programs as a model should read it: what a terminal would show in the end, without its colours."""

from __future__ import annotations

import re

_SEQUENCES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|"  # titles, links
    r"\x1b[PX^_][^\x1b]*(?:\x1b\\)?|"  # strings for a device
    r"\x1b\[[0-?]*[ -/]*[@-~]|"  # colours, movements
    r"\x1b[ -/]*[0-~]"
)
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
_MOST_OVERSTRIKES = 100


def plain(text: str) -> str:
    """Give a text without what is meant for a terminal. A line that was written over shows what was written last."""
    if "\x1b" in text:
        text = _SEQUENCES.sub("", text)
    if "\x08" in text:
        for _ in range(_MOST_OVERSTRIKES):
            shorter = _OVERSTRUCK.sub("", text)
            if shorter == text:
                break
            text = shorter
    if "\r" in text:
        text = "\n".join(_last_written(line) for line in text.split("\n"))
    return _INVISIBLE.sub("", text)


def _last_written(line: str) -> str:
    return next((part for part in reversed(line.split("\r")) if part), "") if "\r" in line else line
