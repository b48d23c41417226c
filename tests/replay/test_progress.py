"""Progress is for people who wait at a terminal, and for nobody else."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from unabridged.replay import progress
from unabridged.replay.progress import Waiting


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def walked(file: io.StringIO, *, seconds: float, shown: bool = True) -> str:
    """What is written while three items take this long together."""
    waiting = Waiting(Console(file=file, width=80), shown=shown)
    taken = []
    for item in waiting.walking(range(3), name="session.jsonl", total=3):
        time.sleep(seconds / 3)
        taken.append(item)
    assert taken == [0, 1, 2]
    return file.getvalue()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "WAIT_S", 0.05)
    monkeypatch.setenv("TERM", "xterm")


def test_what_takes_long_shows_a_bar_on_a_terminal() -> None:
    assert "walking session.jsonl" in walked(Terminal(), seconds=0.6)


def test_what_is_quick_shows_nothing() -> None:
    assert walked(Terminal(), seconds=0.0) == ""


def test_a_pipe_gets_no_bar() -> None:
    assert walked(io.StringIO(), seconds=0.3) == ""


def test_a_terminal_that_shows_the_output_itself_gets_no_bar() -> None:
    assert walked(Terminal(), seconds=0.3, shown=False) == ""


def test_reading_shows_a_bar_too() -> None:
    terminal = Terminal()
    with Waiting(Console(file=terminal, width=80), shown=True).reading("large.jsonl"):
        time.sleep(0.5)

    assert "reading large.jsonl" in terminal.getvalue()
