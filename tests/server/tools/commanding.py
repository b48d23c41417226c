"""Commands of a session, run by the tool itself, in each sandbox that this machine has."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from unabridged.conversation import Conversation
from unabridged.sandbox.choosing import fault
from unabridged.sandbox.sandbox import Level
from unabridged.server.settings import CommandTool
from unabridged.server.tools.carrying import carry_out
from unabridged.server.tools.command import RunCommand
from unabridged.server.tools.confining import KINDS, Confining, confinement_of
from unabridged.server.tools.folders import SessionFolder, session_folder
from unabridged.server.tools.tool import Output, Place


class Commands:
    """One session of a server whose data lies in a folder."""

    def __init__(self, data: Path, confine: Confining, session: str = "s-1", **settings: Any) -> None:
        self.data, self.confine, self.session = data, confine, session
        self.folder = session_folder(str(data), "home", session)
        self.said: list[str] = []
        chosen: dict[str, Any] = {"timeout_s": 20.0, **settings}
        self.tool = RunCommand(CommandTool(enabled=True, **chosen), self.folder, confine)
        self.place = Place(project="home", session=session, talk=Conversation(model="m"), say=self.said.append)

    @property
    def work(self) -> Path:
        """Where its commands begin."""
        return self.folder / "work"

    def other(self, session: str, **settings: Any) -> Commands:
        """Give another session of the same server."""
        return Commands(self.data, self.confine, session, **settings)

    async def run(self, command: str, **others: Any) -> Output:
        """Run a command."""
        return await self.call(msgspec.json.encode({"command": command, **others}).decode())

    async def call(self, arguments: str) -> Output:
        """Call the tool with whatever a model writes."""
        return await carry_out(self.tool, arguments, self.place)


def works(level: Level) -> Confining:
    """Give what makes a sandbox; the test is skipped where it does not work."""
    with tempfile.TemporaryDirectory(prefix="unabridged-") as temp:
        at = Path(temp).resolve()
        make = dict(KINDS)[level]
        failure = fault(level, make, confinement_of(SessionFolder(at, at), network=False))
    if failure:
        pytest.skip(f"{level} does not work on this machine: {failure}")
    return make
