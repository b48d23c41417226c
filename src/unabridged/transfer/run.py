"""Runs `unabridged import` and `unabridged export`: reads the files one by one and writes what is asked for."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.text import Text

from unabridged.errors import BadInput, UnabridgedError
from unabridged.exporters import Exporter, Losses, exporter
from unabridged.exporters.log_file import SUFFIX, write_log
from unabridged.importers import Imported, read_file
from unabridged.transfer.places import Places, new_file

_NOTES = 3
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


class Transfer:
    """One run of a command. Conversations go into a log (`log`) or a format of another tool."""

    def __init__(self, to: str, out: str | None, *, conversation: str | None, as_json: bool) -> None:
        self._exporter: Exporter | None = None if to == "log" else exporter(to)
        self._out = out
        self._conversation = conversation
        self._as_json = as_json
        self._err = Console(stderr=True, highlight=False)
        self._encoder = msgspec.json.Encoder()

    def all(self, files: Sequence[Path]) -> bool:
        """Take all files. Says whether any of them failed."""
        for stream in (sys.stdout, sys.stderr):
            # A transcript may hold what the terminal's encoding has no character for, lone surrogates for one.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        places = Places(self._out, several=len(files) > 1)
        failed = False
        for file in files:
            try:
                self._file(file, places)
            except (UnabridgedError, OSError) as error:
                failed = True
                self._say(" ".join(f"{file.name}: {error}".split()) if isinstance(error, OSError) else _one_line(error))
        return failed

    def _file(self, file: Path, places: Places) -> None:
        with self._err.status(f"reading {file.name}"):
            found = read_file(file)
        chosen = [each for each in found if self._conversation in (None, each.name, each.name.partition("#")[2])]
        if not chosen:
            known = ", ".join(each.name for each in found[:10]) + (", ..." if len(found) > 10 else "")
            raise BadInput(f"{file.name}: no conversation {self._conversation!r} in it: it holds {known}")
        if self._exporter is not None and self._exporter.holds_several:
            self._export(file, chosen, places.of(file, self._exporter.suffix), self._exporter)
            return
        suffix = SUFFIX if self._exporter is None else self._exporter.suffix
        for conversation in chosen:
            key = conversation.name.partition("#")[2] if len(chosen) > 1 else ""
            out = places.of(file, suffix, key=key, of=len(chosen))
            if self._exporter is None:
                self._import(file, conversation, out)
            else:
                self._export(file, [conversation], out, self._exporter)

    def _import(self, file: Path, conversation: Imported, out: Path | None) -> None:
        assert out is not None  # the command refuses to write a log to the terminal
        total = len(conversation.messages)
        with self._err.status(f"writing {out.name}") as status, new_file(out) as part:

            def done(messages: int) -> None:
                status.update(f"writing {out.name}: {messages:,} of {total:,} messages")

            counts = write_log(conversation, part, done)
        self._tell(file, [conversation], out, usage=counts.usage, losses=[])

    def _export(self, file: Path, conversations: Sequence[Imported], out: Path | None, to: Exporter) -> None:
        losses = Losses()
        if out is None:
            for text in to.write(conversations, losses):
                sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
            sys.stdout.buffer.flush()
            self._note(losses.sentences)
            return
        with self._err.status(f"writing {out.name}"), new_file(out) as part, part.open("wb") as stream:
            for text in to.write(conversations, losses):
                stream.write(text.encode("utf-8", "backslashreplace"))
        usage = sum(call.usage is not None for each in conversations for call in each.calls)
        self._tell(file, conversations, out, usage=usage, losses=losses.sentences)

    def _tell(self, file: Path, told: Sequence[Imported], out: Path, *, usage: int, losses: list[str]) -> None:
        problems = [problem for each in told for problem in each.problems]
        messages = sum(len(each.messages) for each in told)
        if self._as_json:
            names = [_encodable(each.name) for each in told]
            written = Written(
                file=_encodable(str(file)),
                conversations=names,
                out=_encodable(str(out)),
                messages=messages,
                usage=usage,
                problems=problems,
                losses=losses,
            )
            sys.stdout.buffer.write(self._encoder.encode(written) + b"\n")
            sys.stdout.buffer.flush()
            return
        name = told[0].name if len(told) == 1 else f"{file.name} ({len(told):,} conversations)"
        print(f"{name}: {messages:,} messages, {usage:,} usage reports, written to {out}")
        self._note(problems)
        self._note(losses)

    def _note(self, sentences: Sequence[str]) -> None:
        for sentence in sentences[:_NOTES]:
            self._say(f"  {sentence}", "bright_black")
        if len(sentences) > _NOTES:
            self._say(f"  and {len(sentences) - _NOTES:,} more like these", "bright_black")

    def _say(self, words: str, style: str = "") -> None:
        self._err.print(Text(words, style), soft_wrap=True)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _encodable(name: str) -> str:
    """Give a name that JSON can hold: a file's name may hold bytes that are no text."""
    return name.encode("utf-8", "replace").decode()
