"""What a terminal can show: signs, and colours by what they mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

GOOD, BAD, WARN, NOTE, DIM, OWN = "green", "red", "yellow", "cyan", "bright_black", "bold cyan"

# All but line breaks and tabs: a tool's output must not move the cursor or colour the screen.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")


class Ink(msgspec.Struct, frozen=True):
    """The signs of one kind of terminal."""

    done: str
    failed: str
    denied: str
    runs: str
    waits: str
    prompt: str
    dash: str
    arrow: str
    full: str
    empty: str
    more: str
    dot: str


SIGNS = Ink("✓", "✗", "⊘", "●", "○", "\u203a", "─", "→", "█", "░", "…", "·")
ASCII = Ink("+", "x", "-", "*", "o", ">", "-", "->", "#", ".", "...", "|")


def ink_of(console: Console) -> Ink:
    """Give signs where the terminal's encoding has them, ASCII elsewhere."""
    return SIGNS if console.encoding.startswith("utf") else ASCII


def plain(text: str, style: str = "") -> Text:
    """Give a text as it is: colours of a program are left out, other control characters made visible."""
    shown = _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", _COLOURS.sub("", text).replace("\r\n", "\n"))
    return Text(shown.encode("utf-8", "backslashreplace").decode("utf-8"), style)


def one_line(text: str) -> str:
    """Give a text without line breaks."""
    return " ".join(text.split())


def short(tokens: int) -> str:
    """Write a number of tokens in a few characters: 840, 54k, 1.2M."""
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens / 1_000:.0f}k" if tokens < 1_000_000 else f"{tokens / 1_000_000:.1f}M"
