"""The real conversation over HTTP: all of it, once, each message with how the model sees it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.history_scene import ENGINES, WINDOW, Told, all_messages, get, store_on, text_of
from tests.server.scene import Scene, scene
from unabridged.message import Origin, Role, Text
from unabridged.store import Store
from unabridged.testing import FakeProvider, Scripted

SIZES = st.sampled_from(["", " in few words", " stone river" * 40, " stone river" * 400])
TEXTS = st.builds("{}{}".format, st.sampled_from(["why", "Grüße 🌍", "a\x00b\\"]), SIZES)
ROUNDS = st.lists(
    st.tuples(TEXTS, st.lists(TEXTS, max_size=3), TEXTS, st.sampled_from([0, 0, 0, 1, 2])), min_size=4, max_size=16
)


@pytest.fixture(scope="module", params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with store_on(request.param, tmp_path_factory.mktemp("messages")) as opened:
        yield opened


@pytest.fixture(scope="module")
def at(store: Store) -> Iterator[Scene]:
    with scene(store, FakeProvider(Scripted([]), window=WINDOW)) as opened:
        yield opened


def told(store: Store, strategy: str, rounds: list[tuple[str, list[str], str, int]]) -> Told:
    """Tell a whole story, and fit once more what is asked last."""
    story = Told(store, strategy=strategy)
    for question, outputs, answer, refused in rounds:
        if refused:
            story.refuse(refused)
        story.round(question, outputs, answer)
    story.add(Role.USER, Text("And now?"))
    return story


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(rounds=ROUNDS, strategy=st.sampled_from(["trim", "summarize"]), limit=st.integers(1, 9), order=st.booleans())
def test_every_message_is_listed_once_as_it_was_said_and_stands_as_the_view_shows_it(
    store: Store,
    at: Scene,
    rounds: list[tuple[str, list[str], str, int]],
    strategy: str,
    limit: int,
    order: bool,
) -> None:
    story = told(store, strategy, rounds)
    view = story.talk.fit()
    shown = {item.source: item for item in view.items if item.source is not None}
    kept = {each.id for each in story.said if not each.refused}

    found = all_messages(at, story.id, limit=limit, order="asc" if order else "desc")
    if not order:
        found.reverse()

    assert [each["id"] for each in found] == [each.id for each in story.said]
    assert [text_of(each) for each in found] == [each.text for each in story.said]
    assert [each["seq"] for each in found] == sorted({each["seq"] for each in found})
    for each in found:
        state, id = each["context"]["state"], each["id"]
        assert (state == "refused") is (id not in kept)
        assert (state == "visible") is (id in shown and not shown[id].changed)
        assert (state == "truncated") is (id in shown and shown[id].changed)
        if state == "compacted":
            assert get(at, f"/chat/sessions/{story.id}/context")["checkpoint"]["summary"]
        if state == "truncated":
            assert each["context"]["cuts"]


def test_messages_stand_in_each_way_that_there_is(store: Store, at: Scene) -> None:
    cut = [(f"question {n}", ["stone river " * 300] * 2, "an answer " * 30, int(n == 3)) for n in range(6)]
    summed_up: list[tuple[str, list[str], str, int]] = [(f"question {n}", [], "river " * 400, 0) for n in range(20)]

    stories = told(store, "trim", cut), told(store, "summarize", summed_up)
    states = {each["context"]["state"] for story in stories for each in all_messages(at, story.id)}

    assert states == {"visible", "truncated", "compacted", "dropped", "refused"}


def test_a_text_that_no_provider_takes_comes_back_as_it_was(store: Store, at: Scene) -> None:
    story = told(store, "trim", [("half \ud800 of a pair", ["\udfff"], "two", 0)])

    assert [text_of(each) for each in all_messages(at, story.id)] == [each.text for each in story.said]


def test_a_page_ends_where_another_begins_in_either_direction(store: Store, at: Scene) -> None:
    story = told(store, "trim", [("one", ["x"], "two", 0), ("three", [], "four", 2), ("five", [], "six", 0)])
    ids = [each.id for each in story.said]
    path = f"/chat/sessions/{story.id}/messages"

    for place, id in enumerate(ids):
        behind = get(at, path, after=id, limit=3)
        assert [each["id"] for each in behind["messages"]] == ids[place + 1 : place + 4]
        assert behind["has_more"] is (len(ids) > place + 4)
        ahead = get(at, path, before=id, limit=3)
        assert [each["id"] for each in ahead["messages"]] == ids[max(0, place - 3) : place]
        assert ahead["has_more"] is (place > 3)
        older = get(at, path, after=id, limit=3, order="desc")
        assert [each["id"] for each in older["messages"]] == ids[max(0, place - 3) : place][::-1]
        newer = get(at, path, before=id, limit=3, order="desc")
        assert [each["id"] for each in newer["messages"]] == ids[place + 1 : place + 4][::-1]
        between = get(at, path, after=ids[0], before=id)
        assert [each["id"] for each in between["messages"]] == ids[1:place]


def test_what_nobody_typed_is_listed_with_who_made_it(store: Store, at: Scene) -> None:
    story = Told(store)
    story.add(Role.USER, Text("Fix it."))
    story.add(Role.USER, Text("<reminder>"), origin=Origin.INJECTED)
    story.add(Role.USER, Text("What came before."), origin=Origin.CLIENT_SUMMARY)

    found = all_messages(at, story.id)

    assert [each["origin"] for each in found] == ["human", "injected", "client_summary"]


def test_a_hidden_message_says_so_and_stands_where_it_stood(store: Store, at: Scene) -> None:
    story = told(store, "trim", [("one", [], "two", 0)])
    id = story.said[1].id
    with at.client() as client:
        hidden = client.post(f"/chat/sessions/{story.id}/hide", json={"message_ids": [id]})
        again = client.post(f"/chat/sessions/{story.id}/hide", json={"message_ids": [id]})

    assert hidden.json() == {"branch": "main", "changed": [id]}
    assert again.json() == {"branch": "main", "changed": []}
    assert [each["hidden"] for each in all_messages(at, story.id)] == [False, True, False]
    assert all(each["context"]["state"] == "visible" for each in all_messages(at, story.id))
    assert not [each for each in get(at, "/chat/sessions", q="two")["matches"] if each["session_id"] == story.id]

    with at.client() as client:
        shown = client.post(f"/chat/sessions/{story.id}/show", json={"message_ids": [id]})

    assert shown.json()["changed"] == [id]
    assert [each for each in get(at, "/chat/sessions", q="two")["matches"] if each["message_id"] == id]


def test_a_refused_message_says_why(store: Store, at: Scene) -> None:
    story = told(store, "trim", [("one", [], "two", 1)])

    (refused,) = [each for each in all_messages(at, story.id) if each["context"]["state"] == "refused"]

    assert "tokens" in refused["context"]["reason"]
