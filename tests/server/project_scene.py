"""A server over each engine whose projects are administered, and what asks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.server.scene import Scene, scene
from unabridged.server.caller import Scope
from unabridged.store import open_store
from unabridged.testing import FakeProvider, Scripted


@pytest.fixture
def served(place: str) -> Iterator[Scene]:
    """A server with the project `home`."""
    with open_store(place) as store, scene(store, FakeProvider(Scripted(["Fine."] * 50), window=8_000)) as opened:
        yield opened


@pytest.fixture
def owner(served: Scene) -> Iterator[httpx2.Client]:
    """Who asks with a key of the project."""
    with served.client() as client:
        yield client


@pytest.fixture
def admin(served: Scene) -> Iterator[httpx2.Client]:
    """Who asks with the key of an admin."""
    with served.client(served.key_of(Scope.ADMIN, project="")) as client:
        yield client


def said(answer: httpx2.Response, status: int = 200) -> Any:
    """Give the JSON of an answer of this status."""
    assert answer.status_code == status, answer.text
    return answer.json()


def refused(answer: httpx2.Response, status: int, code: str) -> str:
    """Give the sentence of an error with this status and code."""
    body = said(answer, status)
    assert body["error"]["code"] == code, body
    return str(body["error"]["message"])
