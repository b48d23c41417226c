"""`--html FILE`: one page with the whole walk in it, to be opened offline. It fetches nothing.

The timeline and the tables are plain markup. The messages are data, each stored once, deflated; a script shows the
request of one call beside what is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from unabridged.errors import BadInput, BadSetting
from unabridged.replay.costs.tariff import Tariff
from unabridged.replay.outlet import Job
from unabridged.replay.page.assembly import page_of
from unabridged.replay.page.content import Content

__all__ = ["PageFile"]


class PageFile:
    """Writes the page of one conversation. Raises `BadSetting` at once for a file that is a transcript itself."""

    def __init__(self, console: Console, path: Path, tariff: Tariff, *, inputs: Sequence[Path]) -> None:
        if any(_same(path, each) for each in inputs):
            raise BadSetting(
                "html", str(path), "it is one of the transcripts, which are never changed: name another file"
            )
        self._console = console
        self._path = path
        self._tariff = tariff
        self._written = False

    def show(self, job: Job) -> None:
        """Walk one conversation and write its page. Raises `BadInput` where the file cannot be written."""
        if self._written:
            raise BadInput(f"{job.file}: {self._path} holds the page of another conversation: choose one of them")
        content = Content(job.conversation, self._tariff)
        for step in job.steps:
            content.take(step)
        if not content.steps:
            raise BadInput(f"{job.file}: no model call in {job.conversation.name}, so there is nothing to show")
        page = page_of(content, job.policy)
        try:
            self._path.write_bytes(page)
        except OSError as error:
            raise BadInput(f"{self._path}: cannot be written: {error.strerror or error}") from None
        self._written = True
        size = f"{len(page) / 1_000:,.0f} kB, {len(content.steps):,} model calls"
        self._console.print(Text(f"{self._path}: {size}"), soft_wrap=True)

    def finish(self) -> None:
        """End the output: nothing is left to say."""


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)
