"""Progress for people who wait: nothing for the first second, then a bar on the terminal, gone when it is done."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

WAIT_S = 1.0
"""Seconds before anything is shown."""

T = TypeVar("T")


class Waiting:
    """Shows how far a long piece of work is. Only a terminal gets to see it."""

    def __init__(self, console: Console, *, shown: bool) -> None:
        self._console = console
        self._shown = shown and console.file.isatty()

    @contextmanager
    def reading(self, name: str) -> Generator[None]:
        """Show that a file is being read."""
        with self._bar(f"reading {name}", None):
            yield

    def walking(self, items: Iterable[T], *, name: str, total: int) -> Iterator[T]:
        """Give the items on, and show how many of them have been taken."""
        with self._bar(f"walking {name}", total) as bar:
            for item in items:
                bar.advance(bar.task_ids[0])
                yield item

    @contextmanager
    def _bar(self, what: str, total: int | None) -> Generator[Progress]:
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        bar = Progress(*columns, console=self._console, transient=True)
        bar.add_task(what, total=total)
        if not self._shown:
            yield bar
            return
        timer = threading.Timer(WAIT_S, bar.start)
        timer.start()
        try:
            yield bar
        finally:
            timer.cancel()
            timer.join()  # it may be starting the bar right now
            bar.stop()
