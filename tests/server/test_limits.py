"""Limits: no minute has more turns than it may, no day goes on once it is used up, whoever counts."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.server.project_scene import admin, owner, refused, said, served
from tests.server.scene import Scene, scene
from tests.shared import REPOSITORY
from unabridged.server.caller import Caller, Scope
from unabridged.server.limits import Meters
from unabridged.server.problems import ApiError
from unabridged.server.projects import Projects, Tenant
from unabridged.server.settings import Limits, ProjectSettings
from unabridged.store import Store, open_store
from unabridged.testing import Call, FakeProvider, Reply, Scripted

__all__ = ["admin", "owner", "served"]
SETTINGS = "/project/settings"
NOON = 1_800_000_000 // 86_400 * 86_400 + 43_200


def tenant_of(
    store: Store, settings: ProjectSettings, *, key: str = "k", owner: str | None = None, **limits: Any
) -> Tenant:
    scope = Scope.USER if owner is not None else Scope.PROJECT
    caller = Caller(key=key, scope=scope, project="home", owner=owner, limits=Limits(**limits))
    return Tenant(caller, store.project("home", owner=owner), settings, 1)


class Clock:
    """A time that goes on when the test says so."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def begins(meters: Meters, tenant: Tenant) -> int:
    """Begin a turn: 0, or after how many seconds it may be tried again."""
    try:
        meters.begin(tenant)
    except ApiError as error:
        refusal = error
    else:
        return 0
    assert (refusal.status, refusal.code) == (429, "rate_limited")
    return int(refusal.headers["Retry-After"])


PAUSES = st.one_of(st.just(0.0), st.floats(0, 3), st.floats(59, 61), st.floats(0, 130))
WHO = st.sampled_from([("k", None), ("k", "ann"), ("m", "ann"), ("m", "bob")])


@given(
    asked=st.lists(st.tuples(PAUSES, WHO), max_size=60),
    start=st.floats(0, 60),
    project=st.integers(0, 6),
    user=st.integers(0, 4),
    key=st.integers(0, 3),
)
@example(asked=[(0.0, ("k", None)), (59.6, ("k", None))], start=0.5, project=1, user=1, key=1)
def test_no_minute_has_more_turns_than_any_limit_says(
    asked: list[tuple[float, tuple[str, str | None]]], start: float, project: int, user: int, key: int
) -> None:
    settings = ProjectSettings(limits=Limits(turns_per_minute=project), user_limits=Limits(turns_per_minute=user))
    limits = {"project": project, "user": user, "key": key}
    begun: list[tuple[float, dict[str, str]]] = []
    with open_store(":memory:") as store:
        clock = Clock(NOON + start)
        meters = Meters(store.database, clock=clock)
        for pause, (id, owner) in asked:
            clock.now += pause
            mine = {"project": "home", "key": id} | ({"user": owner} if owner is not None else {})
            tenant = tenant_of(store, settings, key=id, owner=owner, turns_per_minute=key)

            wait = begins(meters, tenant)

            def within(seconds: float, kind: str, name: str) -> int:
                return sum(clock.now - at < seconds and who.get(kind) == name for at, who in begun)

            if wait == 0:
                begun.append((clock.now, mine))
                for kind, name in mine.items():
                    assert within(60, kind, name) <= limits[kind]
            else:
                assert 1 <= wait <= 61
                assert any(within(62, kind, name) >= limits[kind] for kind, name in mine.items())


@given(st.lists(st.floats(0, 20), min_size=1, max_size=40), st.integers(1, 5))
def test_who_waits_as_long_as_he_is_told_may_begin(pauses: list[float], most: int) -> None:
    settings = ProjectSettings(limits=Limits(turns_per_minute=most))
    with open_store(":memory:") as store:
        clock = Clock()
        meters, tenant = Meters(store.database, clock=clock), tenant_of(store, settings)
        for pause in pauses:
            clock.now += pause
            wait = begins(meters, tenant)
            if wait > 0:
                clock.now += wait
                assert begins(meters, tenant) == 0


