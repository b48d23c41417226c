"""What `.gitignore` files leave out, and a walk through the rest, as git and ripgrep do it.

Each entry is judged by itself, the way git does: what lies in a folder that is left out is never asked about.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from unabridged.agent.files.globs import regex_of

_LARGEST = 1 << 20
"""Bytes of a `.gitignore` that are read."""


class Rule(msgspec.Struct, frozen=True):
    """One line of a `.gitignore`."""

    regex: re.Pattern[str]
    takes_back: bool
    folders_only: bool


class Ignored:
    """What is left out below a folder, by its `.gitignore` and those of the folders in it."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self._rules: dict[str, tuple[Rule, ...]] = {}

    def entry(self, relative: str, *, is_folder: bool) -> bool:
        """Judge one entry, whose folders are not left out; `relative` to the top, with `/`."""
        folder = relative
        while True:
            folder, _, _ = folder.rpartition("/")
            inner = relative[len(folder) + 1 :] if folder else relative
            for rule in reversed(self._of(folder)):
                if (is_folder or not rule.folders_only) and rule.regex.fullmatch(inner):
                    return not rule.takes_back
            if not folder:
                return False

    def path(self, path: Path, *, is_folder: bool) -> bool:
        """Judge a path below the top with all of its folders."""
        parts = path.relative_to(self.top).parts
        return any(
            self.entry("/".join(parts[:count]), is_folder=is_folder or count < len(parts))
            for count in range(1, len(parts) + 1)
        )

    def _of(self, folder: str) -> tuple[Rule, ...]:
        if folder not in self._rules:
            self._rules[folder] = _read(self.top / folder / ".gitignore")
        return self._rules[folder]


def top_of(root: Path, inside: Path | None) -> tuple[Path, bool]:
    """Give the folder whose `.gitignore` counts first, and whether git is there.

    That is the repository's; without one the folder of the workspace that holds this one, else the folder itself.
    """
    for folder in (root, *root.parents):
        if (folder / ".git").exists():
            return folder, True
    return (inside or root), False


def walk(root: Path, rules: Ignored | None, *, hidden: bool) -> Iterator[str]:
    """Give the plain files below a folder, relative to it, each folder's entries by name. Links are not followed.

    `rules` are those of a folder at or above the root; None judges by what lies below alone.
    """
    judge = rules or Ignored(root)
    prefix = root.relative_to(judge.top).as_posix()
    above = "" if prefix == "." else f"{prefix}/"
    waiting = [""]
    while waiting:
        at = waiting.pop()
        if at and not at.endswith("/"):
            yield at
            continue
        try:
            with os.scandir(root / at) as entries:
                found = sorted(entries, key=lambda entry: os.fsencode(entry.name), reverse=True)
        except OSError:
            continue
        for entry in found:
            if entry.name == ".git" or (entry.name.startswith(".") and not hidden):
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and not entry.is_file(follow_symlinks=False):
                continue
            if not judge.entry(f"{above}{at}{entry.name}", is_folder=is_folder):
                waiting.append(f"{at}{entry.name}{'/' if is_folder else ''}")


def _read(path: Path) -> tuple[Rule, ...]:
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    except OSError:
        return ()
    return tuple(rule for line in text.split("\n") if (rule := _rule(line.rstrip("\r"))) is not None)


def _rule(line: str) -> Rule | None:
    # Blanks at the end count only where one stands behind a backslash.
    pattern = re.sub(r"(?<!\\)(\\\\)*[ \t]+$", lambda found: found[1] or "", line)
    if not pattern or pattern.startswith("#"):
        return None
    takes_back = pattern.startswith("!")
    pattern = pattern[takes_back:]
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    try:
        regex = re.compile(regex_of(pattern, anchored=anchored), re.DOTALL)
    except re.error:
        return None  # as git does with a line that it cannot read
    return Rule(regex, takes_back, folders_only)
