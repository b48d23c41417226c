"""Finds servers of models on this machine: which answer, which models they list, which windows they report.

    for server in find_servers():
        print(server.kind, server.base_url, [model.name for model in server.models])

Every known address is asked at once, and what has not answered in half a second does not count. Only this machine is
asked, unless somebody names another address. No key is sent, no proxy is used, no redirect is followed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from unabridged.errors import BadInput
from unabridged.models.endpoints import base_url, is_loopback
from unabridged.models.served import (
    FoundServer,
    Kind,
    Listed,
    Props,
    Running,
    Shown,
    Studio,
    llama_cpp,
    lm_studio,
    ollama,
    read,
)

if TYPE_CHECKING:
    from httpx2 import AsyncClient

WITHIN_S = 0.5
"""For everything together."""
SHOWN = 32
"""Models of one Ollama that are asked about one by one."""
INSTALL = "pip install 'unabridged[local]'"
OLLAMA, LLAMA_CPP, LM_STUDIO, VLLM = 11_434, 8_080, 1_234, 8_000
"""Where these servers listen if nobody says otherwise. What answers there says itself what it is."""


def find_servers(named: Sequence[str] = (), *, usual: bool = True, within_s: float = WITHIN_S) -> list[FoundServer]:
    """Give the servers that answer: at the usual places of this machine (unless not `usual`), and those named.

    Works inside a running event loop as well, and blocks it for `within_s` at most. Raises `BadInput` where the extra
    `local` is not installed, or a name is no address.
    """
    places = _places(named, usual=usual)
    with ThreadPoolExecutor(1) as thread:  # of its own: a loop may run in this one
        return thread.submit(lambda: asyncio.run(_found(places, within_s))).result()


async def discover(named: Sequence[str] = (), *, usual: bool = True, within_s: float = WITHIN_S) -> list[FoundServer]:
    """Give the servers that answer, as `find_servers` does."""
    return await _found(_places(named, usual=usual), within_s)


def _places(named: Sequence[str], *, usual: bool) -> list[str]:
    places = [base_url(each, port=80) for each in named]
    if usual:
        places += [f"http://127.0.0.1:{port}" for port in (OLLAMA, LLAMA_CPP, LM_STUDIO, VLLM)]
        environment = (("OLLAMA_HOST", OLLAMA), ("OPENAI_BASE_URL", 80))
        given = ((os.environ.get(variable, ""), port) for variable, port in environment)
        places += [place for each, port in given if (place := _loopback(each, port))]
    return list(dict.fromkeys(places))


def _loopback(named: str, port: int) -> str:
    """Give an address of the environment if it is on this machine; others were meant for another program."""
    try:
        place = base_url(named, port=port) if named else ""
    except BadInput:
        return ""
    return place if place and is_loopback(place) else ""


async def _found(places: Sequence[str], within_s: float) -> list[FoundServer]:
    try:
        from httpx2 import AsyncClient
    except ModuleNotFoundError as missing:
        raise BadInput(f"looking for servers needs the extra `local`: {INSTALL}") from missing
    deadline = asyncio.get_running_loop().time() + within_s
    # Certificates of one's own machine are signed by nobody; elsewhere they count.
    verified = not all(is_loopback(place) for place in places)
    async with AsyncClient(trust_env=False, verify=verified, timeout=within_s) as client:
        answers = await asyncio.gather(*(_Asking(client, place, deadline).server() for place in places))
    return [answer for answer in answers if answer is not None]


class _Asking:
    """Asks one address."""

    def __init__(self, client: AsyncClient, base: str, deadline: float) -> None:
        self._client = client
        self._base = base
        self._deadline = deadline
        self._wants_key = False

    async def server(self) -> FoundServer | None:
        listed = read(await self._answer("/v1/models"), Listed)
        if listed is None:
            wanted = FoundServer(kind=Kind.OTHER, base_url=self._base, wants_key=True)
            return wanted if self._wants_key else None
        if listed.is_vllm:
            return FoundServer(kind=Kind.VLLM, base_url=self._base, models=listed.models())
        bodies = await asyncio.gather(*(self._answer(path) for path in ("/props", "/api/v0/models", "/api/ps")))
        props, studio, running = read(bodies[0], Props), read(bodies[1], Studio), read(bodies[2], Running)
        kind, models = Kind.OTHER, listed.models()
        if props is not None:
            kind, models = Kind.LLAMA_CPP, llama_cpp(listed, props)
        elif studio is not None:
            kind, models = Kind.LM_STUDIO, lm_studio(studio)
        elif running is not None:
            kind, models = Kind.OLLAMA, ollama(listed, running, await self._shown(listed))
        return FoundServer(kind=kind, base_url=self._base, models=models)

    async def _shown(self, listed: Listed) -> list[Shown | None]:
        names = [entry.id for entry in listed.entries]
        bodies = await asyncio.gather(*(self._answer("/api/show", model=name) for name in names[:SHOWN]))
        return [read(body, Shown) for body in bodies] + [None] * len(names[SHOWN:])

    async def _answer(self, path: str, *, model: str | None = None) -> bytes | None:
        """Give the body of an answer with status 200; None for anything else, and for one that is too late."""
        from httpx2 import HTTPError

        url = self._base + path
        try:
            async with asyncio.timeout_at(self._deadline):
                asked = self._client.get(url) if model is None else self._client.post(url, json={"model": model})
                answer = await asked
        except (HTTPError, TimeoutError):
            return None
        if answer.status_code in (401, 403) and answer.headers.get("content-type", "").startswith("application/json"):
            self._wants_key = True
        return answer.content if answer.status_code == 200 else None
