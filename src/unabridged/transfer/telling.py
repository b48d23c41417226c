"""What import and export say: one line for each output, what could not be read, what is lost. JSON for machines."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.text import Text

from unabridged.importers import Imported
from unabridged.store.filing import Counts

NOTES = 3
"""Lines of a file's problems that are printed; the number of the others follows."""


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """One file that was written, for `--json`."""

    file: str
    conversations: list[str]
    out: str
    messages: int
    usage: int
    """Reports of usage that went along; they are entries of a log, and parts of some formats."""
    problems: list[str]
    """What could not be read."""
    losses: list[str]
    """What the format cannot say."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One session that a store has now, for `--json`."""

    file: str
    store: str
    project: str
    session: str
    title: str
    entries: int
    problems: list[str]


class Telling:
    """Says what a run of a command comes to."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.err = Console(stderr=True, highlight=False)
        self._encoder = msgspec.json.Encoder()
        for stream in (sys.stdout, sys.stderr):
            # A transcript may hold what the terminal's encoding has no character for, lone surrogates for one.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")

    def written(self, file: Path, told: Sequence[Imported], out: Path, *, usage: int, losses: list[str]) -> None:
        """Say what conversations went into a file."""
        problems = [problem for each in told for problem in each.problems]
        messages = sum(len(each.messages) for each in told)
        if self._as_json:
            names = [encodable(each.name) for each in told]
            self._json(
                Written(
                    file=encodable(str(file)),
                    conversations=names,
                    out=encodable(str(out)),
                    messages=messages,
                    usage=usage,
                    problems=problems,
                    losses=losses,
                )
            )
            return
        name = told[0].name if len(told) == 1 else f"{file.name} ({len(told):,} conversations)"
        print(f"{name}: {messages:,} messages, {usage:,} usage reports, written to {out}")
        self.note(problems)
        self.note(losses)

    def whole_log(self, session: str, out: Path, counts: Counts) -> None:
        """Say that a session was written as the log that it is."""
        if self._as_json:
            self._json(
                Written(
                    file=session,
                    conversations=[session],
                    out=encodable(str(out)),
                    messages=counts.messages,
                    usage=counts.usage,
                    problems=[],
                    losses=[],
                )
            )
            return
        print(f"{session}: {counts.entries:,} entries, {counts.messages:,} messages, written to {out}")

    def kept(self, kept: Kept, *, added: int) -> None:
        """Say which session a store has now, and how much of it is new."""
        if self._as_json:
            self._json(kept)
            return
        new = (
            f"{kept.entries:,} entries" if added == kept.entries else f"{kept.entries:,} entries, {added:,} of them new"
        )
        print(f"{kept.file}: session {kept.session} in {kept.store}, project {kept.project}, {new}")
        self.note(kept.problems)

    def note(self, sentences: Sequence[str]) -> None:
        """Say what could not be read, or is lost; of many the first."""
        for sentence in sentences[:NOTES]:
            self.say(f"  {sentence}", "bright_black")
        if len(sentences) > NOTES:
            self.say(f"  and {len(sentences) - NOTES:,} more like these", "bright_black")

    def failed(self, file: str, error: Exception) -> None:
        """Say in one line what went wrong with a file."""
        said = f"{file}: {error}" if isinstance(error, OSError) else str(error)
        self.say(" ".join(said.split()))

    def say(self, words: str, style: str = "") -> None:
        """Print a line for people."""
        self.err.print(Text(words, style), soft_wrap=True)

    def _json(self, told: Written | Kept) -> None:
        sys.stdout.buffer.write(self._encoder.encode(told) + b"\n")
        sys.stdout.buffer.flush()


def encodable(name: str) -> str:
    """Give a name that JSON can hold: a file's name may hold bytes that are no text."""
    return name.encode("utf-8", "replace").decode()
