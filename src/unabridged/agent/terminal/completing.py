"""What Tab offers: commands at the beginning of a line, files behind an @."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

MOST = 200
_PATH = re.compile(r"(?:^|(?<=\s))@([^\s\"]*)$")


class Completing(Completer):
    """Looks into one folder at a time, when asked."""

    def __init__(self, commands: Mapping[str, str], root: Path) -> None:
        self._commands = commands
        self._root = root

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Give what the text before the cursor may become."""
        del complete_event
        before = document.text_before_cursor
        if before.startswith("/") and " " not in before and "\n" not in before:
            for name, meaning in self._commands.items():
                if name.startswith(before[1:]):
                    yield Completion(f"/{name}", start_position=-len(before), display_meta=meaning)
            return
        match = _PATH.search(before)
        if match is not None:
            yield from self._paths(match[1])

    def _paths(self, typed: str) -> Iterable[Completion]:
        folder, _, begun = typed.rpartition("/")
        try:
            with os.scandir(self._root / folder) as found:
                entries = sorted((entry.name, entry.is_dir()) for entry in found)[: MOST * 10]
        except OSError:
            return
        given = 0
        for name, is_folder in entries:
            hidden = name.startswith(".") and not begun.startswith(".")
            if not name.lower().startswith(begun.lower()) or hidden or given >= MOST:
                continue
            given += 1
            whole = f"{folder}/{name}" if folder else name
            yield Completion(f"{whole}/" if is_folder else whole, start_position=-len(typed))
