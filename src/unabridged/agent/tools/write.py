"""`write`: a whole file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import msgspec

from unabridged.agent.access import Access, Writes
from unabridged.agent.files.known import Held, Known, Planned
from unabridged.agent.files.text import FileText
from unabridged.agent.files.working import aside
from unabridged.agent.tool import Output, Running, ToolError


class WriteArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `write` takes."""

    path: Annotated[str, msgspec.Meta(description="The file, relative to the workspace or absolute.")]
    content: Annotated[str, msgspec.Meta(description="All that the file is to hold.")]


class Write:
    """Makes a file, or replaces all of one that the model has read."""

    name = "write"
    description = (
        "Write a whole text file; folders that are missing are made. A file that is already there must have been read,"
        " and keeps its encoding and its kind of line ends. To change parts of a file use edit."
    )
    arguments = WriteArguments
    reads_only = False

    def __init__(self, known: Known) -> None:
        self._known = known

    def title(self, arguments: WriteArguments) -> str:
        """Give the path."""
        return arguments.path

    def touches(self, arguments: WriteArguments) -> Sequence[Access]:
        """Give the file that would be written, links followed."""
        return (Writes(str(self._known.workspace.resolve(arguments.path))),)

    def preview(self, arguments: WriteArguments) -> str:
        """Give the diff of what `run` would do now. Raises what `run` raises."""
        return self._planned(arguments).difference.diff

    async def run(self, arguments: WriteArguments, running: Running) -> Output:
        """Write. Raises `ToolError`, `NotRead` and `ChangedSince`; the file is then as it was."""
        del running
        return await aside(lambda: self._write(arguments))

    def _write(self, asked: WriteArguments) -> Output:
        planned = self._planned(asked)
        shown = self._known.workspace.shown(planned.path)
        if planned.unchanged:
            return Output(text=f"{shown} already holds exactly this: nothing was written", headline="unchanged")
        self._known.put(planned)
        changed = planned.difference
        headline = f"+{changed.added} -{changed.removed}"
        if planned.expected is None:
            return Output(text=f"{shown}: new, {changed.added:,} lines", headline=headline, diff=changed.diff)
        what = f"changed {changed.said()}" if changed.diff else "changed line ends only"
        return Output(text=f"{shown}: {what}", headline=headline, diff=changed.diff)

    def _planned(self, asked: WriteArguments) -> Planned:
        known = self._known
        path = known.workspace.resolve(asked.path)
        if os.path.isdir(path) or asked.path.endswith("/"):
            raise ToolError(f"{asked.path} is a folder: give the path of a file in it")
        held = known.held(path)
        if held is not None:
            known.seen.check(path, held.digest, known.workspace.shown(path))
        return known.planned(path, held, _like(held, asked.content))


def _like(held: Held | None, content: str) -> FileText:
    """Give a content in the manner of the file that it replaces."""
    if held is None:
        return FileText(content)
    line_end = held.file.line_end
    if "\r" not in content and "\n" in held.file.text:
        content = content.replace("\n", line_end)
    file = msgspec.structs.replace(held.file, text=content)
    if file.encoding == "latin-1":
        # What has no mark was only guessed, and never holds more than these characters: better UTF-8 than refused.
        return FileText(content, "utf-8") if any(ord(each) > 255 for each in content) else file
    return file
