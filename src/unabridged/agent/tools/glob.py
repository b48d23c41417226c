"""`glob`: files by the pattern of their path."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from unabridged.agent.access import Access, Reads
from unabridged.agent.files import nearby
from unabridged.agent.files.globs import Glob
from unabridged.agent.tool import Output, Running, ToolError
from unabridged.agent.tools.searching import Query, Searches, counts, located
from unabridged.agent.workspace import Workspace

LIMIT = 100
# Patterns that mean the same to ripgrep as they do here.
_SIMPLE = re.compile(r"[\w.*-]+|\*\.\{[\w,]+\}")


class GlobArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `glob` takes."""

    pattern: Annotated[
        str,
        msgspec.Meta(
            description="*.py: anywhere below. ./*: right in the folder, folders too. src/**/*.{ts,tsx}: below src."
        ),
    ]
    path: Annotated[str, msgspec.Meta(description="The folder to look in; the workspace by default.")] = "."
    limit: Annotated[int, msgspec.Meta(ge=1, description=f"How many paths at most; {LIMIT} by default.")] = LIMIT
    skip: Annotated[int, msgspec.Meta(ge=0, description="How many to pass over: for the next page.")] = 0
    hidden: Annotated[bool, msgspec.Meta(description="Also files and folders whose name begins with a dot.")] = False


class GlobFiles:
    """Lists files, the ones changed last first."""

    name = "glob"
    description = (
        "List files whose path matches a pattern, the ones changed last first. What .gitignore leaves out is not listed"
        " unless its folder is given as path; links are not followed. To look for something inside files use grep."
    )
    arguments = GlobArguments
    reads_only = True

    def __init__(self, workspace: Workspace, searches: Searches | None = None) -> None:
        self._workspace = workspace
        self._searches = searches or Searches.found(workspace)

    def title(self, arguments: GlobArguments) -> str:
        """Give the pattern, and the folder where it is not the workspace."""
        return arguments.pattern if arguments.path == "." else f"{arguments.pattern} in {arguments.path}"

    def touches(self, arguments: GlobArguments) -> Sequence[Access]:
        """Give the folder, links followed."""
        return (Reads(str(self._workspace.resolve(arguments.path))),)

    def preview(self, arguments: GlobArguments) -> str:
        """Nothing is changed."""
        del arguments
        return ""

    async def run(self, arguments: GlobArguments, running: Running) -> Output:
        """List. Raises `ToolError` for a pattern that cannot be read, and where no such folder is."""
        del running
        glob = Glob.of(arguments.pattern)
        folder = folder_at(self._workspace, arguments.path)
        query = msgspec.structs.replace(
            located(self._workspace, folder),
            hidden=arguments.hidden or glob.names_hidden,
            names=simple(arguments.pattern),
        )
        found, is_late = await listed(self._searches, query)
        if glob.lists_folders:
            found += _folders(found)
        paths = newest_first(folder, [each for each in found if glob.matches(each.rstrip("/"))])
        return self._shown(paths, folder, arguments, is_late)

    def _shown(self, paths: Sequence[str], folder: Path, asked: GlobArguments, is_late: bool) -> Output:
        page = paths[asked.skip : asked.skip + asked.limit]
        rows = [shown(self._workspace, folder, each) for each in page]
        more = len(paths) - asked.skip - len(page)
        if more > 0:
            rows.append(f"({more:,} more: skip={asked.skip + len(page)}, or a narrower pattern)")
        if is_late:
            rows.append(f"(stopped after {self._searches.seconds:g} s, so there may be more: give a folder as path)")
        if not page:
            rows = [f"(nothing behind {len(paths):,} files)"] if paths else [*_nothing(asked), *rows]
        return Output(text="\n".join(rows), headline=f"{len(paths):,} files" if len(paths) != 1 else "1 file")


async def listed(searches: Searches, query: Query) -> tuple[list[str], bool]:
    """Give the files that a query lists, relative to its folder, and whether there was no time for all."""
    found: list[str] = []
    async with searches.asking(query) as child:
        async for name in child.pieces(b"\0"):
            found.append(os.fsdecode(name).removeprefix("./"))
        return list(filter(counts(query), found)), child.is_late


def simple(pattern: str) -> str:
    """Give a pattern if it is about names alone and means the same everywhere; "" otherwise."""
    return pattern if _SIMPLE.fullmatch(pattern) and "**" not in pattern else ""


def folder_at(workspace: Workspace, given: str) -> Path:
    """Give the folder at a path. Raises `ToolError` where none is."""
    path = workspace.resolve(given)
    if not os.path.lexists(path):
        raise ToolError(nearby.said(workspace, path))
    if not os.path.isdir(path):
        raise ToolError(f"{workspace.shown(path)} is no folder: give its folder as path, or read it")
    return path


def shown(workspace: Workspace, folder: Path, relative: str) -> str:
    """Give a found path as models read it, whatever bytes are in it."""
    path = workspace.shown(folder / relative) + ("/" if relative.endswith("/") else "")
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def newest_first(folder: Path, found: Iterable[str]) -> list[str]:
    """Sort paths by when they were changed, then by name."""
    times: dict[str, int] = {}
    for each in found:
        try:
            times[each] = os.lstat(folder / each).st_mtime_ns
        except OSError:
            times[each] = 0  # gone meanwhile
    return sorted(times, key=lambda each: (-times[each], each))


def _folders(files: Iterable[str]) -> list[str]:
    """Give the folders that files lie in, with `/` behind each."""
    found: set[str] = set()
    for each in files:
        parts = each.split("/")[:-1]
        found.update("/".join(parts[:count]) + "/" for count in range(1, len(parts) + 1))
    return sorted(found)


def _nothing(asked: GlobArguments) -> list[str]:
    hint = "" if asked.hidden else "; hidden files are listed with hidden=true"
    return [f"(no file matches{hint}; what .gitignore leaves out is not listed unless its folder is given as path)"]
