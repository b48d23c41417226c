"""Projects and their settings over HTTP: versions, what is refused, and what holds from the next request on."""

from __future__ import annotations

import threading
from typing import Any

import httpx2

from tests.server.project_scene import admin, owner, refused, said, served
from tests.server.scene import Scene, scene
from unabridged.server.caller import Scope
from unabridged.server.projects import Projects
from unabridged.server.versions import Change
from unabridged.store import open_store
from unabridged.testing import FakeProvider, Scripted

__all__ = ["admin", "owner", "served"]
SETTINGS = "/project/settings"


def test_a_new_project_has_the_defaults_of_a_server(owner: httpx2.Client) -> None:
    answer = owner.get(SETTINGS)

    settings = said(answer)
    assert answer.headers["ETag"] == '"1"'
    assert settings["policy"]["strategy"] == "trim"
    assert (settings["policy"]["archiveToMemory"], settings["policy"]["summarizerTimeoutS"]) == (False, 45.0)


def test_a_patch_changes_what_it_says_and_null_stands_for_the_default(owner: httpx2.Client) -> None:
    said(owner.patch(SETTINGS, json={"policy": {"threshold": 0.5}, "waitS": 5, "limits": {"turnsPerMinute": 9}}))
    answer = owner.patch(SETTINGS, json={"policy": {"strategy": "summarize"}, "waitS": None})

    settings = said(answer)
    assert answer.headers["ETag"] == '"3"'
    assert (settings["policy"]["threshold"], settings["policy"]["strategy"]) == (0.5, "summarize")
    assert (settings["waitS"], settings["limits"]) == (60.0, {"turnsPerMinute": 9})
    assert said(owner.get(SETTINGS)) == settings


def test_replacing_forgets_what_is_not_said(owner: httpx2.Client) -> None:
    said(owner.patch(SETTINGS, json={"system": "Be kind.", "policy": {"summarizerTimeoutS": 9}}))

    settings = said(owner.put(SETTINGS, json={"policy": {"strategy": "none"}}))

    assert (settings["system"], settings["policy"]["summarizerTimeoutS"]) == ("", 45.0)


def test_what_was_read_can_be_put_back_as_it_is(owner: httpx2.Client) -> None:
    tools = [{"name": "look", "description": "", "parameters": {"type": "object", "properties": {"at": {}}}}]
    said(owner.patch(SETTINGS, json={"clientTools": tools, "models": ["chat"], "maxOutputTokens": 10}))
    settings = said(owner.get(SETTINGS))

    answer = owner.put(SETTINGS, json=settings)

    assert (said(answer), answer.headers["ETag"]) == (settings, '"2"')


def test_who_read_an_older_version_changes_nothing(owner: httpx2.Client) -> None:
    first = owner.get(SETTINGS).headers["ETag"]
    said(owner.patch(SETTINGS, json={"waitS": 1}, headers={"If-Match": first}))

    late = owner.put(SETTINGS, json={"waitS": 2}, headers={"If-Match": first})

    refused(late, 412, "precondition_failed")
    assert late.headers["ETag"] == '"2"'
    assert said(owner.get(SETTINGS))["waitS"] == 1
    said(owner.put(SETTINGS, json={"waitS": 3}, headers={"If-Match": f'"7", {late.headers["ETag"]}'}))
    said(owner.put(SETTINGS, json={"waitS": 4}, headers={"If-Match": "*"}))
    refused(owner.put(SETTINGS, json={"waitS": 5}, headers={"If-Match": 'W/"4"'}), 412, "precondition_failed")
    refused(owner.put(SETTINGS, json={"waitS": 5}, headers={"If-Match": "4"}), 422, "bad_input")


