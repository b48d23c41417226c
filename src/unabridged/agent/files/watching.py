"""What a command changes, of which nobody knows beforehand: files are looked at before and after it.

Size, time and inode tell; a content is read again only where they differ from the last look. Contents of small files
are kept before the command, as many as there is room for, so that what it does can be taken back.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from unabridged.agent.files.checkpoints import Checkpoints
from unabridged.agent.files.ignoring import Ignored, top_of, walk
from unabridged.agent.files.opening import read_file
from unabridged.agent.files.records import Kind, State
from unabridged.agent.tool import ToolError
from unabridged.agent.workspace import Workspace

FILES = 20_000
"""Files that are watched; a workspace with more is not watched at all."""
EACH = 256 * 1024
"""Bytes of a file whose content is kept before a command."""
ALTOGETHER = 64 * 1024 * 1024
"""Bytes of all of them together, each session."""


class _Look(msgspec.Struct, frozen=True):
    size: int
    changed: int
    touched: int
    inode: int
    mode: int


class Watch(msgspec.Struct, frozen=True):
    """How files were before a command."""

    looks: dict[Path, _Look]


class Watcher:
    """Looks at the files of a workspace that `.gitignore` does not leave out."""

    def __init__(
        self, workspace: Workspace, checkpoints: Checkpoints, *, files: int = FILES, altogether: int = ALTOGETHER
    ) -> None:
        self._workspace = workspace
        self._checkpoints = checkpoints
        self._files = files
        self._room = altogether
        self._known: dict[Path, tuple[_Look, State]] = {}

    def before(self) -> Watch | None:
        """Look, before a command begins. None where there are too many files; then nothing is said of what changes."""
        looks = self._looks()
        if looks is None:
            return None
        for path, look in looks.items():
            known = self._known.get(path)
            if known is None or known[0] != look:
                self._known[path] = self._kept(path, look)
        return Watch({path: self._known[path][0] for path in looks})

    def after(self, watch: Watch) -> list[Path]:
        """Look again; write down how the files were that are no longer so. Gives their paths."""
        looks = self._looks() or self._looks(list(watch.looks)) or {}
        states: list[tuple[Path, State]] = []
        for path in sorted(looks.keys() | watch.looks.keys()):
            then = watch.looks.get(path)
            if then is None:
                states.append((path, State(Kind.ABSENT)))
            elif looks.get(path) != then:
                states.append((path, self._known[path][1]))
        self._checkpoints.record(states)
        return [path for path, _ in states]

    def _kept(self, path: Path, look: _Look) -> tuple[_Look, State]:
        if look.size > EACH or look.size > self._room:
            why = "it was changed by a command, and is too large" if look.size > EACH else "there was no more room"
            return look, State(Kind.UNKEPT, size=look.size, why=why)
        try:
            data, found = read_file(path, EACH)
            digest = self._checkpoints.contents.put(data, durable=False)
        except (OSError, ToolError):
            return look, State(Kind.UNKEPT, size=look.size, why="it could not be read or kept before the command")
        self._room -= len(data)
        return _look(found), State(Kind.FILE, digest, found.st_mode & 0o7777, len(data))

    def _looks(self, paths: Iterable[Path] | None = None) -> dict[Path, _Look] | None:
        looks: dict[Path, _Look] = {}
        for path in paths if paths is not None else self._listed():
            try:
                found = os.lstat(path)
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode):
                looks[path] = _look(found)
            if len(looks) > self._files:
                return None
        return looks

    def _listed(self) -> Iterator[Path]:
        for root in self._workspace.folders:
            rules = Ignored(top_of(root, root)[0])
            yield from (root / each for each in walk(root, rules, hidden=True))


def _look(found: os.stat_result) -> _Look:
    return _Look(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode)
