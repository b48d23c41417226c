"""What a path that is not there may have been meant for."""

from __future__ import annotations

import os
import unicodedata
from difflib import get_close_matches
from pathlib import Path

from unabridged.agent.workspace import Workspace

_ENTRIES = 20_000
"""Looked at in search of a name, so that an error comes at once in any workspace."""
_SKIPPED = {".git", "node_modules", ".venv", "__pycache__", ".mypy_cache", ".hg", ".svn"}
_MOST = 5


def nearby(workspace: Workspace, path: Path) -> list[Path]:
    """Give paths like this one: of the same name elsewhere in the workspace, of a similar one in its folder."""
    found = _alike(path)
    if len(found) < _MOST and workspace.holds(path):
        found += [each for each in _of_this_name(workspace, path.name) if each not in found]
    return found[:_MOST]


def said(workspace: Workspace, path: Path) -> str:
    """Say that a path is not there, and what is."""
    shown = workspace.shown(path)
    near = nearby(workspace, path)
    if near:
        return f"{shown} is not there. Similar: {', '.join(workspace.shown(each) for each in near)}"
    folder = path.parent
    while not os.path.isdir(folder) and folder != folder.parent:
        folder = folder.parent
    if folder != path.parent:
        return f"{shown} is not there; of its folders, {workspace.shown(folder)} is the last that is: look with glob"
    return f"{shown} is not there, nor any similar name in its folder: look with glob"


def _alike(path: Path) -> list[Path]:
    try:
        names = os.listdir(path.parent)[:_ENTRIES]
    except OSError:
        return []
    # One name in two spellings of Unicode looks the same and is not.
    folded: dict[str, str] = {unicodedata.normalize("NFKC", name).casefold(): name for name in names}
    wanted = unicodedata.normalize("NFKC", path.name).casefold()
    return [path.parent / folded[each] for each in get_close_matches(wanted, folded, _MOST, 0.6)]


def _of_this_name(workspace: Workspace, name: str) -> list[Path]:
    found: list[Path] = []
    left = _ENTRIES
    for root in workspace.folders:
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(each for each in folders if each not in _SKIPPED)
            found += [Path(folder, each) for each in names if each.casefold() == name.casefold()]
            left -= len(names) + len(folders)
            if len(found) >= _MOST or left <= 0:
                return found
    return found
