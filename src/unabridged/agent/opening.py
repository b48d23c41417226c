"""Opens what an agent works with: the store, the model, the tools, and who is asked before anything is touched.

    async with opened(Wanted(settings=settings, folder=Path.cwd()), ask) as office:
        desk = office.desk(Watcher())

Whatever was opened is closed with the block, also models that were switched to in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec

from unabridged.agent.assembly import Assembling, Parts, parts_of
from unabridged.agent.delegation import own_sessions
from unabridged.agent.desk import Desk
from unabridged.agent.memory import EARLIER, HEADING, SessionMemory
from unabridged.agent.permissions.questions import Ask, Mode
from unabridged.agent.settings import Settings
from unabridged.agent.tool import Tool
from unabridged.agent.watching import Watcher
from unabridged.agent.workshop import Shop
from unabridged.agent.workspace import Workspace
from unabridged.errors import BadInput
from unabridged.models import defaults
from unabridged.models.defaults import Chosen, Why, default_model
from unabridged.models.local.weights import SMOLLM2
from unabridged.models.model import Model
from unabridged.store.place import chosen_place, made_ready
from unabridged.store.sessions import Project, open_store
from unabridged.transcript import Transcript

SHELLS = ("shell", "bash", "run")
"""What a tool that runs commands may be called."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be opened."""

    settings: Settings
    folder: Path
    store: str | None = None
    assemble: Assembling = parts_of
    """Puts the tools together, and who may use them."""


class Office:
    """All that is open."""

    def __init__(self, shop: Shop, parts: Parts, chosen: Chosen, after: AsyncExitStack) -> None:
        self.shop = shop
        self.parts = parts
        self.chosen = chosen
        self._after = after

    @property
    def mode(self) -> Mode:
        """Give the mode that holds now."""
        return self.parts.permissions.mode

    def switch_mode(self, mode: Mode) -> None:
        """Change the mode, for the calls that follow."""
        self.parts.permissions.switch(mode)

    @property
    def shell(self) -> Tool | None:
        """Give the tool that runs commands, where there is one."""
        return next((tool for tool in self.shop.tools if tool.name in SHELLS), None)

    def desk(self, watcher: Watcher) -> Desk:
        """Give a desk for one session at a time."""
        return Desk(self.shop, watcher, self.parts.files)

    async def switch_model(self, desk: Desk, name: str) -> Model:
        """Go on with another model in the same session. The provider is the one before, where the name tells none.

        Raises `BadInput`.
        """
        settings = self.shop.settings
        chosen = _of_name(name, settings)
        model = await self._after.enter_async_context(_connected(chosen))
        self.chosen = chosen
        self.shop = msgspec.structs.replace(
            self.shop, model=model, settings=msgspec.structs.replace(settings, model=name, window=None)
        )
        session = desk.session
        desk.shop = self.shop
        desk.new()
        if session:
            desk.resume(session)
        return model


@asynccontextmanager
async def opened(wanted: Wanted, ask: Ask | None = None) -> AsyncGenerator[Office]:
    """Open everything. `ask` reaches a person, where there is one.

    Raises `BadInput` where something is missing, each time with the remedy, and `StoreError`.
    """
    settings = wanted.settings
    workspace = Workspace.at(_folder(wanted.folder), *(_folder(Path(each)) for each in settings.add_dirs))
    chosen = await asyncio.to_thread(_chosen, settings)
    async with AsyncExitStack() as after:
        store = after.enter_context(open_store(made_ready(chosen_place(wanted.store))))
        project = store.project(str(workspace.root))
        model = await after.enter_async_context(_connected(chosen))
        summing: Model | None = None
        if settings.summary_model:
            summing = await after.enter_async_context(_connected(_of_name(settings.summary_model, settings)))
        parts = await after.enter_async_context(wanted.assemble(settings, workspace, ask))
        shop = Shop(
            settings=settings,
            model=model,
            summary_model=summing,
            workspace=workspace,
            tools=parts.tools,
            permissions=parts.permissions,
            project=project,
            confined=parts.confined,
            earlier=_earlier(project) if settings.memory == "project" else "",
        )
        yield Office(shop, parts, chosen, after)


def _folder(given: Path) -> Path:
    folder = given.expanduser()
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}: name one that is there")
    return folder


def _chosen(settings: Settings) -> Chosen:
    if settings.model:
        return _of_name(settings.model, settings)
    if settings.base_url is None and settings.provider is None:
        return _roomy(default_model(), settings)
    raise BadInput("a provider or an address without a model: name it with --model")


def _roomy(chosen: Chosen, settings: Settings) -> Chosen:
    """Give a toy the largest window that it has: what an agent is told takes more than it usually gets."""
    if chosen.why is not Why.LOCAL:
        return chosen
    return msgspec.structs.replace(chosen, window=settings.window or SMOLLM2.window)


def _of_name(name: str, settings: Settings) -> Chosen:
    if name == SMOLLM2.name and settings.base_url is None:
        return _roomy(Chosen(name=name, why=Why.LOCAL, says=f"{name} on this machine, {SMOLLM2.remark}"), settings)
    return Chosen(
        name=name, why=Why.NAMED, provider=settings.provider, base_url=settings.base_url, says=f"{name}, as asked for"
    )


@asynccontextmanager
async def _connected(chosen: Chosen) -> AsyncGenerator[Model]:
    # An SDK takes up to a second to import: a prompt that is up already must not stand still for it.
    await asyncio.to_thread(_imported, chosen)
    async with defaults.opened(chosen) as model:
        yield model


def _imported(chosen: Chosen) -> None:
    """Import the SDK of a model. What is wrong with it is said where it is connected."""
    named: dict[str | None, str] = {"anthropic": "anthropic", "gemini": "google.genai"}
    package = named.get(chosen.provider) or ("anthropic" if chosen.name.startswith("claude") else "openai")
    try:
        __import__(package)
    except ImportError:
        return


def _earlier(project: Project) -> str:
    """Give what the newest session of this folder came to, as background."""
    newest = next(iter(own_sessions(project, 20)), None)
    if newest is None:
        return ""
    known = SessionMemory().text(Transcript(project.open(newest.id).log))
    return f"{EARLIER}\n\n{known.removeprefix(HEADING).strip()}" if known else ""
