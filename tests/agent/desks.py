"""A desk over a real store, with a model behind the fake provider."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.agent.working import Change, InOrder, Line, Look, Rules, reached
from unabridged.agent.desk import Desk, Files
from unabridged.agent.events import Event
from unabridged.agent.settings import Settings
from unabridged.agent.tool import Tool
from unabridged.agent.watching import Watcher
from unabridged.agent.workshop import Shop
from unabridged.agent.workspace import Workspace
from unabridged.store.sessions import open_store
from unabridged.testing import FakeProvider, Model, serving


class Seated:
    """A desk with all that watches it."""

    def __init__(self, desk: Desk, provider: FakeProvider, events: list[Event]) -> None:
        self.desk = desk
        self.provider = provider
        self.events = events

    def systems(self) -> list[str]:
        """The system text of each request that was answered, without those for summaries."""
        texts = [str(served.body["messages"][0]["content"]) for served in self.provider.served]
        return [text for text in texts if "coding agent" in text]


def usual(path: str) -> str:
    return f"The content of {path}.\n" * 150


@asynccontextmanager
async def seated(
    folder: Path,
    lines: Sequence[Line] | Model,
    *,
    window: int = 8_000,
    files: Files | None = None,
    content: Callable[[str], str] = usual,
    **settings: Any,
) -> AsyncGenerator[Seated]:
    """Give a desk in a folder; its store lies beside it. The window is the provider's, unless a setting says so."""
    model = InOrder(lines) if isinstance(lines, Sequence) else lines
    provider, events = FakeProvider(model, window=window), list[Event]()
    work = folder / "work"
    work.mkdir(exist_ok=True)
    tools: list[Tool] = [Look(content), Change()]
    with serving(provider) as url, open_store(folder / "sessions.db") as store:
        reach = reached(url)
        workspace = Workspace.at(work)
        shop = Shop(
            settings=Settings(**{"window": window, **settings}),
            model=reach,
            workspace=workspace,
            tools=tuple(tools),
            permissions=Rules(),
            project=store.project(str(workspace.root)),
        )
        try:
            yield Seated(Desk(shop, Watcher(tell=events.append), files), provider, events)
        finally:
            await reach.close()