def counting(place: str, users: int) -> subprocess.Popen[str]:
    """Another process that begins a turn for each of so many end users."""
    command = [sys.executable, "-m", "tests.server.limit_worker", place, str(users)]
    return subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_processes_share_one_meter(place: str) -> None:
    with open_store(place) as store:
        settings = ProjectSettings(limits=Limits(turns_per_minute=30), user_limits=Limits(turns_per_minute=1))
        Projects(store).create("home", settings)
        workers = [counting(place, 40) for _ in range(4)]
        for worker in workers:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        begun = [user for worker in workers for user in worker.communicate()[0].split()]

        assert len(begun) == 30
        assert len(set(begun)) == 30
        usage = Meters(store.database).usage("home", 1)[0]
        assert (usage.turns, usage.tokens, usage.cost) == (30, 3_000, pytest.approx(7.5))


def test_a_refused_turn_says_when_to_try_again_and_begins_nothing(served: Scene, owner: httpx2.Client) -> None:
    said(owner.patch(SETTINGS, json={"limits": {"turnsPerMinute": 2}}))
    body = {"message": "Hello", "stream": False}
    key = {"Idempotency-Key": "once"}
    first = owner.post("/chat", json=body, headers=key)
    session = said(first)["session_id"]
    said(owner.post(f"/chat/sessions/{session}/turns", json=body))

    answer = owner.post("/chat", json={**body, "session_id": "mine"})

    sentence = refused(answer, 429, "rate_limited")
    assert 1 <= int(answer.headers["Retry-After"]) <= 61
    assert f"try again in {answer.headers['Retry-After']} s" in sentence
    assert not served.services.store.project("home").has("mine")
    assert said(owner.post("/chat", json=body, headers=key))["session_id"] == session
    assert said(owner.get("/project/usage"))["items"][0]["turns"] == 2


def test_each_end_user_has_a_limit_of_their_own_over_all_their_keys(served: Scene, owner: httpx2.Client) -> None:
    said(owner.patch(SETTINGS, json={"userLimits": {"turnsPerMinute": 1}}))
    body = {"message": "Hello", "stream": False}
    codes: list[int] = []
    for user in ("ann", "ann", "bob"):
        with served.client(served.key_of(Scope.USER, owner=user)) as client:
            codes.append(client.post("/chat", json=body).status_code)

    assert codes == [200, 429, 200]
    assert owner.post("/chat", json=body).status_code == 200


def test_a_key_has_a_limit_of_its_own(served: Scene, owner: httpx2.Client) -> None:
    limits = {"turnsPerMinute": 1}
    made = said(owner.post("/project/keys", json={"scope": "project", "limits": limits}), 201)
    body = {"message": "Hello", "stream": False}
    with served.client(made["key"]) as client:
        said(client.post("/chat", json=body))
        assert "this API key" in refused(client.post("/chat", json=body), 429, "rate_limited")
    said(owner.post("/chat", json=body))


def test_what_answers_took_is_counted_and_ends_the_day(owner: httpx2.Client) -> None:
    said(owner.patch(SETTINGS, json={"limits": {"tokensPerDay": 10}}))
    end = said(owner.post("/chat", json={"message": "Hello", "stream": False}))
    used = end["usage"]["input"] + end["usage"]["output"]
    assert (end["status"], said(owner.get("/project/usage"))["items"][0]["tokens"]) == ("completed", used)

    answer = owner.post(f"/chat/sessions/{end['session_id']}/turns", json={"message": "More"})

    assert "10 tokens a day" in refused(answer, 429, "token_limit")
    assert 1 <= int(answer.headers["Retry-After"]) <= 86_400
    said(owner.patch(SETTINGS, json={"limits": None}))
    assert owner.post(f"/chat/sessions/{end['session_id']}/turns", json={"message": "More"}).status_code == 200


@pytest.mark.parametrize(
    ("limits", "code"), [({"tokens_per_day": 100}, "token_limit"), ({"spend_per_day": 0.5}, "spend_limit")]
)
def test_a_limit_of_a_day_stops_a_turn_between_its_steps_until_the_day_is_over(
    place: str, limits: dict[str, Any], code: str
) -> None:
    with open_store(place) as store:
        clock = Clock()
        meters = Meters(store.database, clock=clock)
        tenant = tenant_of(store, ProjectSettings(user_limits=Limits(**limits)), owner="ann")
        other = tenant_of(store, tenant.settings, owner="bob")
        meters.begin(tenant)
        meters.spent(tenant, 60, 0.3, turns=1)
        assert meters.check(tenant) is None
        meters.spent(tenant, 60, 0.3)

        reached = meters.check(tenant)

        assert reached is not None
        assert reached.code == code
        with pytest.raises(ApiError) as refusal:
            meters.begin(tenant)
        assert (refusal.value.code, refusal.value.headers["Retry-After"]) == (code, "43200")
        assert meters.check(other) is None
        clock.now += 43_200
        assert meters.check(tenant) is None
        meters.begin(tenant)
        used = [(day.turns, day.tokens, day.cost) for day in meters.usage("home", 3)]
        assert used == [(0, 0, 0), (1, 120, 0.6), (0, 0, 0)]


