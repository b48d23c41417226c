"""The first keys of a server: made once, whoever starts first, and the key that the environment names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.server.project_scene import refused, said
from tests.server.scene import application, scene
from tests.shared import REPOSITORY
from unabridged.errors import BadInput
from unabridged.server.app import create_app
from unabridged.server.bootstrap import ADMIN_KEY, first_keys
from unabridged.server.caller import Scope
from unabridged.server.config import ServerConfig
from unabridged.store import open_store
from unabridged.testing import FakeProvider, Scripted

KEY = "k9-0f3b5a7c1d2e4f60718293a4b5c6d7e8"


def test_of_many_that_start_at_once_one_makes_the_first_keys(place: str) -> None:
    command = [sys.executable, "-m", "tests.server.bootstrap_worker", place]
    pipe = subprocess.PIPE
    starting = [subprocess.Popen(command, cwd=REPOSITORY, stdin=pipe, stdout=pipe, text=True) for _ in range(4)]
    for each in starting:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in starting:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    made = [keys for each in starting if (keys := each.communicate()[0].split())]

    ((admin, project),) = made
    with open_store(place) as store:
        app = create_app(ServerConfig(), store)
        assert first_keys(app.state.services) is None
        assert app.state.services.keys.caller(admin).scope is Scope.ADMIN
        caller = app.state.services.keys.caller(project)
        assert (caller.scope, caller.project) == (Scope.PROJECT, "default")
        assert app.state.services.projects.tenant(caller).version == 1


def test_a_server_that_has_a_project_or_a_key_gets_no_others() -> None:
    with open_store(":memory:") as store:
        services = create_app(ServerConfig(), store).state.services
        id, _ = services.keys.create(Scope.ADMIN)
        services.keys.revoke("", id)

        assert first_keys(services) is None


def test_the_key_of_the_environment_is_an_admins_and_stored_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(ADMIN_KEY, f"{KEY}\n")
    with open_store(tmp_path / "server.db") as store, scene(store, FakeProvider(Scripted([]))) as served:
        with served.client(KEY) as client:
            said(client.post("/projects", json={"name": "shop"}), 201)
            headers = {"X-Project": "shop"}
            said(client.patch("/project/settings", json={"waitS": 3}, headers=headers))
            (newest, _) = said(client.get("/project/settings/versions", headers=headers))["items"]
            assert newest["made_by"] == "environment"
            assert said(client.get("/admin/keys"))["items"] == []
        for other in (KEY[:-1], f"{KEY}x", KEY.upper()):
            with served.client(other) as client:
                refused(client.get("/projects"), 401, "bad_key")
        assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.iterdir())


def test_without_it_nobody_is_let_in_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ADMIN_KEY, "")
    with open_store(":memory:") as store, application(create_app(ServerConfig(), store)) as url:
        headers = {"Authorization": "Bearer none"}
        refused(httpx2.get(f"{url}/projects", trust_env=False, headers=headers), 401, "bad_key")


@pytest.mark.parametrize("key", ["short", "x" * 31, "a b" * 20, "ü" * 40])
def test_a_key_of_the_environment_that_could_be_guessed_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv(ADMIN_KEY, key)
    with open_store(":memory:") as store, pytest.raises(BadInput, match=ADMIN_KEY) as refusal:
        create_app(ServerConfig(), store)

    assert key not in str(refusal.value)
