"""`@file` in what a person types: the file is named to the model, and put in where it is not too long."""

from __future__ import annotations

import re

import msgspec

from unabridged.agent.tool import ToolError
from unabridged.agent.workspace import Workspace

MOST_LINES = 2_000
MOST_CHARACTERS = 60_000
_NAMED = re.compile(r"(?<![\w@/.-])@(?:\"([^\"\n]+)\"|([\w./~+-][^\s,;:!?\"'()<>]*))")


class Expanded(msgspec.Struct, frozen=True):
    """What is sent for what was typed."""

    text: str
    notes: tuple[str, ...] = ()
    """For the person: what was put in, what was only named."""


def expanded(text: str, workspace: Workspace) -> Expanded:
    """Put in the files that a text names. A name of no file stays as it is."""
    added: list[str] = []
    notes: list[str] = []
    for name in dict.fromkeys(quoted or bare.rstrip(".") for quoted, bare in _NAMED.findall(text)):
        found = _file(name, workspace)
        if found is not None:
            added.append(found[0])
            notes.append(found[1])
    return Expanded("\n\n".join((text, *added)), tuple(notes))


def _file(name: str, workspace: Workspace) -> tuple[str, str] | None:
    try:
        path = workspace.resolve(name)
        if not workspace.holds(path):
            return None
        shown = workspace.shown(path)
        if path.is_dir():
            return f"[context: the user names the folder {shown}]", f"@{shown}: a folder, named"
        data = path.read_bytes() if path.stat().st_size <= MOST_CHARACTERS * 4 else None
    except (ToolError, OSError):
        return None
    if data is None or b"\0" in data[:8_000]:
        return f"[context: the user names the file {shown}]", f"@{shown}: named, too large to put in or no text"
    content = data.decode("utf-8", "replace")
    lines = content.count("\n") + (not content.endswith("\n"))
    length = "1 line" if lines == 1 else f"{lines:,} lines"
    if lines > MOST_LINES or len(content) > MOST_CHARACTERS:
        return f"[context: the user names the file {shown}, {length}]", f"@{shown}: {length}, only named"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", content)), default=0))
    put_in = f"[context: the file {shown}, {length}, as it is now]\n{fence}\n{content.rstrip()}\n{fence}"
    return put_in, f"@{shown}: {length} put in"
