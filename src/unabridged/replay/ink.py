"""What a terminal can show: the characters and styles that a picture is drawn with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rich.console import Console

SENT = "bright_cyan"
OVER = "bright_red"
WHOLE = "grey37"
BUDGET = "yellow"
WINDOW = "red"
FIT = "bright_cyan"
DIM = "bright_black"


class Ink(msgspec.Struct, frozen=True):
    """The characters of one kind of terminal."""

    levels: str
    """From an empty cell to a full one."""
    shade: str
    """A cell of the whole transcript where no colour tells it from what was sent."""
    budget: str
    window: str
    fit: str
    died: str
    pointer: str
    corner: str
    axis: str
    arrow: str
    dash: str
    bar: str
    """A line at the side of a text."""


BLOCKS = Ink(" ▁▂▃▄▅▆▇█", "░", "▁", "▁", "▲", "✕", "│", "╭", "─", "→", "–", "│")
ASCII = Ink(" #", ".", "-", "=", "^", "X", "|", "+", "-", "->", "-", "|")


def ink_of(console: Console) -> Ink:
    """Give blocks where the terminal's encoding has them, ASCII elsewhere."""
    return BLOCKS if console.encoding.startswith("utf") else ASCII


def has_colour(console: Console) -> bool:
    """Tell whether colour gets through: a terminal that has some, and no `NO_COLOR`."""
    return console.color_system is not None and not console.no_color
