"""`grep`: lines of files that match a regular expression."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from unabridged.agent.access import Access, Reads
from unabridged.agent.files import nearby
from unabridged.agent.files.globs import Glob
from unabridged.agent.tool import Output, Running, ToolError
from unabridged.agent.tools.glob import shown, simple
from unabridged.agent.tools.matches import COUNTED, Gathered, Page, Row
from unabridged.agent.tools.searching import LARGEST, Query, Searches, checked, counts, located
from unabridged.agent.workspace import Workspace

LIMIT = 100
WIDTH = 400
"""Characters of a line that are shown."""
_LITERALLY = "put \\ before those of ( ) [ ] { } . * + ? | ^ $ \\ that are meant literally"


class GrepArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `grep` takes."""

    pattern: Annotated[str, msgspec.Meta(description="A regular expression, held against each line by itself.")]
    path: Annotated[str, msgspec.Meta(description="Folder or file to look in; the workspace by default.")] = "."
    glob: Annotated[str, msgspec.Meta(description="Only files whose path matches, such as *.py or src/**.")] = ""
    case_insensitive: Annotated[bool, msgspec.Meta(description="Capital and small letters are the same.")] = False
    context: Annotated[int, msgspec.Meta(ge=0, le=50, description="Lines shown before and after each match.")] = 0
    files_only: Annotated[bool, msgspec.Meta(description="Give only the names of the files that match.")] = False
    limit: Annotated[
        int, msgspec.Meta(ge=1, le=5_000, description=f"How many matches, or files, at most; {LIMIT} by default.")
    ] = LIMIT
    skip: Annotated[int, msgspec.Meta(ge=0, description="How many to pass over: for the next page.")] = 0
    hidden: Annotated[bool, msgspec.Meta(description="Also files and folders whose name begins with a dot.")] = False


class Grep:
    """Finds lines in files."""

    name = "grep"
    description = (
        "Search the lines of text files for a regular expression. Gives path, line number and line, files in the order"
        " of their names; long lines are shown around the match. Binary files, files above"
        f" {LARGEST // 1024 // 1024} MB and what .gitignore leaves out are not searched unless the file or its folder"
        " is given as path; links are not followed."
    )
    arguments = GrepArguments
    reads_only = True

    def __init__(self, workspace: Workspace, searches: Searches | None = None) -> None:
        self._workspace = workspace
        self._searches = searches or Searches.found(workspace)

    def title(self, arguments: GrepArguments) -> str:
        """Give the pattern, and where it is looked for if not everywhere."""
        where = " ".join(each for each in (arguments.glob, arguments.path.removeprefix(".")) if each)
        return f"{arguments.pattern} in {where}" if where else arguments.pattern

    def touches(self, arguments: GrepArguments) -> Sequence[Access]:
        """Give the folder or file, links followed."""
        return (Reads(str(self._workspace.resolve(arguments.path))),)

    def preview(self, arguments: GrepArguments) -> str:
        """Nothing is changed."""
        del arguments
        return ""

    async def run(self, arguments: GrepArguments, running: Running) -> Output:
        """Search. Raises `ToolError` for a pattern that cannot be read, and where no such path is."""
        del running
        path = self._workspace.resolve(arguments.path)
        if not os.path.lexists(path):
            raise ToolError(nearby.said(self._workspace, path))
        glob = Glob.of(arguments.glob) if arguments.glob else None
        query = msgspec.structs.replace(
            located(self._workspace, path),
            pattern=checked(arguments.pattern),
            any_case=arguments.case_insensitive,
            context=0 if arguments.files_only else arguments.context,
            once=arguments.files_only,
            hidden=arguments.hidden or (glob is not None and glob.names_hidden),
            names=simple(arguments.glob),
        )
        page = Page(skip=arguments.skip, limit=arguments.limit, context=query.context)
        found, is_late = await self._gathered(query, page, _wanted(query, glob))
        return self._shown(found, query, arguments, is_late)

    async def _gathered(self, query: Query, page: Page, wanted: Callable[[str], bool]) -> tuple[Gathered, bool]:
        found, is_late, refused = await _asked(self._searches, query, Gathered(page, wanted))
        if refused and self._searches.ripgrep:
            # What one kind of expression does not know the other may.
            own = msgspec.structs.replace(self._searches, ripgrep="")
            found, is_late, also = await _asked(own, query, Gathered(page, wanted))
            refused = refused if also else ""
        if refused:
            raise ToolError(f"the pattern cannot be read ({refused}): {_LITERALLY}")
        return found, is_late

    def _shown(self, found: Gathered, query: Query, asked: GrepArguments, is_late: bool) -> Output:
        what = "files" if asked.files_only else "matches"
        rows: list[str] = []
        for relative, lines in found.files.items():
            rows.append(shown(self._workspace, Path(query.folder), relative))
            if not asked.files_only:
                rows += _lines(lines)
        more = found.matches - asked.skip - found.shown
        if more > 0 and found.shown:
            count = f"more than {COUNTED:,}" if found.is_enough else f"{more:,}"
            rows.append(f"({count} more {what}: skip={asked.skip + found.shown}, or a narrower pattern, path or glob)")
        if is_late:
            rows.append(
                f"(stopped after {self._searches.seconds:g} s, so there may be more: give path or glob, or a pattern"
                " that is simpler)"
            )
        if not found.shown:
            rows = [*rows, f"(nothing behind {found.matches:,} {what})" if found.matches else _nothing(asked)]
        one = {"files": "file", "matches": "match"}[what]
        return Output(text="\n".join(rows), headline=f"{found.matches:,} {what if found.matches != 1 else one}")


async def _asked(searches: Searches, query: Query, found: Gathered) -> tuple[Gathered, bool, str]:
    """Search; give what was found, whether there was no time for all, and why the pattern was refused, "" if not."""
    async with searches.asking(query) as child:
        async for line in child.pieces(b"\n"):
            found.take(line)
            if found.is_enough:
                break
        found.end()
        if child.is_late or found.matches:
            return found, child.is_late, ""
        code, complaint = await child.ended()
        return found, False, _short(complaint) if code == 2 else ""


def _wanted(query: Query, glob: Glob | None) -> Callable[[str], bool]:
    judge = counts(query)
    by_name = glob if not query.file else None
    return lambda path: (by_name is None or by_name.matches(path)) and judge(path)


def _short(complaint: str) -> str:
    lines = [line for line in complaint.splitlines() if "error:" in line and not line.endswith("error:")]
    return (lines[0].partition("error:")[2].strip() if lines else " ".join(complaint.split()))[:300]


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    before = 0
    has_context = any(row.at < 0 for row in rows)
    for row in rows:
        if has_context and before and row.number > before + 1:
            yield "--"
        yield f"{row.number}{':' if row.at >= 0 else '-'} {_window(row.text, max(0, row.at))}"
        before = row.number


def _window(text: str, at: int) -> str:
    """Give the part of a long line around a place in it."""
    if len(text) <= WIDTH:
        return text
    start = max(0, min(at - WIDTH // 4, len(text) - WIDTH))
    end = start + WIDTH
    before = f"…({start:,} characters) " if start else ""
    after = f" ({len(text) - end:,} characters)…" if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"


def _nothing(asked: GrepArguments) -> str:
    hints = ["" if asked.case_insensitive else "capital letters count", "" if asked.hidden else "hidden files do not"]
    said = ", ".join(each for each in hints if each)
    return f"(no line matches{f'; {said}' if said else ''})"
