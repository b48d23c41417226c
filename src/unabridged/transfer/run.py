"""Runs `unabridged import` and `unabridged export` on files: reads them one by one and writes what is asked for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from unabridged.errors import BadInput, UnabridgedError
from unabridged.exporters import Exporter, Losses, exporter
from unabridged.exporters.log_file import SUFFIX, write_log
from unabridged.importers import Imported, read_file
from unabridged.transfer.places import Places, new_file
from unabridged.transfer.telling import Telling


class Transfer:
    """One run of a command. Conversations go into a log (`log`) or a format of another tool."""

    def __init__(self, to: str, out: str | None, *, conversation: str | None, as_json: bool) -> None:
        self._exporter: Exporter | None = None if to == "log" else exporter(to)
        self._out = out
        self._conversation = conversation
        self.telling = Telling(as_json=as_json)

    def all(self, files: Sequence[Path]) -> bool:
        """Take all files. Says whether any of them failed."""
        places = Places(self._out, several=len(files) > 1)
        failed = False
        for file in files:
            try:
                with self.telling.err.status(f"reading {file.name}"):
                    found = read_file(file)
                self.write(file, found, places)
            except (UnabridgedError, OSError) as error:
                failed = True
                self.telling.failed(file.name, error)
        return failed

    def write(self, file: Path, found: Sequence[Imported], places: Places) -> None:
        """Write those of a file's conversations that are asked for. Raises `BadInput` where there is none."""
        chosen = chosen_of(file.name, found, self._conversation)
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
        with self.telling.err.status(f"writing {out.name}") as status, new_file(out) as part:

            def done(messages: int) -> None:
                status.update(f"writing {out.name}: {messages:,} of {total:,} messages")

            counts = write_log(conversation, part, done)
        self.telling.written(file, [conversation], out, usage=counts.usage, losses=[])

    def _export(self, file: Path, conversations: Sequence[Imported], out: Path | None, to: Exporter) -> None:
        losses = Losses()
        if out is None:
            for text in to.write(conversations, losses):
                sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
            sys.stdout.buffer.flush()
            self.telling.note(losses.sentences)
            return
        with self.telling.err.status(f"writing {out.name}"), new_file(out) as part, part.open("wb") as stream:
            for text in to.write(conversations, losses):
                stream.write(text.encode("utf-8", "backslashreplace"))
        usage = sum(call.usage is not None for each in conversations for call in each.calls)
        self.telling.written(file, conversations, out, usage=usage, losses=losses.sentences)


def chosen_of(file: str, found: Sequence[Imported], wanted: str | None) -> list[Imported]:
    """Give the conversations that are asked for. Raises `BadInput` where there is none of this name."""
    chosen = [each for each in found if wanted in (None, each.name, each.name.partition("#")[2])]
    if not chosen:
        known = ", ".join(each.name for each in found[:10]) + (", ..." if len(found) > 10 else "")
        raise BadInput(f"{file}: no conversation {wanted!r} in it: it holds {known}")
    return chosen
