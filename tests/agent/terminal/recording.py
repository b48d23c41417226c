"""A screen that keeps what is shown."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from rich.console import Console, RenderableType

from unabridged.agent.terminal.screen import Typist


class Recorded:
    """Implements `Screen`; keys and lines are answered from a list."""

    def __init__(self, *, width: int = 100, answers: Sequence[str] = (), colours: bool = False) -> None:
        self._file = io.StringIO()
        self._console = Console(
            file=self._file, width=width, record=colours, force_terminal=colours, highlight=False, legacy_windows=False
        )
        self._answers = list(answers)
        self.prefilled = ""

    @property
    def console(self) -> Console:
        return self._console

    @property
    def text(self) -> str:
        """All that was shown."""
        return self._file.getvalue()

    def show(self, *what: RenderableType) -> None:
        for each in what:
            self._console.print(each)

    def refresh(self) -> None:
        return

    async def choose(self, shown: Sequence[RenderableType], keys: Mapping[str, str], none: str) -> str:
        self.show(*shown)
        key = self._answers.pop(0)
        return key if key in keys else none

    async def line(self, label: str) -> str:
        self._console.print(label, markup=False)
        return self._answers.pop(0)

    def prefill(self, text: str) -> None:
        self.prefilled = text

    def leave(self) -> None:
        return

    async def run(self, typist: Typist) -> None:
        del typist
