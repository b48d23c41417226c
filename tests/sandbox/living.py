"""What lives on this machine, seen from outside of any sandbox."""

from __future__ import annotations

import contextlib
from pathlib import Path


def living(word: str) -> list[str]:
    """Give the processes of this machine, ended ones not yet fetched too, whose command line holds a word."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if word in line:
                    found.append(line)
    return found


def unfetched() -> list[str]:
    """Give this process's children that ended and were not fetched."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                stat = (folder / "stat").read_text()
                state, parent = stat[stat.rindex(")") + 2 :].split()[:2]
                if state == "Z" and int(parent) == int(Path("/proc/self").readlink().name):
                    found.append(stat)
    return found
