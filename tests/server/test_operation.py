"""Health, readiness, metrics and schemas over HTTP."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.server.operation_scene import Gated
from tests.server.scene import Scene, scene
from tests.shared import REPOSITORY
from tests.store.databases import OwnServer, own_server
from unabridged.report import Fallback, FitReason, Phase, Report, ResolvedBy, Usage
from unabridged.server import schema
from unabridged.server.caller import Scope
from unabridged.server.described import frames_schema
from unabridged.server.frames import (
    ApprovalFrame,
    ContextFrame,
    DeltaFrame,
    EndFrame,
    ErrorFrame,
    Frame,
    MessageFrame,
    ReasoningFrame,
    ResetFrame,
    SessionFrame,
    ToolCallFrame,
    ToolOutputFrame,
    ToolResultFrame,
    json_of,
)
from unabridged.store import open_store
from unabridged.testing.models import Failure, Scripted
from unabridged.testing.provider import FakeProvider

FULL = Report(
    phase=Phase.DONE,
    strategy="summarize",
    resolved_by=ResolvedBy.TRIM,
    reason=FitReason.THRESHOLD_EXCEEDED,
    fallback=Fallback.SUMMARIZER_TIMED_OUT,
    dropped=3,
    tokens_before=131_204,
    tokens_after=90_412,
    tokens_full=131_204,
    budget=96_000,
    window=128_000,
    target=80_000,
    summarizer_ms=45_002,
    summarizer_timeout_s=45,
    repairs=(("calls", 1),),
)
FRAMES: tuple[Frame, ...] = (
    ContextFrame(FULL),
    SessionFrame(session_id="s", turn=1, branch="main"),
    DeltaFrame("Hello"),
    ReasoningFrame("Well"),
    ToolCallFrame(call_id="c", name="read", arguments="{}", runs="server"),
    ToolOutputFrame("c", "line"),
    ToolResultFrame(call_id="c", name="read", is_error=False, text="line", characters=4),
    ApprovalFrame(call_id="c", name="read", arguments="{}", says="read a file"),
    MessageFrame(message_id="m", text="Hello"),
    ResetFrame(reason="worker_lost"),
    ErrorFrame(code="cannot_fit", message="too long"),
    EndFrame(status="completed", session_id="s", turn=1, usage=Usage(input=3), cost=0.1),
)


@contextlib.contextmanager
def served(place: str | Path = ":memory:", **config: Any) -> Generator[Scene]:
    with open_store(place) as store, scene(store, FakeProvider(Scripted([]), window=8_000), **config) as running:
        yield running


def asked(running: Scene, path: str, key: str | None = None, **headers: str) -> httpx2.Response:
    given = {**headers, **({"Authorization": f"Bearer {key}"} if key else {})}
    return httpx2.get(f"{running.url}{path}", headers=given, trust_env=False, timeout=30)


def test_health_and_readiness_need_no_key() -> None:
    with served() as running:
        assert asked(running, "/healthz").json() == {"status": "ok"}
        assert asked(running, "/readyz").json() == {"status": "ok"}


def test_it_is_not_ready_while_its_database_is_away_and_says_so_within_seconds() -> None:
    with own_server("readiness") as postgres, postgres.database() as url, served(url) as running:
        before = asked(running, "/readyz")
        with stopped(postgres):
            away = asked(running, "/readyz")
            alive = asked(running, "/healthz")

    assert before.status_code == 200
    assert (away.status_code, away.json()["error"]["code"]) == (503, "store_unavailable")
    assert away.elapsed.total_seconds() < 3
    assert alive.status_code == 200


@contextlib.contextmanager
def stopped(server: OwnServer) -> Generator[None]:
    server.stop("immediate")
    try:
        yield
    finally:
        server.start()


def test_metrics_are_for_admins() -> None:
    with served() as running:
        admin = running.key_of(Scope.ADMIN, project="")
        user = running.key_of(Scope.USER, owner="ada")
        answers = [asked(running, "/metrics", key).status_code for key in (None, "ub_nobody", user, running.key, admin)]

    assert answers == [401, 401, 403, 403, 200]


def test_metrics_are_for_anybody_where_the_configuration_says_so() -> None:
    with served(open_metrics=True) as running:
        assert asked(running, "/metrics").status_code == 200


def test_requests_are_counted_by_the_template_of_their_path() -> None:
    with served(open_metrics=True) as running:
        running.frames("/chat", {"message": "Hello"})
        for number in range(3):
            asked(running, f"/chat/sessions/s-{number}/turns/1", running.key)
        asked(running, "/somewhere/else")
        families = {each.name: each for each in text_string_to_metric_families(asked(running, "/metrics").text)}

    counted = {
        (sample.labels["route"], sample.labels["method"], sample.labels["status"]): sample.value
        for sample in families["unabridged_http_requests"].samples
    }
    assert counted == {
        ("/chat", "POST", "2xx"): 1,
        ("/chat/sessions/{session_id}/turns/{number}", "GET", "4xx"): 3,
        ("unmatched", "GET", "4xx"): 1,
    }
    assert families["process_resident_memory_bytes"].samples[0].value > 0


def test_turns_are_measured_as_they_run() -> None:
    model = Gated()
    with (
        open_store(":memory:") as store,
        scene(store, FakeProvider(model, window=8_000), open_metrics=True) as running,
        ThreadPoolExecutor(1) as beside,
    ):
        turn = beside.submit(running.frames, "/chat", {"message": "Hello"})
        assert model.asked.wait(20)
        meanwhile = measured(running)
        model.open.set()
        turn.result()
        after = measured(running)

    assert (meanwhile["turns_running"], meanwhile["streams_open"]) == (1, 1)
    assert (after["turns_running"], after["turns_started_total"], after["turns_ended_total"]) == (0, 1, 1)
    for name in ("first_frame_seconds", "first_token_seconds", "turn_seconds"):
        assert after[f"{name}_count"] == 1


def test_what_a_model_refuses_is_counted_by_its_kind() -> None:
    refusing = FakeProvider(Scripted([Failure(status=401, says="no", kind="authentication_error")]))
    with open_store(":memory:") as store, scene(store, refusing, open_metrics=True) as running:
        end = running.frames("/chat", {"message": "Hello"})[-1]
        counted = asked(running, "/metrics").text

    assert end.data["status"] == "failed"
    assert 'unabridged_model_errors_total{kind="other"} 1.0' in counted
    assert 'unabridged_turns_ended_total{project="home",status="failed"} 1.0' in counted


def measured(running: Scene) -> dict[str, float]:
    """Give the newest value of each metric, whatever its labels."""
    families = text_string_to_metric_families(asked(running, "/metrics").text)
    return {each.name.removeprefix("unabridged_"): each.value for family in families for each in family.samples}


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__name__)
def test_a_frame_is_what_the_schema_says(frame: Frame) -> None:
    jsonschema.Draft202012Validator(frames_schema()).validate(json_of(frame))


def test_the_schema_refuses_what_is_no_frame() -> None:
    known = jsonschema.Draft202012Validator(frames_schema())

    assert not known.is_valid({"type": "delta"})
    assert not known.is_valid({"type": "unheard_of", "text": "x"})
    assert not known.is_valid({**json_of(FRAMES[0]), "phase": "later"})
    assert not known.is_valid({"type": "context", "report": json_of(FRAMES[0])})


def test_a_turn_sends_what_the_schema_says() -> None:
    with served() as running:
        known = jsonschema.Draft202012Validator(asked(running, "/schemas/frames.json").json())
        frames = running.frames("/chat", {"message": "Hello"})

    assert [frame.type for frame in frames] == ["session", "delta", "message", "end"]
    for frame in frames:
        known.validate(frame.data)


@pytest.mark.parametrize("name", [schema.OPENAPI, schema.FRAMES])
def test_what_is_written_down_is_what_the_server_says(name: str) -> None:
    stored = (REPOSITORY / "docs" / name).read_text("utf-8")

    assert stored == schema.written()[name], "the API has changed: run `make openapi`"


def test_every_route_has_an_id_of_its_own_and_says_its_errors_in_the_one_form() -> None:
    with served() as running:
        api = asked(running, "/openapi.json").json()
        problem = asked(running, "/chat/sessions/none/turns/1", running.key).json()
    operations = [operation for path in api["paths"].values() for operation in path.values()]

    ids = [operation["operationId"] for operation in operations]
    assert len(set(ids)) == len(ids)
    assert all(id.isidentifier() for id in ids)
    form = {"$ref": "#/components/schemas/ErrorBody"}
    for operation in operations:
        errors = {status: said for status, said in operation["responses"].items() if status[0] in "45d"}
        assert "default" in errors
        assert all(said["content"]["application/json"]["schema"] == form for said in errors.values())
    jsonschema.Draft202012Validator({**form, "components": api["components"]}).validate(problem)


def test_every_route_but_those_of_operation_needs_the_declared_key() -> None:
    api = json.loads(schema.written()[schema.OPENAPI])
    (scheme,) = api["components"]["securitySchemes"]
    free = [
        path
        for path, operations in api["paths"].items()
        for operation in operations.values()
        if {scheme: []} not in operation.get("security", [])
    ]

    assert api["components"]["securitySchemes"][scheme]["scheme"] == "bearer"
    assert free == ["/healthz", "/readyz", "/schemas/frames.json"]
