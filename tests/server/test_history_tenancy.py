"""Nobody sees, or changes, what is another's: it is as if it were not there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.history_scene import ENGINES, WINDOW, Told, all_messages, get, store_on
from tests.server.scene import Scene, scene
from unabridged.server.caller import Scope
from unabridged.store import Store
from unabridged.testing import FakeProvider, Scripted

ROUTES: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "", None),
    ("PATCH", "", {"title": "mine"}),
    ("DELETE", "", None),
    ("GET", "/messages", None),
    ("POST", "/hide", {"message_ids": ["{message}"]}),
    ("POST", "/show", {"message_ids": ["{message}"]}),
    ("GET", "/context", None),
    ("GET", "/context/steps", None),
    ("GET", "/context/steps/1", None),
    ("GET", "/context/why/{message}", None),
    ("POST", "/context/undo", None),
    ("GET", "/branches", None),
    ("POST", "/fork", {"message_id": "{message}"}),
    ("POST", "/edit", {"message_id": "{message}", "message": "mine"}),
    ("POST", "/regenerate", {}),
    ("GET", "/export", None),
]


@pytest.fixture(scope="module", params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with store_on(request.param, tmp_path_factory.mktemp("tenancy")) as opened:
        yield opened


@pytest.fixture(scope="module")
def at(store: Store) -> Iterator[Scene]:
    with scene(store, FakeProvider(Scripted([]), window=WINDOW)) as opened:
        opened.services.projects.create("elsewhere")
        yield opened


@pytest.fixture(scope="module")
def story(store: Store) -> Told:
    told = Told(store, owner="ann")
    told.round("Is the wolverine mine?", [], "It is.")
    store.project("home").rename(told.id, "Of wolverines")
    return told


def asked(at: Scene, key: str, method: str, path: str, body: Any) -> tuple[int, Any]:
    with at.client(key) as client:
        answer = client.request(method, path, json=body)
    return answer.status_code, answer.json()


def filled(value: Any, message: str) -> Any:
    if isinstance(value, dict):
        return {name: filled(each, message) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, message) for each in value]
    return value.replace("{message}", message) if isinstance(value, str) else value


@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
def test_what_is_anothers_is_as_if_it_were_not_there(
    at: Scene, story: Told, method: str, path: str, body: dict[str, Any] | None
) -> None:
    before = at.services.store.database.rows("SELECT count(*) FROM entries")
    message = story.said[0].id
    strangers = [at.key_of(Scope.PROJECT, "elsewhere"), at.key_of(Scope.USER, "elsewhere", "ann")]
    if path != "/export":  # an end user has no exports, of whatever session
        strangers.append(at.key_of(Scope.USER, "home", "bob"))
    for key in strangers[:1] if path == "/export" else strangers:
        theirs = asked(at, key, method, f"/chat/sessions/{story.id}{filled(path, message)}", filled(body, message))
        nobodys = asked(at, key, method, f"/chat/sessions/none{filled(path, message)}", filled(body, message))
        assert theirs == nobodys == (404, {"error": {"code": "not_found", "message": "no such session"}})
    assert at.services.store.database.rows("SELECT count(*) FROM entries") == before


@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
def test_every_route_asks_for_a_key(at: Scene, story: Told, method: str, path: str, body: Any) -> None:
    with at.client() as client:
        del client.headers["authorization"]
        answer = client.request(method, f"/chat/sessions/{story.id}{path}", json=body)

    assert answer.status_code == 401


def test_lists_and_searches_hold_what_is_ones_own(at: Scene, story: Told) -> None:
    own, project = at.key_of(Scope.USER, owner="ann"), at.key
    strangers = [at.key_of(Scope.PROJECT, "elsewhere"), at.key_of(Scope.USER, owner="bob")]

    for key in (own, project):
        assert story.id in [each["id"] for each in get(at, "/chat/sessions", key)["sessions"]]
        assert {each["session_id"] for each in get(at, "/chat/sessions", key, q="wolverine")["matches"]} == {story.id}
    for key in strangers:
        assert get(at, "/chat/sessions", key)["sessions"] == []
        assert get(at, "/chat/sessions", key, q="wolverine") == {"sessions": [], "matches": [], "has_more": False}
        assert asked(at, key, "GET", f"/chat/sessions?after={story.id}", None)[0] == 404


def test_an_owner_reads_his_own(at: Scene, story: Told) -> None:
    key = at.key_of(Scope.USER, owner="ann")

    page = get(at, f"/chat/sessions/{story.id}/messages", key)

    assert page["messages"] == all_messages(at, story.id)


def test_the_list_of_routes_here_is_complete(at: Scene) -> None:
    paths = get(at, "/openapi.json")["paths"]
    start, own = "/chat/sessions/{session_id}", {"sessions", "history", "context", "branches"}
    known = {
        (method.upper(), path.removeprefix(start))
        for path, methods in paths.items()
        for method, route in methods.items()
        if path.startswith(start) and own & set(route["tags"])
    }

    assert known == {(method, _template(path)) for method, path, _ in ROUTES}


def _template(path: str) -> str:
    return path.replace("/steps/1", "/steps/{number}").replace("{message}", "{message_id}")
