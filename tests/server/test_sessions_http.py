"""Sessions over HTTP: listed, found, renamed, exported, erased."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.history_scene import ENGINES, WINDOW, Told, get, store_on
from tests.server.scene import Scene, scene
from tests.store.talking import digest
from unabridged.message import Media, MediaKind, Message, Role, Text
from unabridged.server.caller import Scope
from unabridged.server.tools.folders import made, session_folder
from unabridged.store import Store
from unabridged.store.filing import write_session
from unabridged.testing import Asked, FakeProvider, Reply
from unabridged.testing.pictures import png


class Slow:
    """A model that answers `wait` only when it is let go."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.go = threading.Event()

    def reply(self, asked: Asked) -> Reply:
        if asked.body["messages"][-1]["content"] == "wait":
            self.asked.set()
            self.go.wait(20)
        return Reply(text="Done.")


@pytest.fixture(scope="module", params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with store_on(request.param, tmp_path_factory.mktemp("sessions")) as opened:
        yield opened


@pytest.fixture(scope="module")
def model(store: Store) -> Slow:
    del store  # a new one for each
    return Slow()


@pytest.fixture(scope="module")
def at(store: Store, model: Slow, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    data = str(tmp_path_factory.mktemp("data"))
    with scene(store, FakeProvider(model, window=WINDOW), data=data) as opened:
        yield opened


def ids_of(at: Scene, key: str, **asked: Any) -> list[str]:
    return [each["id"] for each in get(at, "/chat/sessions", key, **asked)["sessions"]]


def test_sessions_are_listed_page_by_page_in_either_order(at: Scene, store: Store) -> None:
    key = at.key_of(Scope.USER, owner="lister")
    made = [store.project("home", owner="lister").create(title=f"title {number}").id for number in range(7)]

    for order, expected in (("asc", made), ("desc", made[::-1])):
        found: list[str] = []
        more = True
        while more:
            after = {"after": found[-1]} if found else {}
            page = get(at, "/chat/sessions", key, limit=3, order=order, **after)
            found += [each["id"] for each in page["sessions"]]
            more = page["has_more"]
        assert found == expected


def test_a_session_is_given_with_its_branches_and_what_runs(at: Scene) -> None:
    with at.client() as client:
        session = client.post("/chat", json={"message": "Hello!", "stream": False}).headers["x-session-id"]
        known = client.get(f"/chat/sessions/{session}").json()
        renamed = client.patch(f"/chat/sessions/{session}", json={"title": "Of greetings"}).json()

    assert (known["title"], known["branches"], known["branch"], known["running"]) == ("Hello!", ["main"], "main", [])
    assert known["created"] <= known["updated"]
    assert renamed == {**known, "title": "Of greetings"}
    assert get(at, f"/chat/sessions/{session}") == renamed


def test_what_was_said_is_found_with_the_session_it_was_said_in(at: Scene, store: Store) -> None:
    one, other = Told(store), Told(store)
    said = one.add(Role.USER, Text("Where do kingfishers nest?"))
    store.project("home").rename(other.id, "On kingfishers")

    found = get(at, "/chat/sessions", q="kingfish")

    assert [each["session_id"] for each in found["matches"]] == [other.id, one.id]
    assert found["matches"][0]["message_id"] is None
    assert found["matches"][1]["message_id"] == said.id
    assert "kingfishers nest" in found["matches"][1]["snippet"]
    assert [each["id"] for each in found["sessions"]] == [other.id, one.id]
    assert found["has_more"] is False
    assert get(at, "/chat/sessions", q="kingfish", limit=1)["has_more"] is True
    assert get(at, "/chat/sessions", q="albatross")["sessions"] == []


def test_an_export_is_the_log_file_of_the_session(at: Scene, store: Store, tmp_path: Path) -> None:
    story = Told(store)
    for number in range(30):
        story.round(f"question {number}", ["stone " * 400], "\ud800 an answer")
    picture = png(30, 20)
    media = Media(kind=MediaKind.IMAGE, mime="image/png", digest=digest(picture))
    shown = Message(id="m-media", role=Role.USER, parts=(media,))
    story.talk.transcript.append(shown, media={digest(picture): picture})
    story.talk.transcript.branch_from(story.said[3].id, why="elsewhere")
    write_session(story.session, tmp_path / "log.jsonl")

    with at.client() as client:
        answer = client.get(f"/chat/sessions/{story.id}/export")

    assert answer.headers["content-type"] == "application/jsonl"
    assert answer.content == (tmp_path / "log.jsonl").read_bytes()


def test_an_erased_session_is_gone_with_its_folder(at: Scene, store: Store) -> None:
    story = Told(store)
    story.add(Role.USER, Text("Forget the ptarmigan."))
    assert get(at, "/chat/sessions", q="ptarmigan")["matches"]
    folder = session_folder(at.services.config.data, "home", story.id)
    (made(folder).work / "notes").write_text("private")

    with at.client() as client:
        erased = client.delete(f"/chat/sessions/{story.id}")
        again = client.delete(f"/chat/sessions/{story.id}")

    assert (erased.status_code, erased.content, again.status_code) == (204, b"", 404)
    assert not get(at, "/chat/sessions", q="ptarmigan")["matches"]
    assert not folder.exists()


def test_a_turn_that_runs_is_stopped_when_its_session_is_erased(at: Scene, store: Store, model: Slow) -> None:
    ended: list[str] = []
    with at.client() as client:
        session = client.post("/chat", json={"message": "Hello!", "stream": False}).headers["x-session-id"]

        def take() -> None:
            ended.extend(event.type for event in at.frames(f"/chat/sessions/{session}/turns", {"message": "wait"}))

        thread = threading.Thread(target=take)
        thread.start()
        assert model.asked.wait(10)
        assert get(at, f"/chat/sessions/{session}")["running"] == [2]
        began = time.monotonic()
        erased = client.delete(f"/chat/sessions/{session}")
        took = time.monotonic() - began
        model.go.set()
        thread.join(10)

    assert erased.status_code == 204
    assert took < 4
    assert ended[-1] == "end"
    assert not store.project("home").has(session)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "?limit=0", None),
        ("GET", "?order=sideways", None),
        ("PATCH", "/{session}", {"title": "x" * 501}),
        ("PATCH", "/{session}", {"name": "x"}),
        ("GET", "/{session}/messages?limit=201", None),
        ("POST", "/{session}/hide", {"message_ids": []}),
        ("GET", "/{session}/context/steps/one", None),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_name_of_the_field(
    at: Scene, store: Store, method: str, path: str, body: dict[str, Any] | None
) -> None:
    session = Told(store).id
    with at.client() as client:
        answer = client.request(method, f"/chat/sessions{path.format(session=session)}", json=body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_input")


def test_half_of_a_surrogate_pair_in_a_title_becomes_a_whole_sign(at: Scene, store: Store) -> None:
    session = Told(store).id
    with at.client() as client:
        answer = client.patch(
            f"/chat/sessions/{session}",
            content=b'{"title": "half \\ud800"}',
            headers={"content-type": "application/json"},
        )

    assert answer.status_code == 200
    assert get(at, f"/chat/sessions/{session}")["title"] == "half \ufffd"
