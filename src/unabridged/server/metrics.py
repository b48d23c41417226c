"""Metrics for Prometheus. Labels are bounded: no session, no user, and of projects the first fifty by name.

    meter = metrics.turn_began("home", session)     # a turn runs
    meter.frame(frame)                               # each of its frames; the last one ends it

Where several processes serve, `PROMETHEUS_MULTIPROC_DIR` names a folder in which they add theirs up.
"""

from __future__ import annotations

import logging
import os
import threading
import time

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.process_collector import ProcessCollector

from unabridged.models.refusal.meaning import ErrorKind
from unabridged.report import Phase, Report
from unabridged.server.frames import ContextFrame, DeltaFrame, EndFrame, ErrorFrame, Frame

LOG = logging.getLogger("unabridged.server")
SHARED = "PROMETHEUS_MULTIPROC_DIR"
MOST_PROJECTS = 50
OTHER = "other"
NEARLY = 0.8
"""From this share of its limit on, a summary is said to be nearly too slow."""
_STATUSES = ("completed", "awaiting_tools", "awaiting_approval", "stopped", "failed", "limit")
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
_TOKENS = tuple(1_000 * 2**power for power in range(12))
_MODEL_ERROR = "model_"


class Metrics:
    """All that is counted in one process."""

    def __init__(self) -> None:
        disable_created_metrics()  # as many series again, and each says when this process began
        self._registry = CollectorRegistry()
        self._projects: set[str] = set()
        self._naming = threading.Lock()
        if SHARED not in os.environ:
            ProcessCollector(registry=self._registry)
        self._count_turns()
        self._count_fits()
        self._count_faults()

    def _count_turns(self) -> None:
        self._began = self._counter("turns_started", "Turns that began.", "project")
        self._ended = self._counter("turns_ended", "Turns that ended.", "project", "status")
        self._running = self._gauge("turns_running", "Turns that run, or wait for their session.")
        self._streams = self._gauge("streams_open", "Event streams that somebody reads.")
        self._first_frame = self._histogram("first_frame_seconds", "From the beginning of a turn to its first frame.")
        self._first_token = self._histogram("first_token_seconds", "From the beginning of a turn to its first word.")
        self._turn = self._histogram("turn_seconds", "How long turns took.")
        self._adopted = self._counter("turns_adopted", "Turns of dead workers that went on here.")

    def _count_fits(self) -> None:
        how = ("project", "phase", "strategy", "resolved_by", "fallback")
        self._fits = self._counter("fits", "Fits of a conversation into a window.", *how)
        self._before = self._histogram("fit_tokens_before", "Tokens of requests before a fit.", buckets=_TOKENS)
        self._after = self._histogram("fit_tokens_after", "Tokens of requests after a fit.", buckets=_TOKENS)
        self._summarizer = self._histogram("summarizer_seconds", "How long summaries took, or were waited for.")
        slow = f"Summaries that took more than {NEARLY:.0%} of what they may take."
        self._slow = self._counter("summarizer_nearly_timed_out", slow)
        self._archived = self._counter("archived", "Messages that left a view and went into an archive.")

    def _count_faults(self) -> None:
        self._model_errors = self._counter("model_errors", "Turns that a model's error ended.", "kind")
        self._store_errors = self._counter("store_errors", "Errors of the database.", "fault")
        self._requests = self._counter("http_requests", "Requests.", "route", "method", "status")
        self._answers = self._histogram("http_answer_seconds", "From a request to the first byte of its answer.")

    def turn_began(self, project: str, session: str = "", *, adopted: bool = False) -> TurnMeter:
        """Note that a turn runs here, and give what its frames are shown to."""
        if adopted:
            self.adopted()
        else:
            self._began.labels(self._name(project)).inc()
        self._running.inc()
        return TurnMeter(self, project, session)

    def turn_left(self) -> None:
        """Note that a turn does not run here any more, and did not end either."""
        self._running.dec()

    def frame(self, project: str, frame: Frame, session: str = "") -> None:
        """Count what a frame says of a fit, of an error, of the end."""
        match frame:
            case ContextFrame(report):
                self._fit(project, report, session)
            case ErrorFrame(code=code) if code.startswith(_MODEL_ERROR):
                kind = code.removeprefix(_MODEL_ERROR)
                self._model_errors.labels(kind if kind in set(ErrorKind) else OTHER).inc()
            case EndFrame(status=status):
                self._ended.labels(self._name(project), status if status in _STATUSES else OTHER).inc()
                self._running.dec()
            case _:
                pass

    def _fit(self, project: str, report: Report, session: str) -> None:
        fallback = report.fallback.value if report.fallback is not None else ""
        how = (report.phase.value, report.strategy, report.resolved_by.value, fallback)
        self._fits.labels(self._name(project), *how).inc()
        if report.phase is Phase.COMPACTING:
            return
        self._before.observe(report.tokens_before)
        self._after.observe(report.tokens_after)
        self._archived.inc(report.archived)
        ms, limit = report.summarizer_ms, report.summarizer_timeout_s
        if ms is None:
            return
        self._summarizer.observe(ms / 1_000)
        if limit and ms > NEARLY * 1_000 * limit:
            self._slow.inc()
            said = "the summary of session %s by %s took %d ms of the %g s that it may take"
            LOG.warning(said, session or "?", report.summary_model or report.model, ms, limit)

    def first_frame(self, seconds: float) -> None:
        """Note how long a turn took to its first frame."""
        self._first_frame.observe(seconds)

    def first_token(self, seconds: float) -> None:
        """Note how long a turn took to the first word of its answer."""
        self._first_token.observe(seconds)

    def turn_took(self, seconds: float) -> None:
        """Note how long a turn took."""
        self._turn.observe(seconds)

    def adopted(self) -> None:
        """Note that a turn of a dead worker goes on here."""
        self._adopted.inc()

    def stream_opened(self) -> None:
        """Note that somebody begins to read an event stream."""
        self._streams.inc()

    def stream_closed(self) -> None:
        """Note that somebody reads it no longer."""
        self._streams.dec()

    def store_error(self, fault: str) -> None:
        """Note that the database could not do what it was asked."""
        self._store_errors.labels(fault).inc()

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Note a request. `route` is the template of its path; `seconds` went by until its answer began."""
        known = method if method in _METHODS else OTHER
        self._requests.labels(route, known, f"{status // 100}xx").inc()
        self._answers.observe(seconds)

    def text(self) -> bytes:
        """Give all of it in the text form of Prometheus."""
        if SHARED not in os.environ:
            return generate_latest(self._registry)
        all_of_them = CollectorRegistry()
        MultiProcessCollector(all_of_them)
        return generate_latest(all_of_them)

    def _name(self, project: str) -> str:
        with self._naming:
            if project in self._projects:
                return project
            if len(self._projects) >= MOST_PROJECTS:
                return OTHER
            self._projects.add(project)
            return project

    def _counter(self, name: str, says: str, *labels: str) -> Counter:
        return Counter(f"unabridged_{name}", says, labels, registry=self._registry)

    def _gauge(self, name: str, says: str) -> Gauge:
        return Gauge(f"unabridged_{name}", says, registry=self._registry, multiprocess_mode="livesum")

    def _histogram(self, name: str, says: str, *, buckets: tuple[float, ...] = _SECONDS) -> Histogram:
        return Histogram(f"unabridged_{name}", says, registry=self._registry, buckets=buckets)


class TurnMeter:
    """Measures one turn by its frames."""

    def __init__(self, metrics: Metrics, project: str, session: str) -> None:
        self._metrics = metrics
        self._project = project
        self._session = session
        self._began = time.monotonic()
        self._has_frame = self._has_word = False

    def frame(self, frame: Frame) -> None:
        """Take a frame of it, in order."""
        seconds = time.monotonic() - self._began
        if not self._has_frame:
            self._has_frame = True
            self._metrics.first_frame(seconds)
        if not self._has_word and isinstance(frame, DeltaFrame):
            self._has_word = True
            self._metrics.first_token(seconds)
        self._metrics.frame(self._project, frame, self._session)
        if isinstance(frame, EndFrame):
            self._metrics.turn_took(seconds)
