"""Branches over HTTP: forks, edits, answers given once more."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.server.history_scene import ENGINES, Told, all_messages, get, store_on, text_of
from tests.server.scene import Scene, scene
from unabridged.message import Role, Text
from unabridged.store import Store
from unabridged.testing import Asked, Call, FakeProvider, Reply

TOOLS = [{"name": "look", "parameters": {"type": "object", "properties": {}}}]


class Numbering:
    """A model that numbers its answers, and looks where it is told to."""

    def reply(self, asked: Asked) -> Reply:
        newest = asked.body["messages"][-1]
        if newest["role"] == "user" and "look" in str(newest["content"]):
            return Reply(calls=(Call("look"),))
        return Reply(text=f"Answer {asked.number}.")


@pytest.fixture(scope="module", params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with store_on(request.param, tmp_path_factory.mktemp("branches")) as opened:
        yield opened


@pytest.fixture(scope="module")
def at(store: Store) -> Iterator[Scene]:
    with scene(store, FakeProvider(Numbering(), window=32_000)) as opened:
        yield opened


def post(at: Scene, path: str, body: dict[str, Any], key: str | None = None) -> httpx2.Response:
    headers = {"Idempotency-Key": key} if key else {}
    with at.client() as client:
        return client.post(path, json=body, headers=headers)


def talked(at: Scene, *texts: str) -> str:
    """Say some things, each answered; give the session."""
    first, *others = texts
    session = post(at, "/chat", {"message": first, "stream": False}).headers["x-session-id"]
    for text in others:
        answer = post(at, f"/chat/sessions/{session}/turns", {"message": text, "stream": False})
        assert answer.json()["status"] == "completed"
    return session


def texts(at: Scene, session: str, branch: str | None = None) -> list[str]:
    return [text_of(each) for each in all_messages(at, session, **({"branch": branch} if branch else {}))]


def ids(at: Scene, session: str, branch: str = "main") -> list[str]:
    return [each["id"] for each in all_messages(at, session, branch=branch)]


def test_a_fork_holds_the_conversation_up_to_a_message(at: Scene) -> None:
    session = talked(at, "one", "two")
    known = ids(at, session)

    forked = post(at, f"/chat/sessions/{session}/fork", {"message_id": known[1]})

    assert (forked.status_code, forked.json()) == (201, {"branch": "branch-1", "message_id": known[1]})
    assert ids(at, session, "branch-1") == known[:2]
    assert ids(at, session, "main") == known
    whole = post(at, f"/chat/sessions/{session}/fork", {"branch": "main"}).json()
    assert whole == {"branch": "branch-2", "message_id": known[-1]}
    first, one, two = get(at, f"/chat/sessions/{session}/branches")["branches"]
    assert (first["name"], first["parent"], first["newest"]) == ("main", None, False)
    assert (one["name"], one["parent"], one["message_id"], one["why"]) == ("branch-1", "main", known[1], "fork")
    assert (two["message_id"], two["newest"]) == (known[-1], True)


def test_an_edit_is_answered_on_a_branch_of_its_own(at: Scene) -> None:
    session = talked(at, "one", "two", "three")
    known, before = ids(at, session), texts(at, session)

    frames = at.frames(f"/chat/sessions/{session}/edit", {"message_id": known[2], "message": "two, but better"})

    assert [frame.type for frame in frames][-1] == "end"
    assert frames[-1].data["status"] == "completed"
    assert next(frame.data["branch"] for frame in frames if frame.type == "session") == "branch-1"
    assert texts(at, session)[:3] == [*before[:2], "two, but better"]
    assert texts(at, session)[3] == frames[-1].data["text"]
    assert texts(at, session, "main") == before
    asked = [message["content"] for message in at.provider.served[-1].body["messages"]]
    assert asked == [*before[:2], "two, but better"]
    assert get(at, f"/chat/sessions/{session}/branches")["branches"][1]["why"] == "edit"


def test_the_first_message_can_be_edited(at: Scene) -> None:
    session = talked(at, "one")

    end = post(
        at, f"/chat/sessions/{session}/edit", {"message_id": ids(at, session)[0], "message": "1", "stream": False}
    )

    assert end.json()["status"] == "completed"
    assert texts(at, session)[0] == "1"
    assert len(texts(at, session)) == 2


def test_an_answer_is_given_once_more(at: Scene) -> None:
    session = talked(at, "one", "two")
    before = texts(at, session)

    newest = post(at, f"/chat/sessions/{session}/regenerate", {"stream": False}).json()
    older = post(
        at,
        f"/chat/sessions/{session}/regenerate",
        {"message_id": ids(at, session)[1], "branch": "main", "stream": False},
    ).json()

    assert texts(at, session, "branch-1") == [*before[:3], newest["text"]]
    assert texts(at, session, "branch-2") == [before[0], older["text"]]
    assert texts(at, session, "main") == before


def test_all_that_a_message_led_to_is_done_again_or_one_answer_alone(at: Scene) -> None:
    path = "/chat"
    started = post(at, path, {"message": "look there", "tools": TOOLS, "stream": False})
    session, (call,) = started.headers["x-session-id"], started.json()["awaiting"]
    given = {"tool_results": [{"call_id": call, "output": "seen"}], "tools": TOOLS, "stream": False}
    assert post(at, f"/chat/sessions/{session}/turns", given).json()["status"] == "completed"
    known = all_messages(at, session)
    assert [each["role"] for each in known] == ["user", "assistant", "tool", "assistant"]

    last = {"message_id": known[-1]["id"], "tools": TOOLS, "stream": False}
    one = post(at, f"/chat/sessions/{session}/regenerate", last).json()
    everything = post(at, f"/chat/sessions/{session}/regenerate", {"branch": "main", "tools": TOOLS, "stream": False})

    assert one["status"] == "completed"
    assert ids(at, session, "branch-1")[:3] == [each["id"] for each in known[:3]]
    assert everything.json()["status"] == "awaiting_tools"
    assert ids(at, session, "branch-2")[:1] == [known[0]["id"]]
    assert len(ids(at, session, "branch-2")) == 2


@pytest.mark.parametrize("route", ["edit", "regenerate"])
def test_the_same_request_sent_twice_opens_one_branch_and_takes_one_turn(at: Scene, route: str) -> None:
    session = talked(at, "one", "two")
    body: dict[str, Any] = {"stream": False}
    if route == "edit":
        body |= {"message_id": ids(at, session)[0], "message": "another"}
    path, key = f"/chat/sessions/{session}/{route}", f"{session}-{route}"

    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda _: post(at, path, body, key), range(4)))
    ends.append(post(at, path, body, key))

    assert {end.status_code for end in ends} == {200}
    assert {end.headers["x-turn"] for end in ends} == {"3"}
    assert {end.text.strip() for end in ends} == {ends[0].text.strip()}
    assert get(at, f"/chat/sessions/{session}")["branches"] == ["main", "branch-1"]
    other = post(at, path, {**body, "max_output_tokens": 7}, key)
    assert (other.status_code, other.json()["error"]["code"]) == (422, "idempotency_mismatch")
    assert get(at, f"/chat/sessions/{session}")["branches"] == ["main", "branch-1"]


def test_what_cannot_be_done_opens_no_branch(at: Scene) -> None:
    session = talked(at, "one")
    question, answer = ids(at, session)
    refused = [
        post(at, f"/chat/sessions/{session}/edit", {"message_id": answer, "message": "x"}),
        post(at, f"/chat/sessions/{session}/edit", {"message_id": question, "message": " "}),
        post(at, f"/chat/sessions/{session}/edit", {"message_id": question, "message": "x", "model": "unknown"}),
        post(at, f"/chat/sessions/{session}/regenerate", {"message_id": question}),
    ]
    missing = [
        post(at, f"/chat/sessions/{session}/edit", {"message_id": "m-0", "message": "x"}),
        post(at, f"/chat/sessions/{session}/regenerate", {"message_id": "m-0"}),
        post(at, f"/chat/sessions/{session}/fork", {"message_id": "m-0"}),
        post(at, f"/chat/sessions/{session}/fork", {"branch": "no-branch"}),
    ]

    assert {each.status_code for each in refused} == {422}
    assert {each.status_code for each in missing} == {404}
    assert get(at, f"/chat/sessions/{session}")["branches"] == ["main"]


def test_a_turn_over_the_limit_opens_no_branch(at: Scene) -> None:
    session = talked(at, "one")
    with at.client() as client:
        client.patch("/project/settings", json={"limits": {"turnsPerMinute": 0}}).raise_for_status()
        refused = client.post(f"/chat/sessions/{session}/regenerate", json={})
        client.patch("/project/settings", json={"limits": {"turnsPerMinute": None}}).raise_for_status()

    assert refused.status_code == 429
    assert get(at, f"/chat/sessions/{session}")["branches"] == ["main"]


def test_nothing_is_opened_while_another_turn_runs(at: Scene, store: Store) -> None:
    story = Told(store)
    story.add(Role.USER, Text("one"))
    with store.project("home").open(story.id).turn():
        refused = post(at, f"/chat/sessions/{story.id}/fork", {})

    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "session_busy")
    assert get(at, f"/chat/sessions/{story.id}")["branches"] == ["main"]


def test_a_turn_follows_the_end_of_another_at_once_where_the_project_refuses_to_wait(at: Scene) -> None:
    with at.client() as client:
        client.patch("/project/settings", json={"busy": "refuse"}).raise_for_status()
    try:
        session = talked(at, "one", "two", "three")
        assert post(at, f"/chat/sessions/{session}/regenerate", {"stream": False}).json()["status"] == "completed"
    finally:
        with at.client() as client:
            client.patch("/project/settings", json={"busy": "wait"}).raise_for_status()