def test_no_owner_is_taken_for_another_project_or_another_thing_that_is_counted(place: str) -> None:
    with open_store(place) as store:
        settings = ProjectSettings(user_limits=Limits(turns_per_minute=1))
        meters = Meters(store.database, clock=Clock())
        for owner in ("ann", "ann ", "turns ann", "tokens home ann", "home ann", "ä|%_'"):
            tenant = tenant_of(store, settings, owner=owner)
            assert begins(meters, tenant) == 0
            assert begins(meters, tenant) > 0


def test_what_nothing_counts_any_more_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unabridged.server.limits.CLEAN_S", 0.0)
    limits = Limits(turns_per_minute=9)
    with open_store(tmp_path / "server.db") as store:
        clock = Clock()
        meters = Meters(store.database, clock=clock)
        settings = ProjectSettings(limits=limits, user_limits=limits)
        for number in range(20):
            tenant = tenant_of(store, settings, owner=f"user {number}", turns_per_minute=9)
            clock.now += 3_600
            meters.begin(tenant)
            meters.spent(tenant, 10, 0.1, turns=1)
            meters.flush()
        clock.now += 3 * 86_400
        meters.spent(tenant_of(store, ProjectSettings()), 10, 0.1, turns=1)
        meters.flush()

        left = {name for (name,) in store.database.rows("SELECT DISTINCT name FROM meters")}
        assert left == {"project turns home", "project tokens home", "project cost home", "key tokens k", "key cost k"}
        assert sum(day.turns for day in meters.usage("home", 7)) == 21


def test_a_turn_that_reaches_a_limit_between_its_steps_ends_there(place: str) -> None:
    provider = FakeProvider(Scripted([Reply(calls=(Call("nothing_like_it", "{}"),)), "Never said."]))
    limits = {"limits": {"tokensPerDay": 1}}
    with open_store(place) as store, scene(store, provider, limits) as served, served.client() as client:
        frames = served.frames("/chat", {"message": "Hello"})
        usage = said(client.get("/project/usage"))["items"][0]

    end = frames[-1].data
    assert [frame.type for frame in frames][-2:] == ["error", "end"]
    assert (end["status"], end["error"]["code"], end["steps"]) == ("limit", "token_limit", 1)
    assert (usage["turns"], usage["tokens"]) == (1, end["usage"]["input"] + end["usage"]["output"])


def test_what_summaries_take_is_counted_too(place: str) -> None:
    summary = "All of it was about words, nothing was decided, and nothing is left to do."
    provider, settings = FakeProvider(Scripted([summary] * 20), window=4_000), {"policy": {"strategy": "summarize"}}
    with open_store(place) as store, scene(store, provider, settings) as served, served.client() as client:
        answers = [said(client.post("/chat", json={"message": "Begin.", "stream": False}))]
        turns = f"/chat/sessions/{answers[0]['session_id']}/turns"
        while not any(report["phase"] == "done" for report in answers[-1]["context"]):
            assert len(answers) < 15
            answers.append(said(client.post(turns, json={"message": "word " * 500, "stream": False})))
        usage = said(client.get("/project/usage"))["items"][0]

    assert usage["turns"] == len(answers)
    assert answers[-1]["context"][-1]["resolved_by"] == "summarize"
    answered = sum(each["usage"]["input"] + each["usage"]["output"] for each in answers)
    assert usage["tokens"] > answered


def test_who_asks_while_another_thread_stores_is_told_all_of_it(place: str) -> None:
    with open_store(place) as store:
        meters, tenant, stop = Meters(store.database), tenant_of(store, ProjectSettings()), threading.Event()

        def keep() -> None:
            while not stop.is_set():
                meters.flush()

        keeper = threading.Thread(target=keep)
        keeper.start()
        try:
            told = []
            for number in range(100):
                meters.spent(tenant, 1, None, turns=1)
                time.sleep(number * 0.00002)  # so that it is being stored now, in some of the rounds
                told.append(meters.usage("home", 1)[0].turns)
        finally:
            stop.set()
            keeper.join()

    assert told == list(range(1, 101))
