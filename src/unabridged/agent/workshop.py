"""All that a turn needs, put together: a conversation over a stored session, its tools, its layers, its memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from unabridged.agent.access import Permissions
from unabridged.agent.delegation import TaskTool, title_of
from unabridged.agent.events import Event
from unabridged.agent.gate import CompletionGate
from unabridged.agent.hands import Hands
from unabridged.agent.history import history_tools_of
from unabridged.agent.layers import Layer, layers_of, system_text, with_memory
from unabridged.agent.loop import Agent
from unabridged.agent.memory import SessionMemory
from unabridged.agent.rules import rules_of
from unabridged.agent.settings import Settings
from unabridged.agent.skills import PLACES, SkillTool, skills_in
from unabridged.agent.state import Limits
from unabridged.agent.todo import TodoTool
from unabridged.agent.tool import Tool
from unabridged.agent.toolbox import Toolbox
from unabridged.agent.watching import Watcher
from unabridged.agent.workspace import Workspace
from unabridged.archive import Archive, MemoryShelf
from unabridged.archive.stored_shelf import StoredShelf
from unabridged.conversation import Conversation
from unabridged.errors import BadSetting
from unabridged.folders import config_folder
from unabridged.frame import Frame
from unabridged.framing import frame_of
from unabridged.models.learned_windows import LearnedWindows
from unabridged.models.model import Model
from unabridged.models.summarizing import summarizer_of
from unabridged.models.windows import window_of_model
from unabridged.store.sessions import Project, Session

HELPER_STEPS = 60
"""Steps of a helper: it looks something up, and does not work for hours."""
MOST_OUTPUT = 32_000
"""Tokens that are asked for where a provider demands a limit: enough for a long file."""


class Shop(msgspec.Struct, frozen=True, kw_only=True):
    """What stays the same from session to session."""

    settings: Settings
    model: Model
    summary_model: Model | None = None
    workspace: Workspace
    tools: tuple[Tool, ...]
    """Those that work in the workspace. The others belong to a conversation."""
    permissions: Permissions
    project: Project
    confined: str = ""
    """What confines commands, in a sentence."""
    earlier: str = ""
    """What earlier sessions in this folder came to, where the user wants that told."""


class Workbench:
    """Makes conversations and agents for one session. What does not change while it is open is worked out once."""

    def __init__(self, shop: Shop, watcher: Watcher) -> None:
        self._shop = shop
        self._watcher = watcher
        self._memory = SessionMemory()
        self._learned = LearnedWindows()
        self._skills = skills_in(
            [config_folder() / "skills", *(folder / place for folder in shop.workspace.folders for place in PLACES)]
        )
        self._layers = layers_of(
            shop.workspace,
            rules=rules_of(shop.workspace.root),
            skills=self._skills,
            sandbox=shop.confined,
            constitution=_text_of(shop.settings.constitution),
        )
        known = window_of_model(shop.model, given=shop.settings.window, learned=self._learned)
        self._max_output = known.max_output
        self.window = known.tokens
        self.shown: tuple[Layer, ...] = ()
        """The layers that the newest frame was made of."""

    def layers(self, memory: str = "") -> tuple[Layer, ...]:
        """Give the layers of the system text."""
        return with_memory(self._layers, "\n\n".join(filter(None, (self._shop.earlier, memory))))

    def talk(self, session: Session | None) -> Conversation:
        """Give the conversation of a session as it is stored now; None is one in which nothing was said yet."""
        talk = self._bare(session)
        schemas = self.toolbox(talk, self._shop.tools).schemas(self._shop.model.dialect)
        wants_memory = self._shop.settings.memory != "off"
        remembered = self._memory.text(talk.transcript) if wants_memory and talk.transcript.checkpoints else ""
        talk.frame = self._frame(talk, schemas, remembered)
        if wants_memory:
            talk.renew = lambda: self._frame(talk, schemas, self._memory.text(talk.transcript))
        return talk

    def _bare(self, session: Session | None) -> Conversation:
        """Give a conversation that was told nothing yet."""
        shop, log = self._shop, session.log if session is not None else None
        talk = Conversation(frame=Frame(dialect=shop.model.dialect), policy=shop.settings.policy(), log=log)
        talk.window = self.window
        shelf = StoredShelf(session.database, session.key) if session is not None else MemoryShelf()
        talk.archive = Archive(shelf)
        if shop.settings.strategy == "summarize":
            own = shop.summary_model
            talk.summarizer = summarizer_of(own) if own is not None else summarizer_of(shop.model, window=self.window)
        return talk

    def toolbox(self, talk: Conversation, tools: Sequence[Tool], *, sends: bool = True) -> Toolbox:
        """Give the tools for a conversation. A helper `sends` nobody out."""
        assert isinstance(talk.archive, Archive)
        own: list[Tool] = [TodoTool(), *history_tools_of(talk, talk.archive)]
        if self._skills:
            own.append(SkillTool(self._skills))
        if sends:
            own.append(TaskTool(self._helper))
        return Toolbox([*tools, *own])

    def agent(self, talk: Conversation) -> Agent:
        """Give an agent that goes on with a conversation."""
        shop, settings = self._shop, self._shop.settings
        limits = Limits(steps=settings.max_steps, tokens=settings.token_budget)
        tell = self._watcher.tell
        hands = Hands(self.toolbox(talk, shop.tools), shop.permissions, tell, at_once=limits.at_once)
        gate = CompletionGate() if settings.gate else None
        watcher = msgspec.structs.replace(self._watcher, window=self._taught)
        return Agent(talk, shop.model, hands, gate=gate, limits=limits, watcher=watcher)

    @contextmanager
    def _helper(self, title: str, watch: Callable[[Event], None]) -> Generator[tuple[str, Agent]]:
        """Open a helper with a session of its own, in the same project."""
        shop = self._shop
        session = shop.project.create(title=title_of(title))
        with session.turn():
            bench = Workbench(shop, Watcher())
            talk = bench._bare(session)
            lookers = [tool for tool in shop.tools if tool.reads_only]
            toolbox = bench.toolbox(talk, lookers, sends=False)
            talk.frame = bench._frame(talk, toolbox.schemas(shop.model.dialect), "")
            hands = Hands(toolbox, shop.permissions, watch)
            watcher = Watcher(tell=watch, window=self._taught)
            yield session.id, Agent(talk, shop.model, hands, limits=Limits(steps=HELPER_STEPS), watcher=watcher)

    def _frame(self, talk: Conversation, schemas: Sequence[dict[str, Any]], memory: str) -> Frame:
        model = self._shop.model
        self.shown = self.layers(memory)
        frame = frame_of(
            model.dialect,
            model=model.name,
            system=system_text(self.shown),
            tools=schemas,
            **self._demanded(),
        )
        return msgspec.structs.replace(frame, endpoint=talk.frame.endpoint, guards=talk.frame.guards)

    def _demanded(self) -> dict[str, Any]:
        """Give what a provider wants in every request: Anthropic an output limit, within what is reserved anyway."""
        if self._shop.model.dialect != "anthropic":
            return {}
        listed = self._max_output or MOST_OUTPUT
        reserved = self.window - int(self.window * self._shop.settings.threshold)
        return {"max_tokens": min(listed, MOST_OUTPUT, reserved)}

    def _taught(self, tokens: int) -> None:
        """Keep a window that the provider taught, for this session and the next."""
        self.window = min(self.window, tokens)
        self._learned.learn(self._shop.model.name, self._shop.model.endpoint, tokens)


def _text_of(path: str) -> str:
    if not path:
        return ""
    try:
        return Path(path).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting("constitution", path, f"name a text file that can be read ({error})") from None
