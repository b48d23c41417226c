"""Paths as they stand in calls: told from other text, and written short where many share a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

ELSEWHERE = "…"
"""Stands for the shared folder in front of a path."""
LEAST_SHARING = 3
"""Fewer paths than this are written in full."""
LEAST_SAVING = 40
"""Characters that writing a folder once must save."""
LONGEST = 400

_ABSOLUTE = re.compile(r"(?:/|~/|[A-Za-z]:[\\/])")
_SEPARATOR = re.compile(r"[\\/]")


def is_path(text: str) -> bool:
    """Tell whether an argument can be a file's path: one line, not too long, no address of the web."""
    return 0 < len(text) <= LONGEST and text.isprintable() and "://" not in text and not text.startswith(ELSEWHERE)


def is_absolute(path: str) -> bool:
    """Tell whether a path begins at a root, of whatever system."""
    return _ABSOLUTE.match(path) is not None


def shared_folder(paths: Sequence[str]) -> str:
    """Give the absolute folder that saves most by being written once, with its last separator; "" if none does."""
    folders: Counter[str] = Counter()
    for path in paths:
        if _ABSOLUTE.match(path):
            folders.update(path[: separator.end()] for separator in _SEPARATOR.finditer(path))
    savings = {folder: (len(folder) - 2) * (count - 1) for folder, count in folders.items() if count >= LEAST_SHARING}
    folder = max(savings, key=lambda folder: (savings[folder], folder), default="")
    return folder if savings.get(folder, 0) >= LEAST_SAVING else ""


def endings(path: str) -> list[str]:
    """Give what a path may be called by somebody who stands further down: its last parts, with `/` between them."""
    words = path.replace("\\", "/").split("/")
    return ["/".join(words[start:]) for start in range(1, len(words))]


def is_scratch(path: str) -> bool:
    """Tell whether a path lies where files are put for a moment."""
    return path.startswith(("/tmp/", "/var/tmp/", "/var/folders/", "/dev/shm/")) or "\\Temp\\" in path


def under(path: str, folder: str) -> str:
    """Give a path as it is written where `folder` is written once."""
    return f"{ELSEWHERE}{_last(folder)}{path[len(folder) :]}" if folder and path.startswith(folder) else path


def back(path: str, folder: str) -> str:
    """Give the path that `under` made this of."""
    start = f"{ELSEWHERE}{_last(folder)}"
    return f"{folder}{path[len(start) :]}" if folder and path.startswith(start) else path


def _last(folder: str) -> str:
    return folder[-1:]
