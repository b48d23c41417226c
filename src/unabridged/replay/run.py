"""Runs `unabridged replay`: reads the files one by one, walks their conversations, and hands the walks to an output."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from unabridged.errors import BadInput, BadSetting, UnabridgedError
from unabridged.importers import Imported, read_file
from unabridged.policy import Policy
from unabridged.replay import ink
from unabridged.replay.asked import found
from unabridged.replay.choosing import Terms, outlet_of, terms_of
from unabridged.replay.options import Options
from unabridged.replay.outlet import Job, Walk
from unabridged.replay.progress import Waiting
from unabridged.replay.walk import Step, calls_of, is_dead, is_mortal, walk
from unabridged.tokens import default_counter
from unabridged.tokens.exact import exact_available

NOTES = 3
"""Lines of a file's problems that are printed; the number of the others follows."""


def run(options: Options) -> bool:
    """Replay all files. Says whether any of them failed. Raises `BadSetting` before anything is read."""
    terms = terms_of(options)
    for stream in (sys.stdout, sys.stderr):
        # A transcript may hold what the terminal's encoding has no character for, lone surrogates for one.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return _Run(options, terms).all()


class _Run:
    """One run of the command."""

    def __init__(self, options: Options, terms: Terms) -> None:
        self._options = options
        self._terms = terms
        self._err = Console(stderr=True, highlight=False)
        self._outlet = outlet_of(options, terms, Console(highlight=False))
        # Lines that scroll by on the same terminal are progress enough, and a bar would tear them.
        self._waiting = Waiting(self._err, shown=not (options.as_json and sys.stdout.isatty()))
        self._failed = False
        self._seen: list[str] = []
        self._shown = 0

    def all(self) -> bool:
        if not exact_available():
            self._say(f"counts are estimates ({default_counter().name}): install unabridged[tokens] for exact ones")
        for path in self._options.files:
            try:
                self._file(path)
            except UnabridgedError as error:
                self._failed = True
                self._say(_one_line(error), ink.OVER)
        if self._options.conversation is not None and not self._shown and not self._failed:
            known = ", ".join(self._seen[:10]) + (", ..." if len(self._seen) > 10 else "")
            raise BadSetting("conversation", self._options.conversation, f"these files hold {known}")
        self._outlet.finish()
        return self._failed

    def _file(self, path: Path) -> None:
        with self._waiting.reading(path.name):
            conversations = read_file(path)
        for conversation in conversations:
            self._note(conversation)
        self._seen += [conversation.name for conversation in conversations]
        chosen = self._chosen(conversations, str(path))
        alone = len(self._options.files) == len(chosen) == 1
        for conversation in chosen:
            self._shown += 1
            walk = self._walk(conversation)
            job = Job(file=str(path), conversation=conversation, policy=self._terms.policy, walk=walk, alone=alone)
            self._outlet.show(job)

    def _walk(self, conversation: Imported) -> Walk:
        def walked(policies: Sequence[Policy], *, mortal: bool = False) -> Iterator[tuple[int, Step]]:
            steps = each(conversation, policies, self._terms.window, mortal=mortal)
            total = len(calls_of(conversation)) * len(policies)
            return self._waiting.walking(steps, name=conversation.name, total=total)

        return walked

    def _chosen(self, conversations: list[Imported], file: str) -> list[Imported]:
        """Give the conversations that are asked for. One step or one message is asked of one conversation only."""
        options = self._options
        chosen = conversations
        if options.conversation is not None:
            chosen = [each for each in conversations if is_named(each, options.conversation)]
        if options.why is not None and not options.why.isdigit():
            chosen = [each for each in chosen if found(each, options.why) is not None] or chosen
        if len(chosen) > 1 and options.shows_one:
            known = ", ".join(each.name for each in chosen[:10]) + (", ..." if len(chosen) > 10 else "")
            raise BadInput(f"{file}: it holds {len(chosen)} conversations, choose with --conversation: {known}")
        return chosen

    def _note(self, conversation: Imported) -> None:
        problems = conversation.problems
        for problem in problems[:NOTES]:
            self._say(f"{conversation.name}: {problem}", ink.DIM)
        if len(problems) > NOTES:
            self._say(f"{conversation.name}: and {len(problems) - NOTES:,} more like these", ink.DIM)

    def _say(self, words: str, style: str = "") -> None:
        self._err.print(Text(words, style), soft_wrap=True)


def is_named(conversation: Imported, name: str) -> bool:
    """Tell whether a conversation is meant: by its whole name, or by what follows the file's name in it."""
    return name in (conversation.name, conversation.name.partition("#")[2])


def each(
    conversation: Imported, policies: Sequence[Policy], window: int, *, mortal: bool
) -> Iterator[tuple[int, Step]]:
    """Walk a conversation under one policy after the other, as `Walk` says."""
    for number, policy in enumerate(policies):
        for step in walk(conversation, policy, window=window):
            yield number, step
            if mortal and is_mortal(policy) and is_dead(step):
                break


def _one_line(error: UnabridgedError) -> str:
    return " ".join(str(error).split())
