"""`--json`: one object for each model call, on a line of its own."""

from __future__ import annotations

from typing import BinaryIO

import msgspec

from unabridged.errors import CannotFit
from unabridged.models.prices.cost import Rates
from unabridged.replay.costs.tariff import Tariff, cost_of_step
from unabridged.replay.outlet import Job
from unabridged.replay.walk import Step
from unabridged.report import Report


class Refusal(msgspec.Struct, frozen=True):
    """Why nothing could be sent, in tokens."""

    floor: int
    limit: int
    window: int
    parts: dict[str, int]
    """What the floor is made of."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One model call. Tokens are those of whole requests."""

    file: str
    conversation: str
    step: int
    messages: int
    dialect: str
    tokens: int | None
    """None where nothing fits."""
    budget: int
    window: int
    full: int
    cached: int
    model: str
    """As the file names it; empty where it does not."""
    output: int
    """Tokens of the answer, as the file reports them, or counted where it does not."""
    summarized: int
    """Tokens that a summary made here was made from; 0 where none was."""
    summary: int
    """Tokens of that summary."""
    cost_cached: float | None
    """US dollars with a prompt cache; None where no price is known, or nothing fits."""
    cost_uncached: float | None
    report: Report | None
    cannot_fit: Refusal | None
    payload: msgspec.Raw | msgspec.UnsetType | None = msgspec.UNSET
    """The request body, with `--payloads`."""


class Records:
    """Writes records as they come."""

    def __init__(self, out: BinaryIO, tariff: Tariff, *, payloads: bool) -> None:
        self._out = out
        self._tariff = tariff
        self._payloads = payloads
        self._encoder = msgspec.json.Encoder()

    def show(self, job: Job) -> None:
        """Walk one conversation and write a line for each of its model calls."""
        for step in job.steps:
            payload = _payload(step) if self._payloads else msgspec.UNSET
            record = _record(job, step, self._tariff.rates(step.model), payload)
            self._out.write(self._encoder.encode(record) + b"\n")

    def finish(self) -> None:
        """Hand over what was written."""
        self._out.flush()


def _record(job: Job, step: Step, rates: Rates | None, payload: msgspec.Raw | msgspec.UnsetType | None) -> Record:
    cost = None if rates is None or step.tokens is None else cost_of_step(step, rates)
    return Record(
        file=encodable(job.file),
        conversation=encodable(job.conversation.name),
        step=step.number,
        messages=step.messages,
        dialect=job.conversation.dialect,
        tokens=step.tokens,
        budget=step.budget,
        window=step.window,
        full=step.full,
        cached=step.cached,
        model=encodable(step.model),
        output=step.output,
        summarized=step.summarized,
        summary=step.summary,
        cost_cached=None if cost is None else cost.cached,
        cost_uncached=None if cost is None else cost.uncached,
        report=step.report,
        cannot_fit=None if step.refusal is None else _refusal(step.refusal),
        payload=payload,
    )


def _refusal(refusal: CannotFit) -> Refusal:
    return Refusal(refusal.floor, refusal.limit, refusal.window, dict(refusal.parts))


def _payload(step: Step) -> msgspec.Raw | None:
    """Give the body on one line: in JSON line breaks stand between values only, so a blank says the same."""
    if step.fitted is None:
        return None
    body = step.fitted.body()
    if b"\n" in body or b"\r" in body:
        body = body.replace(b"\r", b" ").replace(b"\n", b" ")
    return msgspec.Raw(body)


def encodable(name: str) -> str:
    """Give a name that JSON can hold: a file's name may hold bytes that are no text."""
    return name.encode("utf-8", "replace").decode()
