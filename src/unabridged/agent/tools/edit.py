"""`edit`: replaces text in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from unabridged.agent.access import Access, Writes
from unabridged.agent.files.known import Known, Planned
from unabridged.agent.files.replacing import replaced
from unabridged.agent.files.working import aside
from unabridged.agent.tool import Output, Running, ToolError


class Replacement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One piece of text, and what is to stand in its place."""

    old: Annotated[
        str,
        msgspec.Meta(
            description="Text exactly as it stands in the file, without line numbers. It must occur once:"
            " take in lines around it where it does not."
        ),
    ]
    new: Annotated[str, msgspec.Meta(description="What replaces it; empty to take it out.")]
    all: Annotated[bool, msgspec.Meta(description="Replace every occurrence, however many there are.")] = False


class EditArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `edit` takes."""

    path: Annotated[str, msgspec.Meta(description="The file, relative to the workspace or absolute.")]
    edits: Annotated[
        list[Replacement],
        msgspec.Meta(
            min_length=1, description="Made one after the other, each on what the ones before left. All or none."
        ),
    ]


class Edit:
    """Changes a file that the model has read, by replacing pieces of it."""

    name = "edit"
    description = (
        "Change a text file by replacing pieces of it. Read it first. Several edits of one file go into one call:"
        " either all are made or none. Line ends and encoding are kept. For a new file, or to replace all of one,"
        " use write."
    )
    arguments = EditArguments
    reads_only = False

    def __init__(self, known: Known) -> None:
        self._known = known

    def title(self, arguments: EditArguments) -> str:
        """Give the path."""
        return arguments.path

    def touches(self, arguments: EditArguments) -> Sequence[Access]:
        """Give the file that would be changed, links followed."""
        return (Writes(str(self._known.workspace.resolve(arguments.path))),)

    def preview(self, arguments: EditArguments) -> str:
        """Give the diff of what `run` would do now. Raises what `run` raises."""
        return self._planned(arguments).difference.diff

    async def run(self, arguments: EditArguments, running: Running) -> Output:
        """Change the file. Raises `ToolError`, `NotRead` and `ChangedSince`; the file is then as it was."""
        del running
        return await aside(lambda: self._edit(arguments))

    def _edit(self, asked: EditArguments) -> Output:
        planned = self._planned(asked)
        self._known.put(planned)
        changed = planned.difference
        return Output(
            text=f"{self._known.workspace.shown(planned.path)}: changed {changed.said()}",
            headline=f"+{changed.added} -{changed.removed}",
            diff=changed.diff,
        )

    def _planned(self, asked: EditArguments) -> Planned:
        path = self._known.workspace.resolve(asked.path)
        held = self._known.must_hold(path)
        file = held.file
        for number, each in enumerate(asked.edits, 1):
            try:
                file = replaced(file, each.old, each.new, each.all)
            except ToolError as error:
                if len(asked.edits) == 1:
                    raise
                raise ToolError(f"edit {number} of {len(asked.edits)}: {error}. None was made") from None
        if file.text == held.file.text:
            raise ToolError("these edits together change nothing: what one does, another undoes")
        return self._known.planned(path, held, file)
