"""What the file tools share: where they work, what the model has read, who keeps a file before it is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from unabridged.agent.files import nearby
from unabridged.agent.files.diff import Difference, difference
from unabridged.agent.files.opening import WHOLE, read_file, reason
from unabridged.agent.files.placing import Content, place
from unabridged.agent.files.seen import Seen, digest_of
from unabridged.agent.files.text import FileText, NotText, decode
from unabridged.agent.tool import ToolError
from unabridged.agent.workspace import Workspace


class Held(msgspec.Struct, frozen=True):
    """A file as it is now."""

    path: Path
    file: FileText
    digest: str


class Planned(msgspec.Struct, frozen=True):
    """A change that was worked out and not yet made."""

    path: Path
    data: bytes
    expected: str | None
    """The digest of what is there; None where nothing is."""
    difference: Difference

    @property
    def unchanged(self) -> bool:
        """Tell whether the file holds these bytes already."""
        return self.expected == digest_of(self.data)


def _nothing(path: Path) -> None:
    del path


class Known(msgspec.Struct, frozen=True):
    """The files of a workspace, as a conversation knows them."""

    workspace: Workspace
    seen: Seen
    keep: Callable[[Path], object] = _nothing
    """Called with a path before it is changed; raises `ToolError` where it must not be."""

    @classmethod
    def of(cls, workspace: Workspace, keep: Callable[[Path], object] = _nothing) -> Known:
        """Give those of a conversation that has read nothing yet."""
        return cls(workspace, Seen(), keep)

    def held(self, path: Path) -> Held | None:
        """Give a file to be changed, None where nothing is. Raises `ToolError` for what cannot be changed as text."""
        shown = self.workspace.shown(path)
        try:
            data, state = read_file(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ToolError(f"{shown} cannot be read: {reason(error)}") from error
        if len(data) > WHOLE:
            raise ToolError(f"{shown} has {state.st_size:,} bytes, too many to be changed here: use a command")
        try:
            return Held(path, decode(data), digest_of(data))
        except NotText as error:
            raise ToolError(f"{shown} is no text ({error.kind}): it cannot be changed by this tool") from None

    def must_hold(self, path: Path) -> Held:
        """Give a file to be changed that the model has read. Raises `ToolError`, `NotRead` and `ChangedSince`."""
        held = self.held(path)
        if held is None:
            raise ToolError(nearby.said(self.workspace, path))
        self.seen.check(path, held.digest, self.workspace.shown(path))
        return held

    def planned(self, path: Path, held: Held | None, file: FileText) -> Planned:
        """Work out what would change."""
        before = held.file.plain if held else None
        name = self.workspace.shown(path)
        changed = difference(before, file.plain, name)
        return Planned(path, file.encoded(), held.digest if held else None, changed)

    def put(self, planned: Planned) -> None:
        """Make a change. Raises `ToolError`; the file is then as it was."""
        self.keep(planned.path)
        place(planned.path, Content(planned.data), expected=planned.expected)
        self.seen.note(planned.path, digest_of(planned.data))
