"""What an agent works with in a folder: its tools, who may use them, what keeps files as they were."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import msgspec

from unabridged.agent.access import Asked, Permissions, Runs, Verdict, Writes
from unabridged.agent.fetching import FetchTool
from unabridged.agent.permissions.questions import Answer, Ask, Choice, Mode, Question
from unabridged.agent.rewinding import Files
from unabridged.agent.settings import Settings
from unabridged.agent.tool import Tool
from unabridged.agent.workspace import Workspace

Assembling = Callable[[Settings, Workspace, Ask | None], AbstractAsyncContextManager["Parts"]]
"""Puts together what is used in a folder. What it starts ends with its block."""


class Switched(Permissions, Protocol):
    """Permissions whose mode can be changed while they hold."""

    @property
    def mode(self) -> Mode:
        """The mode that holds now."""
        ...

    def switch(self, mode: Mode) -> None:
        """Change the mode, for the calls that follow."""
        ...


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What was put together."""

    tools: tuple[Tool, ...]
    permissions: Switched
    files: Files | None = None
    confined: str = ""
    """What confines commands, in a sentence for the model."""
    level: str = ""
    """The same in a word or two, for a status line."""


@asynccontextmanager
async def parts_of(settings: Settings, workspace: Workspace, ask: Ask | None) -> AsyncGenerator[Parts]:
    """Put together what these settings want. What was started ends with the block."""
    del workspace
    tools: list[Tool] = [FetchTool()] if settings.web else []
    yield Parts(tools=tuple(tools), permissions=ByMode(Mode(settings.mode), ask))


class ByMode:
    """Judges by the mode alone, and asks a person about what it leaves open."""

    def __init__(self, mode: Mode, ask: Ask | None) -> None:
        self.mode = mode
        self._ask = ask
        self._allowed: set[str] = set()

    def switch(self, mode: Mode) -> None:
        """Change the mode."""
        self.mode = mode

    async def allow(self, asked: Asked) -> Verdict:
        """Judge one call."""
        if asked.reads_only or asked.tool in self._allowed:
            return Verdict(True)
        if self.mode is Mode.PLAN:
            return Verdict(False, "this is plan mode: look, and say what you would do")
        edits = any(isinstance(each, Writes) for each in asked.touches)
        runs = any(isinstance(each, Runs) for each in asked.touches)
        if self.mode is Mode.AUTO or (self.mode is Mode.ACCEPT_EDITS and edits and not runs):
            return Verdict(True)
        if self._ask is None:
            return Verdict(False, "this needs the user's permission and nobody can be asked: --mode auto allows it")
        answer: Answer = await self._ask(
            Question(
                tool=asked.tool,
                title=asked.title,
                preview=asked.preview,
                touches=asked.touches,
                rules=(f"allow {asked.tool}",),
            )
        )
        if answer.choice is Choice.REJECT:
            return Verdict(False, f"the user said no: {answer.comment}" if answer.comment else "the user said no")
        if answer.choice is not Choice.ONCE:
            self._allowed.add(asked.tool)
        return Verdict(True)
