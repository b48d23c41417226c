"""What the model sees, over HTTP: now, then, and why; and a compaction taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.history_scene import ENGINES, WINDOW, Told, all_messages, get, store_on, text_of
from tests.server.scene import Scene, scene
from unabridged.message import Message, Opaque, Origin, Raw, Reasoning, Role, Text
from unabridged.server.caller import Scope
from unabridged.store import Store
from unabridged.testing import Asked, FakeProvider, Reply

SYSTEM = "You keep secrets of the house."
THOUGHT = "what nobody is to read"
SUMMARY = "Stones of granite were counted at the river, one after the other, and each got its number. " * 3


class Chatting:
    """A model that sums up where it is asked to, and else has little to say."""

    def reply(self, asked: Asked) -> Reply:
        sums_up = "minutes of conversations" in json.dumps(asked.body["messages"][0])
        return Reply(text=SUMMARY if sums_up else "Done.")


@pytest.fixture(scope="module", params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with store_on(request.param, tmp_path_factory.mktemp("context")) as opened:
        yield opened


@pytest.fixture(scope="module")
def at(store: Store) -> Iterator[Scene]:
    policy = {"strategy": "summarize", "summarizerTimeoutS": 5}
    with scene(
        store, FakeProvider(Chatting(), window=WINDOW), {"system": SYSTEM, "policy": policy, "maxOutputTokens": 200}
    ) as opened:
        yield opened


def say(at: Scene, text: str, session: str | None = None) -> tuple[str, dict[str, Any]]:
    """Take a turn, and give the session with how it ended."""
    path = f"/chat/sessions/{session}/turns" if session else "/chat"
    with at.client() as client:
        answer = client.post(path, json={"message": text, "stream": False})
    assert answer.status_code == 200, answer.text
    return answer.headers["x-session-id"], answer.json()


def compacted(at: Scene) -> tuple[str, list[dict[str, Any]]]:
    """Talk until something had to go; give the session, and the reports of the turn in which it did."""
    session, _ = say(at, "The task: count stones.")
    for number in range(30):
        _, end = say(at, f"Stone {number}: " + "granite and river " * 60, session)
        done = [report for report in end["context"] if report["phase"] == "done"]
        if done:
            return session, done
    raise AssertionError("nothing ever had to go")


def test_the_present_view_is_what_the_model_was_shown(at: Scene) -> None:
    session, _ = say(at, "Hello!")
    _, end = say(at, "And again.", session)

    seen = get(at, f"/chat/sessions/{session}/context")

    assert [text_of(each) for each in seen["items"]] == ["Hello!", "Done.", "And again.", "Done."]
    assert (seen["messages"], seen["checkpoint"], seen["reports"], seen["model"]) == (4, None, [], "chat")
    assert 0 < end["usage"]["input"] < seen["tokens"] == seen["tokens_full"] < seen["budget"] < seen["window"] == WINDOW


def test_the_view_after_a_compaction_says_what_stands_for_what(at: Scene) -> None:
    session, (report,) = compacted(at)

    seen = get(at, f"/chat/sessions/{session}/context")

    assert [item["kind"] for item in seen["items"]].count("summary") == 1
    assert seen["checkpoint"]["summary"]
    assert seen["checkpoint"]["strategy"] == "summarize"
    assert seen["reports"][0]["report"] == {name: value for name, value in report.items() if name != "type"}
    assert seen["tokens"] < seen["budget"] < seen["tokens_full"]
    messages = all_messages(at, session)
    assert seen["messages"] == len(messages)
    kept = {item["id"] for item in seen["items"] if item["id"]}
    assert kept == {each["id"] for each in messages if each["context"]["state"] in ("visible", "truncated")}


def test_each_request_can_be_made_again_byte_for_byte(at: Scene) -> None:
    before = len(at.provider.served)
    session, _ = compacted(at)
    asked = [json.dumps(served.body["messages"]) for served in at.provider.served[before:]]

    steps = get(at, f"/chat/sessions/{session}/context/steps", limit=200)

    assert steps["total"] == len(steps["steps"])
    for outline in steps["steps"]:
        step = get(at, f"/chat/sessions/{session}/context/steps/{outline['number']}", raw="true")
        system, *_ = json.loads(step["request"])["messages"]
        assert system == {"role": "system", "content": SYSTEM}
        assert json.dumps([system, *map(json.loads, step["texts"])]) in asked
        assert step["usage"] == outline["usage"]
        assert len(step["items"]) == len(step["texts"])
    page = get(at, f"/chat/sessions/{session}/context/steps", after=1, limit=2)
    assert ([each["number"] for each in page["steps"]], page["has_more"]) == ([2, 3], True)
    with at.client() as client:
        assert client.get(f"/chat/sessions/{session}/context/steps/999").status_code == 404


def test_every_decision_on_a_message_is_told(at: Scene) -> None:
    session, _ = compacted(at)
    first, *others = all_messages(at, session)
    second = next(each for each in others if each["context"]["state"] == "compacted")

    task = get(at, f"/chat/sessions/{session}/context/why/{first['id']}")
    gone = get(at, f"/chat/sessions/{session}/context/why/{second['id']}")

    assert (task["number"], task["context"]["state"], task["in_view"], task["changed"]) == (1, "visible", True, False)
    assert (gone["context"]["state"], gone["in_view"]) == ("compacted", False)
    assert gone["decisions"][-1]["verdict"] == "compact"
    assert gone["decisions"][-1]["reason"] == second["context"]["reason"] == "summarized"
    assert gone["number"] == 1 + [each["id"] for each in (first, *others)].index(second["id"])


def test_a_compaction_is_taken_back_and_the_next_turn_plans_anew(at: Scene) -> None:
    session, _ = compacted(at)
    path = f"/chat/sessions/{session}/context"
    in_force = get(at, path)["checkpoint"]["id"]

    with at.client() as client:
        undone = client.post(f"{path}/undo").json()
        again = client.post(f"{path}/undo").json()

    assert (undone["checkpoint"], again["checkpoint"]) == (in_force, None)
    assert {each["context"]["state"] for each in all_messages(at, session)} == {"visible"}
    assert get(at, path)["checkpoint"] is None
    _, end = say(at, "Go on.", session)
    assert end["status"] == "completed"
    assert [report["phase"] for report in end["context"]][-1] == "done"
    assert get(at, path)["checkpoint"]["id"] != in_force


def test_nothing_is_taken_back_while_a_turn_runs(at: Scene, store: Store) -> None:
    session, _ = compacted(at)
    with store.project("home").open(session).turn(), at.client() as client:
        refused = client.post(f"/chat/sessions/{session}/context/undo")

    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "session_busy")
    assert get(at, f"/chat/sessions/{session}/context")["checkpoint"] is not None


@pytest.fixture
def thoughtful(store: Store) -> str:
    story = Told(store)
    story.add(Role.USER, Text("Why?"))
    story.talk.fit()
    raw = Raw("openai_chat", json.dumps({"role": "assistant", "content": "Because.", "raw_form": "of a provider"}))
    parts = (Reasoning(THOUGHT, "a signature"), Opaque("provider_item", '{"of": "a provider"}'), Text("Because."))
    story.talk.add(Message(id="m-thought", role=Role.ASSISTANT, origin=Origin.MODEL, parts=parts, raw=raw))
    story.add(Role.USER, Text("Really?"))
    story.talk.fit()
    return story.id


def test_thoughts_are_shown_where_the_project_wants_it_and_a_providers_own_form_nowhere(
    at: Scene, store: Store, thoughtful: str
) -> None:
    paths = ("messages", "context", "context/steps/-1", "context/why/m-thought")
    with at.client() as client:
        answers = [client.get(f"/chat/sessions/{thoughtful}/{path}") for path in paths]
    for answer in answers:
        assert answer.status_code == 200
        for secret in (THOUGHT, "a signature", "raw_form", "of a provider", SYSTEM):
            assert secret not in answer.text
    assert [part["type"] for part in all_messages(at, thoughtful)[1]["parts"]] == ["other", "text"]

    with at.client() as client:
        client.patch("/project/settings", json={"showReasoning": True}).raise_for_status()
        shown = all_messages(at, thoughtful)[1]["parts"]
        client.patch("/project/settings", json={"showReasoning": False}).raise_for_status()
    assert shown[0] == {"type": "reasoning", "text": THOUGHT, "redacted": False}


def test_what_end_users_are_not_shown_is_not_in_the_bytes_they_get(at: Scene, store: Store) -> None:
    story = Told(store, owner="ann")
    story.add(Role.USER, Text("Hello."))
    story.talk.fit()
    key = at.key_of(Scope.USER, owner="ann")

    with at.client(key) as client:
        raw = client.get(f"/chat/sessions/{story.id}/context/steps/1", params={"raw": True})
        export = client.get(f"/chat/sessions/{story.id}/export")

    assert (raw.status_code, export.status_code) == (403, 403)
    step = get(at, f"/chat/sessions/{story.id}/context/steps/1", key)
    assert (step["texts"], step["request"]) == (None, None)
    assert [text_of(each) for each in step["items"]] == ["Hello."]
