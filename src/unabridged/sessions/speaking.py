"""What the commands say: lines for people, JSON for machines, errors in one line."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import msgspec
from rich.console import Console
from rich.text import Text

from unabridged.codec import json_bytes
from unabridged.errors import UnabridgedError
from unabridged.replay import ink
from unabridged.replay.shown import plain


class Speaker:
    """Says things on the two streams of a command."""

    def __init__(self, *, as_json: bool) -> None:
        for stream in (sys.stdout, sys.stderr):
            # A session may hold what the terminal's encoding has no character for, lone surrogates for one.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        self.as_json = as_json
        self.out = Console(highlight=False)
        self.err = Console(stderr=True, highlight=False)

    def line(self, words: str, style: str = "") -> None:
        """Say a line; control characters in it are made visible."""
        self.out.print(plain(words, style), soft_wrap=True)

    def aside(self, words: str) -> None:
        """Say something about the output, which is no part of it."""
        self.err.print(Text(words, ink.DIM), soft_wrap=True)

    def json(self, value: msgspec.Struct) -> None:
        """Say an object on a line of its own."""
        self.bytes(json_bytes(value) + b"\n")

    def bytes(self, data: bytes) -> None:
        """Say exactly these bytes."""
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def in_one_line(act: Callable[[], bool]) -> bool:
    """Run a command, and tell whether all is well; what went wrong is said in one line."""
    try:
        return act()
    except BrokenPipeError:
        raise  # nobody reads on, as behind `| head`; Typer ends in silence
    except (UnabridgedError, OSError) as error:
        Console(stderr=True, highlight=False).print(Text(" ".join(str(error).split()), ink.OVER), soft_wrap=True)
        return False


def on_one_line(text: str) -> str:
    """Give a text without line breaks."""
    return " ".join(text.split())


def counted(number: int, thing: str) -> str:
    """Write a number of things."""
    return f"1 {thing}" if number == 1 else f"{number:,} {thing}s"