def test_of_many_who_change_the_same_version_one_does(served: Scene) -> None:
    codes: list[int] = []
    start = threading.Barrier(6)

    def change(wait: int) -> None:
        with served.client() as client:
            start.wait()
            codes.append(client.patch(SETTINGS, json={"waitS": wait}, headers={"If-Match": '"1"'}).status_code)

    threads = [threading.Thread(target=change, args=(number,)) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(codes) == [200, 412, 412, 412, 412, 412]


def test_every_change_is_a_version_and_says_whose(served: Scene, owner: httpx2.Client, admin: httpx2.Client) -> None:
    own = said(owner.post("/project/keys", json={"scope": "project"}), 201)
    with served.client(own["key"]) as other:
        said(other.patch(SETTINGS, json={"waitS": 7}))
    said(owner.patch(SETTINGS, json={"waitS": 8}))

    page = said(owner.get(f"{SETTINGS}/versions", params={"limit": 2}))
    last = said(owner.get(f"{SETTINGS}/versions", params={"limit": 2, "before": page["next"]}))

    assert [each["version"] for each in page["items"] + last["items"]] == [3, 2, 1]
    assert last["next"] is None
    assert page["items"][1]["made_by"] == own["id"]
    assert said(owner.get(f"{SETTINGS}/versions/2"))["settings"]["waitS"] == 7
    refused(owner.get(f"{SETTINGS}/versions/4"), 404, "not_found")


def test_a_version_can_be_restored(owner: httpx2.Client) -> None:
    first = said(owner.get(SETTINGS))
    said(owner.patch(SETTINGS, json={"system": "Be brief."}))

    stale = owner.post(f"{SETTINGS}/versions/1/restore", headers={"If-Match": '"1"'})
    answer = owner.post(f"{SETTINGS}/versions/1/restore", headers={"If-Match": '"2"'})

    refused(stale, 412, "precondition_failed")
    assert (said(answer), answer.headers["ETag"]) == (first, '"3"')
    refused(owner.post(f"{SETTINGS}/versions/9/restore"), 404, "not_found")


def test_what_changes_nothing_makes_no_version(owner: httpx2.Client) -> None:
    said(owner.patch(SETTINGS, json={"waitS": 7}))

    assert owner.patch(SETTINGS, json={"waitS": 7}).headers["ETag"] == '"2"'
    assert len(said(owner.get(f"{SETTINGS}/versions"))["items"]) == 2


CANNOT_WORK: list[tuple[Any, str]] = [
    ({"model": "gpt"}, "`model`"),
    ({"models": ["chat", "gpt"]}, "`models`"),
    ({"policy": {"summaryModel": "gpt"}}, "`policy.summaryModel`"),
    ({"policy": {"strategy": "forget"}}, "`strategy`"),
    ({"policy": {"threshold": 80}}, "`threshold`"),
    ({"policy": {"treshold": 0.8}}, "`treshold`"),
    ({"limits": {"turnsPerMinute": -1}}, "`turnsPerMinute`"),
    ({"limits": {"tokensPerDay": 10**30}}, "`tokensPerDay`"),
    ({"waits": 3}, "`waits`"),
    ({"busy": "panic"}, "`busy`"),
    ({"clientTools": [{"name": "no spaces"}]}, "`tools`"),
    ({"system": 3}, "`$.system`"),
    ([], "object"),
]


def test_what_cannot_work_is_refused_with_its_name(owner: httpx2.Client) -> None:
    for body, names in CANNOT_WORK:
        for method in ("PUT", "PATCH"):
            answer = owner.request(method, SETTINGS, json=body)
            assert answer.status_code == 422, body
            assert names in answer.json()["error"]["message"]
    assert owner.get(SETTINGS).headers["ETag"] == '"1"'


def test_what_is_no_json_is_refused(owner: httpx2.Client) -> None:
    no_number = b'{"limits":{"spendPerDay":NaN}}'
    for text in (b"", b"{", b'{"system": "\xff"}', b'{"system": "\\ud800"}', no_number, b'{"a":' * 3_000):
        for method in ("PUT", "PATCH"):
            refused(owner.request(method, SETTINGS, content=text), 422, "bad_input")


def test_a_tool_is_taken_as_deep_as_it_can_be_read_again(owner: httpx2.Client) -> None:
    def tools(levels: int) -> bytes:
        inner = b'{"a":' * (levels - 1) + b"1" + b"}" * (levels - 1)
        return b'{"clientTools":[{"name":"t","parameters":{"type":"object","default":%b}}]}' % inner

    assert owner.patch(SETTINGS, content=tools(64)).status_code == 200
    refused(owner.patch(SETTINGS, content=tools(65)), 422, "bad_setting")
    refused(owner.patch(SETTINGS, content=tools(500)), 422, "bad_setting")


def test_a_change_holds_for_the_next_turn_in_every_worker(place: str) -> None:
    provider = FakeProvider(Scripted(["Fine."] * 9), window=8_000)
    with open_store(place) as here, scene(here, provider) as one:
        frames = one.frames("/chat", {"message": "Hello"})
        session = frames[-1].data["session_id"]
        with open_store(place) as there:
            Projects(there).versions.merge("home", b'{"system": "Speak Latin."}', Change(made_by="other"))
        one.frames(f"/chat/sessions/{session}/turns", {"message": "Again"})

    told = ["Speak Latin." in str(request.body) for request in provider.served]
    assert told == [False, True]


def test_projects_are_made_listed_and_closed(served: Scene, admin: httpx2.Client) -> None:
    for name in ("b", "a", "c"):
        made = said(admin.post("/projects", json={"name": name, "settings": {"waitS": 3}}), 201)
        assert (made["name"], made["version"]) == (name, 1)
    key = said(admin.post("/project/keys", json={"scope": "project"}, headers={"X-Project": "b"}), 201)["key"]

    page = said(admin.get("/projects", params={"limit": 2}))
    rest = said(admin.get("/projects", params={"after": page["next"]}))
    assert [each["name"] for each in page["items"]] == ["a", "b"]
    assert [each["name"] for each in rest["items"]] == ["c", "home"]
    assert said(admin.get(SETTINGS, headers={"X-Project": "a"}))["waitS"] == 3

    assert admin.delete("/projects/b").status_code == 204
    refused(admin.get("/projects/b"), 404, "not_found")
    refused(admin.delete("/projects/b"), 404, "not_found")
    refused(admin.get("/project", headers={"X-Project": "b"}), 404, "not_found")
    refused(admin.post("/projects", json={"name": "b"}), 409, "already_there")
    with served.client(key) as client:
        refused(client.get("/project"), 404, "not_found")
        refused(client.post("/chat", json={"message": "Hello"}), 404, "not_found")
    assert [each["name"] for each in said(admin.get("/projects"))["items"]] == ["a", "c", "home"]


def test_a_name_that_is_none_is_refused(admin: httpx2.Client) -> None:
    for name in ("", "a b", "ä", "../x", ".a", "a" * 101, "a\x00"):
        refused(admin.post("/projects", json={"name": name}), 422, "bad_input")


def test_a_project_begins_with_settings_that_work_or_not_at_all(admin: httpx2.Client) -> None:
    refused(admin.post("/projects", json={"name": "x", "settings": {"model": "gpt"}}), 422, "bad_setting")
    refused(admin.post("/projects", json={"name": "x", "owner": "me"}), 422, "bad_input")
    refused(admin.get("/projects/x"), 404, "not_found")


def test_an_admin_names_the_project(admin: httpx2.Client) -> None:
    refused(admin.get("/project"), 422, "no_project")
    assert said(admin.get("/project", headers={"X-Project": "home"}))["name"] == "home"


def test_the_models_of_the_server_are_listed_without_where_they_are(owner: httpx2.Client) -> None:
    answer = owner.get("/project/models")

    (model,) = said(answer)["items"]
    assert model == {
        "name": "chat",
        "model": "m",
        "window": 8_000,
        "sees": True,
        "is_default": True,
        "is_allowed": True,
        "is_ready": True,
    }
    assert "127.0.0.1" not in answer.text


def test_openapi_says_the_defaults_of_a_project_and_the_errors(owner: httpx2.Client) -> None:
    paths = said(owner.get("/openapi.json"))["paths"]

    put = paths[SETTINGS]["put"]
    policy = put["requestBody"]["content"]["application/json"]["schema"]["properties"]["policy"]["properties"]
    assert (policy["archiveToMemory"]["default"], policy["summarizerTimeoutS"]["default"]) == (False, 45.0)
    assert {"200", "401", "403", "404", "412", "422", "503"} <= set(put["responses"])
    assert "$defs" not in str(paths[SETTINGS])


def test_a_user_key_sees_what_its_project_decided(served: Scene, owner: httpx2.Client) -> None:
    said(owner.patch(SETTINGS, json={"model": "chat", "busy": "refuse"}))
    tenant = served.services.projects.tenant(served.services.keys.caller(served.key_of(Scope.USER, owner="bob")))

    assert (tenant.settings.busy, tenant.version, tenant.caller.owner) == ("refuse", 2, "bob")
