"""Calls of tools, as a model makes them: arguments as JSON."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from unabridged.agent.tool import Output, Running, Tool

NOBODY = 65_534


async def call(tool: Tool, **arguments: Any) -> Output:
    """Run a tool with these arguments."""
    asked = msgspec.json.decode(msgspec.json.encode(arguments), type=tool.arguments)
    return await tool.run(asked, Running("call_1", lambda text: None))


def preview(tool: Tool, **arguments: Any) -> str:
    """Ask a tool what it would change."""
    return tool.preview(msgspec.convert(arguments, tool.arguments))


def touched(tool: Tool, **arguments: Any) -> list[Any]:
    """Ask a tool what it would touch."""
    return list(tool.touches(msgspec.convert(arguments, tool.arguments)))


def tree(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Give everything below a folder: mode and content of files, targets of links."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = (0, str(path.readlink()))
        elif path.is_file():
            found[str(path.relative_to(folder))] = (path.stat().st_mode & 0o7777, path.read_bytes())
    return found


@contextmanager
def as_anybody() -> Iterator[Path]:
    """Give a folder, and work in it as a user for whom the file system's permissions count: for root they do not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, NOBODY, NOBODY)
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(0)
            os.setegid(0)
