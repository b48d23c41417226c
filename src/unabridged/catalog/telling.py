"""What the command says: lines for people, JSON for machines, errors and warnings in one line each."""

from __future__ import annotations

import io
import re
import sys
import warnings
from collections.abc import Callable, Sequence

import msgspec
from rich.console import Console
from rich.text import Text

from unabridged.errors import UnabridgedError

DIM, STRONG, WRONG = "bright_black", "bold", "bright_red"

# Names come from servers: none of them may move the cursor or colour the screen.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Telling:
    """Says things on the two streams of the command."""

    def __init__(self, *, as_json: bool) -> None:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        self.as_json = as_json
        self._out = Console(highlight=False)
        self._err = Console(stderr=True, highlight=False)

    def rows(self, title: str, rows: Sequence[Sequence[str]]) -> None:
        """Say a table under a title: columns as wide as what is in them, the last one in a quiet colour."""
        self._out.print(Text(_visible(title), STRONG), soft_wrap=True)
        plain = [[_visible(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*plain, strict=True)]
        for row in plain:
            cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths[:-1], strict=True)]
            said = Text("  " + "  ".join([*cells, ""])).append(row[-1], DIM)
            said.rstrip()
            self._out.print(said, soft_wrap=True)

    def line(self, words: str) -> None:
        """Say a line."""
        self._out.print(Text(_visible(words)), soft_wrap=True)

    def aside(self, words: str) -> None:
        """Say something about the output, which is no part of it."""
        self._err.print(Text(_visible(words), DIM), soft_wrap=True)

    def json(self, value: msgspec.Struct) -> None:
        """Say an object on a line of its own."""
        sys.stdout.flush()
        sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
        sys.stdout.buffer.flush()

    def in_one_line(self, act: Callable[[], bool]) -> bool:
        """Run a command, and tell whether all is well; what went wrong is said in one line."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", RuntimeWarning)
            try:
                well = act()
            except BrokenPipeError:
                raise  # nobody reads on, as behind `| head`; Typer ends in silence
            except (UnabridgedError, OSError) as error:
                self._err.print(Text(_visible(" ".join(str(error).split())), WRONG), soft_wrap=True)
                well = False
        for warning in dict.fromkeys(str(each.message) for each in found):
            self.aside(f"warning: {warning}")
        return well


def _visible(text: str) -> str:
    return _CONTROLS.sub("?", text)
