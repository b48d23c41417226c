"""API keys: shown once, listed without themselves, revoked and replaced, each for its own project."""

from __future__ import annotations

import hashlib
import logging
import time
from pathlib import Path

import httpx2
import pytest

from tests.server.project_scene import admin, owner, refused, said, served
from tests.server.scene import Scene
from unabridged.server.caller import Scope
from unabridged.server.keys import Keys
from unabridged.server.problems import ApiError
from unabridged.store import open_store

__all__ = ["admin", "owner", "served"]


def made(client: httpx2.Client, **body: object) -> dict[str, object]:
    return said(client.post("/project/keys", json={"scope": "project", **body}), 201)


def works(served: Scene, key: object) -> bool:
    with served.client(str(key)) as client:
        return client.get("/chat/sessions/none/turns/1").status_code != 401


def test_a_key_is_in_the_answer_that_it_was_made_with_and_nowhere_else(
    served: Scene, owner: httpx2.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer = owner.post("/project/keys", json={"scope": "user", "owner": "bob", "label": "phone"})

    key = said(answer, 201)
    secret = key.pop("key")
    assert secret.startswith("ub_")
    assert answer.headers["Cache-Control"] == "no-store"
    assert works(served, secret)
    assert said(owner.get("/project/keys"))["items"][0] == key
    assert (key["owner"], key["label"], key["expires"]) == ("bob", "phone", None)
    rows = served.services.store.database.rows("SELECT * FROM api_keys")
    assert secret not in repr(rows) + caplog.text + repr(served.services.keys.caller(secret))
    assert hashlib.sha256(secret.encode()).digest() in [bytes(row[1]) for row in rows]


def test_a_wrong_key_is_not_repeated(served: Scene) -> None:
    with served.client("ub_mistyped") as client:
        answer = client.get("/project")

    assert "mistyped" not in refused(answer, 401, "bad_key")


def test_a_revoked_key_holds_no_longer(served: Scene, owner: httpx2.Client) -> None:
    key = made(owner)
    assert works(served, key["key"])

    assert owner.delete(f"/project/keys/{key['id']}").status_code == 204

    assert not works(served, key["key"])
    assert key["id"] not in [each["id"] for each in said(owner.get("/project/keys"))["items"]]
    listed = said(owner.get("/project/keys", params={"expired": True}))["items"]
    assert [each["expires"] <= time.time() for each in listed if each["id"] == key["id"]] == [True]
    assert owner.delete(f"/project/keys/{key['id']}").status_code == 204


def test_a_replaced_key_holds_beside_the_new_one_for_the_overlap(served: Scene, owner: httpx2.Client) -> None:
    old = made(owner, scope="user", owner="bob", label="phone", limits={"turnsPerMinute": 3})

    new = said(owner.post(f"/project/keys/{old['id']}/rotate", json={"overlap_s": 1.0}), 201)

    assert works(served, old["key"])
    assert works(served, new["key"])
    same = ("scope", "owner", "label", "limits")
    assert {name: new[name] for name in same} == {name: old[name] for name in same}
    time.sleep(1.1)
    assert not works(served, old["key"])
    assert works(served, new["key"])
    again = owner.post(f"/project/keys/{old['id']}/rotate", json={})
    refused(again, 409, "key_expired")


def test_replacing_a_key_makes_it_live_no_longer(owner: httpx2.Client) -> None:
    old = made(owner, expires_in_s=500)

    new = said(owner.post(f"/project/keys/{old['id']}/rotate", json={"overlap_s": 5_000}), 201)

    assert new["expires"] == old["expires"]
    ends = {each["id"]: each["expires"] for each in said(owner.get("/project/keys"))["items"]}
    assert ends[old["id"]] == old["expires"]


def test_a_key_expires(served: Scene, owner: httpx2.Client) -> None:
    key = made(owner, expires_in_s=0.5)
    assert works(served, key["key"])

    time.sleep(0.6)

    assert not works(served, key["key"])


def test_a_key_of_another_project_is_not_there(owner: httpx2.Client, admin: httpx2.Client) -> None:
    said(admin.post("/projects", json={"name": "other"}), 201)
    other = said(admin.post("/project/keys", json={"scope": "project"}, headers={"X-Project": "other"}), 201)
    admins = said(admin.post("/admin/keys", json={}), 201)

    for key in (other, admins):
        refused(owner.delete(f"/project/keys/{key['id']}"), 404, "not_found")
        refused(owner.post(f"/project/keys/{key['id']}/rotate", json={}), 404, "not_found")
        assert key["id"] not in owner.get("/project/keys", params={"expired": True}).text


def test_keys_are_listed_in_pages_the_newest_first(owner: httpx2.Client) -> None:
    ids = [str(made(owner, scope="user", owner="bob")["id"]) for _ in range(5)]
    found: list[str] = []
    after: str | None = None
    while True:
        wanted = {"owner": "bob", "limit": 2, **({"after": after} if after else {})}
        page = said(owner.get("/project/keys", params=wanted))
        found += [each["id"] for each in page["items"]]
        after = page["next"]
        if after is None:
            break

    assert found == sorted(found, reverse=True)
    assert sorted(ids) == sorted(found)


CANNOT_BE: list[dict[str, object]] = [
    {"scope": "admin"},
    {"scope": "user"},
    {"scope": "project", "owner": "bob"},
    {"scope": "user", "owner": "b\x00b"},
    {"scope": "project", "expires_in_s": -1},
    {"scope": "project", "limits": {"turnsPerMinute": -1}},
    {"scope": "project", "limits": {"turnsPerHour": 1}},
]


def test_a_key_that_cannot_be_is_refused(owner: httpx2.Client) -> None:
    for body in CANNOT_BE:
        refused(owner.post("/project/keys", json=body), 422, "bad_input")


def test_an_admins_keys_are_made_replaced_and_revoked(served: Scene, admin: httpx2.Client) -> None:
    first = said(admin.post("/admin/keys", json={"label": "ops"}), 201)
    second = said(admin.post(f"/admin/keys/{first['id']}/rotate", json={}), 201)

    assert second["id"] in [each["id"] for each in said(admin.get("/admin/keys"))["items"]]
    assert (works(served, first["key"]), works(served, second["key"])) == (False, True)
    assert admin.delete(f"/admin/keys/{second['id']}").status_code == 204
    assert not works(served, second["key"])


PROJECT_ROUTES = [
    ("GET", "/project"),
    ("GET", "/project/settings"),
    ("PUT", "/project/settings"),
    ("PATCH", "/project/settings"),
    ("GET", "/project/settings/versions"),
    ("GET", "/project/settings/versions/1"),
    ("POST", "/project/settings/versions/1/restore"),
    ("GET", "/project/models"),
    ("GET", "/project/usage"),
    ("GET", "/project/keys"),
    ("POST", "/project/keys"),
    ("POST", "/project/keys/0/rotate"),
    ("DELETE", "/project/keys/0"),
]
ADMIN_ROUTES = [
    ("GET", "/projects"),
    ("POST", "/projects"),
    ("GET", "/projects/home"),
    ("DELETE", "/projects/home"),
    ("GET", "/admin/keys"),
    ("POST", "/admin/keys"),
    ("POST", "/admin/keys/0/rotate"),
    ("DELETE", "/admin/keys/0"),
]
BODY = {"scope": "project", "name": "mine"}


def test_an_end_user_may_do_none_of_it(served: Scene, owner: httpx2.Client) -> None:
    key = made(owner, scope="user", owner="bob")["key"]

    with served.client(str(key)) as user:
        for method, path in PROJECT_ROUTES + ADMIN_ROUTES:
            body = {} if path.endswith("rotate") or path == "/admin/keys" else BODY
            refused(user.request(method, path, json=body if method != "GET" else None), 403, "forbidden")


def test_a_key_of_a_project_administers_nothing_else(owner: httpx2.Client) -> None:
    for method, path in ADMIN_ROUTES:
        body = {} if path.endswith("rotate") or path == "/admin/keys" else BODY
        refused(owner.request(method, path, json=body if method != "GET" else None), 403, "forbidden")
    refused(owner.get("/project", headers={"X-Project": "other"}), 403, "wrong_project")


def test_every_route_is_in_the_lists_above(served: Scene, owner: httpx2.Client) -> None:
    paths = said(owner.get("/openapi.json"))["paths"]
    there = {
        (method.upper(), path.replace("{id}", "0").replace("{version}", "1").replace("{name}", "home"))
        for path, methods in paths.items()
        if path.startswith(("/project", "/admin"))
        for method in methods
    }

    assert there == {*PROJECT_ROUTES, *ADMIN_ROUTES}


def test_without_a_key_nothing_is_said(served: Scene) -> None:
    with httpx2.Client(base_url=served.url, trust_env=False) as client:
        for method, path in PROJECT_ROUTES + ADMIN_ROUTES:
            answer = client.request(method, path, json={} if method != "GET" else None)
            refused(answer, 401, "no_key")


def test_a_revoked_key_holds_no_longer_for_another_process_either(tmp_path: Path) -> None:
    place = tmp_path / "server.db"
    with open_store(place) as here, open_store(place) as there:
        id, secret = Keys(here.database).create(Scope.PROJECT, project="home")
        assert Keys(there.database).caller(secret).key == id
        Keys(here.database).revoke("home", id)
        with pytest.raises(ApiError, match="no longer valid"):
            Keys(there.database).caller(secret)
