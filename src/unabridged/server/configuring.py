"""The configuration of `unabridged serve`: the file's, and what options say beside it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from typing import Any

import msgspec

from unabridged.folders import data_folder
from unabridged.models.defaults import Chosen, Why, chosen_by_name, default_model
from unabridged.models.local.server import LocalServer
from unabridged.server.config import ModelConfig, ServerConfig, read_config
from unabridged.server.models import ModelShelf
from unabridged.server.options import Options
from unabridged.store.place import MEMORY, chosen_place, made_ready

LOCAL_KEY = "UNABRIDGED_LOCAL_KEY"
"""The environment's name for the key of the toy that is started here: processes that serve inherit it."""


def configured(options: Options) -> ServerConfig:
    """Give the configuration, without the models that nobody named. Raises `BadInput`."""
    known = read_config(options.config) if options.config is not None else ServerConfig()
    given: dict[str, Any] = {
        "host": options.host,
        "port": options.port,
        "workers": options.workers,
        "log_level": options.log_level,
        "json_logs": options.log_json or None,
    }
    place = options.database or known.database
    return msgspec.structs.replace(
        known,
        **{name: value for name, value in given.items() if value is not None},
        database=place if place == MEMORY else made_ready(chosen_place(place)),
        data=str(options.data) if options.data is not None else known.data or str(data_folder() / "server"),
    )


@contextlib.contextmanager
def with_models(config: ServerConfig, named: list[str]) -> Generator[tuple[ServerConfig, str]]:
    """Give the configuration with its models, the first one as the default, and a word on one that nobody named.

    Raises `BadInput` where there is no model, or where one cannot be connected to: its key or its package is missing.
    """
    models, says = dict(config.models), ""
    with contextlib.ExitStack() as running:
        chosen = [chosen_by_name(each, "--model") for each in named if each not in models]
        if not (named or models):
            chosen = [default_model()]
            says = chosen[0].says
        made = {each.name: _model(each, running) for each in chosen}
        first = {name: models[name] for name in named if name in models}
        order = [name for name in dict.fromkeys(each.partition("@http")[0] for each in named)]
        all_of_them = {**first, **made, **models}
        models = {name: all_of_them[name] for name in dict.fromkeys([*order, *all_of_them])}
        shelf = ModelShelf(models)
        for name in models:
            shelf.get(name)
        yield msgspec.structs.replace(config, models=models), says


def _model(chosen: Chosen, running: contextlib.ExitStack) -> ModelConfig:
    if chosen.why is Why.LOCAL:
        toy = running.enter_context(LocalServer())
        os.environ[LOCAL_KEY] = toy.key
        return ModelConfig(
            model=chosen.name,
            provider="openai_chat",
            base_url=toy.base_url,
            api_key_env=LOCAL_KEY,
            window=toy.window,
        )
    return ModelConfig(
        model=chosen.name,
        provider=chosen.provider,
        base_url=chosen.base_url,
        api_key_env=chosen.variable or None,
        window=chosen.window,
    )
