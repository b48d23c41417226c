"""The tools of one turn: those of the server, and those that the client carries out."""

from __future__ import annotations

from pathlib import Path

from unabridged.archive import Archive
from unabridged.framing import Function
from unabridged.server.settings import ClientTool, ProjectSettings
from unabridged.server.tools.command import RunCommand
from unabridged.server.tools.confining import confining
from unabridged.server.tools.history import history_tools_of
from unabridged.server.tools.tool import ServerTool


class Toolset:
    """What a model can use, by name. The order is that in which it is told of them, and never changes in a session."""

    def __init__(self, own: tuple[ServerTool, ...], client: tuple[ClientTool, ...]) -> None:
        self.own = {tool.function.name: tool for tool in own}
        self.client = {tool.name: tool for tool in client if tool.name not in self.own}

    @property
    def functions(self) -> tuple[Function, ...]:
        """Give all tools as functions."""
        own = [tool.function for tool in self.own.values()]
        return (*own, *(tool.function for tool in self.client.values()))


def toolset_of(
    settings: ProjectSettings, client: tuple[ClientTool, ...], archive: Archive | None, folder: Path | None
) -> Toolset:
    """Put the tools of a turn together: history, commands, then the client's as they were given.

    `archive` is that of the session, where archiving is on; `folder` is where its commands run, where they may. Where
    no sandbox holds them, there is no tool for commands.
    """
    own: list[ServerTool] = list(history_tools_of(archive)) if archive is not None else []
    if settings.command.enabled and folder is not None:
        confine = confining(network=settings.command.network)
        own += [RunCommand(settings.command, folder, confine)] if confine is not None else []
    return Toolset(tuple(own), client)
