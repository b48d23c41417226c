"""Which model is used when nobody says: the environment's, a provider's with a key, a server's, or the local toy."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import AsyncGenerator, Sequence
from enum import StrEnum

import msgspec

from unabridged.errors import BadInput
from unabridged.models.connect import connect
from unabridged.models.discover import find_servers
from unabridged.models.endpoints import place_of
from unabridged.models.keys import Provider, with_keys
from unabridged.models.local.model import local_model
from unabridged.models.local.server import USUAL
from unabridged.models.local.weights import SMOLLM2
from unabridged.models.model import Model
from unabridged.models.served import FoundModel, FoundServer

VARIABLE = "UNABRIDGED_MODEL"


class Why(StrEnum):
    """What a model was chosen by."""

    NAMED = "named"
    KEY = "key"
    SERVER = "server"
    LOCAL = "local"


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A model, and how to get to it. `says` is for people: a choice that nobody made is never made in silence."""

    name: str
    why: Why
    provider: str | None = None
    """As `connect` takes it; None where the name tells. A local toy is not connected to: `local_model` runs it."""
    base_url: str | None = None
    variable: str = ""
    """The environment's name for the key, where it is not the one that the adapter reads."""
    window: int | None = None
    """Tokens, where a server said so."""
    says: str


def default_model(servers: Sequence[FoundServer] | None = None) -> Chosen:
    """Choose the model for somebody who named none.

    `UNABRIDGED_MODEL` (a name, or `name@http://host:port/v1`), else a provider whose key is set, else a server on this
    machine that answers, else the local toy where it is installed. `servers` are those that answer, where somebody has
    looked already; looking takes half a second at most. Raises `BadInput`, which says how to get a model, where there
    is none.
    """
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return chosen_by_name(named)
    provider = next((each for each in with_keys() if not each.is_elsewhere), None)
    if provider is not None:
        return _of_provider(provider)
    answering = _answering() if servers is None else servers
    served = next(((server, model) for server in answering if (model := _talker(server)) is not None), None)
    if served is not None:
        return _of_server(*served)
    if SMOLLM2.is_there and importlib.util.find_spec("xllamacpp") is not None:
        return Chosen(name=SMOLLM2.name, why=Why.LOCAL, says=f"{SMOLLM2.name} on this machine, {SMOLLM2.remark}")
    raise BadInput(
        f"there is no model: name one in {VARIABLE}, set a provider's key (such as ANTHROPIC_API_KEY or "
        f"OPENAI_API_KEY), start a server such as Ollama, or get a toy: `unabridged models add {SMOLLM2.name}`"
    )


def chosen_by_name(named: str, named_by: str = VARIABLE) -> Chosen:
    """Give the model that somebody named: by its name, or `name@http://host:port/v1` for a server of one's own.

    Raises `BadInput` for a server without a model.
    """
    name, at, rest = named.strip().partition("@http")
    if not name:
        raise BadInput(f"{named_by} names no model: give a name, or name@http://host:port/v1")
    if at:
        return Chosen(
            name=name,
            why=Why.NAMED,
            provider="openai_chat",
            base_url=f"http{rest}",
            says=f"{name} at {place_of(f'http{rest}')}, as {named_by} says",
        )
    why = Why.LOCAL if name == SMOLLM2.name else Why.NAMED
    return Chosen(name=name, why=why, says=f"{name}, as {named_by} says")


@contextlib.asynccontextmanager
async def opened(chosen: Chosen) -> AsyncGenerator[Model]:
    """Give the chosen model for as long as the block lasts: connected, or for the toy started.

    Raises `BadInput` where its package or its key is missing, or the toy does not start.
    """
    if chosen.why is Why.LOCAL:
        async with local_model(chosen.window or USUAL) as toy:
            yield toy
        return
    key = os.environ.get(chosen.variable) if chosen.variable else None
    model = connect(chosen.name, provider=chosen.provider, base_url=chosen.base_url, api_key=key, window=chosen.window)
    try:
        yield model
    finally:
        await model.close()


def _answering() -> list[FoundServer]:
    try:
        return find_servers()
    except BadInput:
        return []  # the extra is not installed, so no server can be talked to either


def _talker(server: FoundServer) -> FoundModel | None:
    """Give the model of a server that answers soonest: one that is loaded, and not one that only embeds."""
    able = [model for model in server.models if "embed" not in model.name.lower()]
    return min(able, key=lambda model: not model.loaded, default=None)


def _of_provider(provider: Provider) -> Chosen:
    own = provider.speaks == "openai_chat"
    return Chosen(
        name=provider.model,
        why=Why.KEY,
        provider=provider.speaks,
        base_url=provider.base_url or None,
        variable=provider.variable if own else "",
        says=f"{provider.model} of {provider.name}, since {provider.variable} is set; {VARIABLE} names another",
    )


def _of_server(server: FoundServer, model: FoundModel) -> Chosen:
    return Chosen(
        name=model.name,
        why=Why.SERVER,
        provider="openai_chat",
        base_url=f"{server.base_url}/v1",
        window=model.window,
        says=f"{model.name} of {server.kind.value}, since it answers: {VARIABLE}={model.name}@{server.base_url}/v1",
    )
