"""What the metrics say of frames, as Prometheus reads them."""

from __future__ import annotations

import logging
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from tests.server.test_operation import FULL
from tests.shared import REPOSITORY
from unabridged.report import Phase, Report
from unabridged.server.frames import ContextFrame, DeltaFrame, EndFrame, ErrorFrame, SessionFrame
from unabridged.server.metrics import MOST_PROJECTS, Metrics

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(metrics: Metrics) -> Samples:
    families = text_string_to_metric_families(metrics.text().decode())
    return {
        (sample.name.removeprefix("unabridged_"), tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return samples(metrics)[name, tuple(sorted(labels.items()))]


def end(status: str = "completed") -> EndFrame:
    return EndFrame(status=status, session_id="s", turn=1)


def test_a_turn_is_counted_from_its_beginning_to_its_end() -> None:
    metrics = Metrics()
    meter = metrics.turn_began("home", "s")
    running = value(metrics, "turns_running")
    for frame in (SessionFrame(session_id="s", turn=1, branch="main"), DeltaFrame("Hel"), DeltaFrame("lo"), end()):
        meter.frame(frame)

    assert running == 1
    assert value(metrics, "turns_running") == 0
    assert value(metrics, "turns_started_total", project="home") == 1
    assert value(metrics, "turns_ended_total", project="home", status="completed") == 1
    for name in ("first_frame_seconds", "first_token_seconds", "turn_seconds"):
        assert value(metrics, f"{name}_count") == 1


def test_a_turn_that_another_worker_began_is_not_counted_as_a_new_one() -> None:
    metrics = Metrics()
    metrics.turn_began("home", adopted=True).frame(end("stopped"))

    assert ("turns_started_total", (("project", "home"),)) not in samples(metrics)
    assert value(metrics, "turns_adopted_total") == 1
    assert value(metrics, "turns_ended_total", project="home", status="stopped") == 1


def test_a_turn_that_goes_on_elsewhere_runs_here_no_more() -> None:
    metrics = Metrics()
    metrics.turn_began("home")
    metrics.turn_left()

    assert value(metrics, "turns_running") == 0


def test_a_fit_is_counted_by_what_it_came_to() -> None:
    metrics = Metrics()
    compacting = msgspec.structs.replace(FULL, phase=Phase.COMPACTING, summarizer_ms=None, fallback=None)
    metrics.frame("home", ContextFrame(compacting))
    metrics.frame("home", ContextFrame(msgspec.structs.replace(FULL, archived=3)))

    done = {"phase": "done", "strategy": "summarize", "resolved_by": "trim", "fallback": "summarizer_timed_out"}
    assert value(metrics, "fits_total", project="home", **done) == 1
    assert value(metrics, "fits_total", project="home", **{**done, "phase": "compacting", "fallback": ""}) == 1
    assert value(metrics, "fit_tokens_before_sum") == FULL.tokens_before
    assert value(metrics, "fit_tokens_after_sum") == FULL.tokens_after
    assert value(metrics, "archived_total") == 3
    assert value(metrics, "summarizer_seconds_sum") == pytest.approx(45.002)


@pytest.mark.parametrize(("ms", "is_slow"), [(35_999, False), (36_000, False), (36_001, True), (45_002, True)])
def test_a_summary_that_took_over_80_percent_of_its_limit_is_counted_and_logged(
    caplog: pytest.LogCaptureFixture, ms: int, is_slow: bool
) -> None:
    metrics = Metrics()
    report = msgspec.structs.replace(FULL, summarizer_ms=ms, summary_model="small")
    with caplog.at_level(logging.WARNING, "unabridged.server"):
        metrics.frame("home", ContextFrame(report), "s-1")

    assert value(metrics, "summarizer_nearly_timed_out_total") == is_slow
    said = f"the summary of session s-1 by small took {ms} ms of the 45 s that it may take"
    assert caplog.messages == ([said] if is_slow else [])


def test_errors_are_counted_by_kind() -> None:
    metrics = Metrics()
    for code in ("model_overflow", "model_rate_limit", "model_overflow", "model_unheard_of", "session_busy"):
        metrics.frame("home", ErrorFrame(code=code, message=""))
    metrics.store_error("full")

    kinds = {
        labels[0][1]: number for (name, labels), number in samples(metrics).items() if name == "model_errors_total"
    }
    assert kinds == {"overflow": 2, "rate_limit": 1, "other": 1}
    assert value(metrics, "store_errors_total", fault="full") == 1


def test_open_streams_are_counted() -> None:
    metrics = Metrics()
    metrics.stream_opened()
    metrics.stream_opened()
    metrics.stream_closed()

    assert value(metrics, "streams_open") == 1


@given(
    st.lists(st.text(min_size=1, max_size=20), min_size=MOST_PROJECTS, max_size=200),
    st.lists(st.text(max_size=10), max_size=30),
)
def test_however_many_names_there_are_the_labels_stay_few(projects: list[str], words: list[str]) -> None:
    metrics = Metrics()
    for project in projects:
        metrics.turn_began(project, project).frame(end())
    for word in words:
        metrics.turn_began("home").frame(end(word))
        metrics.frame("home", ErrorFrame(code=f"model_{word}", message=word))
        metrics.request("/chat", word, 200, 0.1)
    found = samples(metrics)

    assert len({labels for name, labels in found if name == "turns_started_total"}) <= MOST_PROJECTS + 1
    assert sum(number for (name, _), number in found.items() if name == "turns_started_total") == len(projects + words)
    assert len({dict(labels)["status"] for name, labels in found if name == "turns_ended_total"}) <= 7
    assert len({labels for name, labels in found if name == "http_requests_total"}) <= 8


def test_a_report_of_another_kind_is_counted_too() -> None:
    metrics = Metrics()
    metrics.frame("home", ContextFrame(Report(**{**msgspec.structs.asdict(FULL), "strategy": "own", "fallback": None})))

    how = {"phase": "done", "strategy": "own", "resolved_by": "trim", "fallback": ""}
    assert value(metrics, "fits_total", project="home", **how) == 1


def test_the_documentation_names_every_metric_and_no_other() -> None:
    page = (REPOSITORY / "docs" / "server-operation.md").read_text("utf-8")
    named = set(re.findall(r"`(unabridged_\w+)`", page))
    families = text_string_to_metric_families(Metrics().text().decode())
    made = {each.name + ("_total" if each.type == "counter" else "") for each in families}

    assert named == {name for name in made if not name.startswith("process_")}
