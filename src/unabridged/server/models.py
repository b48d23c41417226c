"""The models of a server, by the names that its configuration gives them. Each is connected when it is first used."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

import msgspec

from unabridged.errors import BadInput
from unabridged.models.connect import connect
from unabridged.models.learned_windows import LearnedWindows
from unabridged.models.model import Model
from unabridged.models.registry import limits_of
from unabridged.models.windows import window_of_model
from unabridged.server.config import ModelConfig
from unabridged.server.settings import ProjectSettings
from unabridged.tokens import default_counter


class Served(msgspec.Struct, frozen=True):
    """A model that answers here."""

    name: str
    """As projects name it."""
    model: Model
    window: int
    sees: bool


class ModelShelf:
    """Connects models once, for all projects."""

    def __init__(self, configured: dict[str, ModelConfig]) -> None:
        self._configured = configured
        self._open: dict[str, Served] = {}
        self._opening = threading.Lock()
        self._learned = LearnedWindows()

    @property
    def names(self) -> tuple[str, ...]:
        """Give the names of all models, the default one first."""
        return tuple(self._configured)

    def warm(self) -> None:
        """Load what the first turn needs: the vocabulary, and the SDK of the default model. Raises nothing."""
        default_counter().count("warm")
        with suppress(BadInput):  # it is said where somebody wants to use it
            self.chosen(ProjectSettings(), None)

    def get(self, name: str) -> Served:
        """Give a model by its name. Raises `BadInput` for one that is not configured, or has no key."""
        with self._opening:
            if name not in self._open:
                if name not in self._configured:
                    raise BadInput(f"no model of this server is called {name!r}: there are {', '.join(self.names)}")
                self._open[name] = _served(name, self._configured[name], self._learned)
            return self._open[name]

    def add(self, served: Served) -> None:
        """Take in a model that is connected already, under the name of one that is configured."""
        with self._opening:
            self._open[served.name] = served

    def learn(self, served: Served, tokens: int) -> None:
        """Keep a window that a refusal taught, for the turns that follow, and for the next process."""
        self._learned.learn(served.model.name, served.model.endpoint, tokens)
        with self._opening:
            known = self._open.get(served.name, served)
            self._open[served.name] = msgspec.structs.replace(known, window=min(known.window, tokens))

    async def close(self) -> None:
        """Close the connections that the running loop has to models. They are opened again where they are needed."""
        with self._opening:
            models = [served.model for served in self._open.values()]
        for model in models:
            await model.close()

    def chosen(self, settings: ProjectSettings, asked: str | None) -> Served:
        """Give the model of a turn. Raises `BadInput` for one that the project does not allow."""
        own = settings.model or (self.names[0] if self.names else None)
        if own is None:
            raise BadInput("this server has no model: name one in its configuration, or start it with --model")
        allowed = settings.models if settings.models is not None else (own,)
        if asked is not None and asked not in (*allowed, own):
            raise BadInput(f"this project has no model {asked!r}: it has {', '.join(dict.fromkeys((own, *allowed)))}")
        return self.get(asked or own)


def _served(name: str, config: ModelConfig, learned: LearnedWindows) -> Served:
    key = os.environ.get(config.api_key_env) if config.api_key_env else None
    if config.api_key_env and not key:
        raise BadInput(f"model {name!r} needs its key in the variable {config.api_key_env}, which is not set")
    model = connect(config.model, provider=config.provider, base_url=config.base_url, api_key=key, window=config.window)
    limits = limits_of(model.name, endpoint=model.endpoint)
    sees = config.sees if config.sees is not None else limits is not None and limits.sees
    return Served(name, model, window_of_model(model, given=config.window, learned=learned).tokens, sees)
