"""Requests of the past, and what was decided on a message."""

from __future__ import annotations

import msgspec

from unabridged.plan import Reason, Verdict
from unabridged.report import Report, Usage
from unabridged.server.history.parts import Sight
from unabridged.server.history.present import ItemShown, Presence, shown_item
from unabridged.server.history.standing import CutShown, Standing, State, shown_cut
from unabridged.store.pages import Pages
from unabridged.store.steps import Fate, Outline, PastStep, Steps
from unabridged.wire import wire


class StepsPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some requests of a branch, the oldest first."""

    branch: str
    total: int
    steps: tuple[Outline, ...]
    has_more: bool


class StepShown(msgspec.Struct, frozen=True, kw_only=True):
    """One request of the past: what the model saw then."""

    branch: str
    step: int
    of: int
    dialect: str
    tokens: int
    """Of the request by the session's counter, before anything that was learned from usage."""
    usage: Usage | None
    """As the provider reported it."""
    reports: tuple[Report, ...]
    items: tuple[ItemShown, ...]
    texts: tuple[str, ...] | None
    """With `raw`: the same messages as JSON texts, byte for byte as they were sent."""
    request: str | None
    """With `raw`: the request around them as well, as far as the log holds it."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What one fit decided on a message."""

    seq: int
    step: int
    """The request that was the first to go by it."""
    strategy: str
    """What decided; `undo` where all that was decided was taken back."""
    verdict: Verdict
    reason: Reason
    cuts: tuple[CutShown, ...]


class WhyShown(msgspec.Struct, frozen=True, kw_only=True):
    """How a message stands in what the model sees, and all that was ever decided on it."""

    branch: str
    id: str
    number: int | None
    """Its place in the conversation, from 1; null for one that was refused."""
    context: State
    in_view: bool
    """Whether the model sees anything of it. What the plan keeps may still be left out as its provider refuses it."""
    changed: bool
    """Whether it sees something else than what is stored."""
    decisions: tuple[Decision, ...]
    """Oldest first."""


def steps_page(steps: Steps, after: int, limit: int) -> StepsPage:
    """Give the requests behind a number."""
    shown = tuple(steps.outline(after + 1, after + 1 + limit))
    has_more = bool(shown) and shown[-1].number < len(steps)
    return StepsPage(branch=steps.branch, total=len(steps), steps=shown, has_more=has_more)


def step_shown(steps: Steps, number: int, sight: Sight, *, raw: bool) -> StepShown:
    """Give a request. Raises `NotFound` for one that the branch does not have."""
    step = steps.step(number)
    return StepShown(
        branch=steps.branch,
        step=step.number,
        of=len(steps),
        dialect=step.dialect,
        tokens=step.price,
        usage=step.usage,
        reports=step.reports,
        items=tuple(shown_item(item, sight) for item in step.items),
        texts=step.texts if raw else None,
        request=_request(step) if raw else None,
    )


def why_shown(steps: Steps, pages: Pages, presence: Presence, id: str) -> WhyShown:
    """Tell what became of a message. Raises `NotFound` for one that was never on the branch."""
    listed = pages.find(id)
    refused = listed.place is None
    seen = next((item for item in presence.view.items if item.source == id and not refused), None)
    return WhyShown(
        branch=pages.branch,
        id=id,
        number=None if listed.place is None else listed.place + 1,
        context=Standing(pages.transcript).of(listed),
        in_view=seen is not None,
        changed=seen is not None and seen.changed,
        decisions=() if refused else tuple(map(_decision, steps.fates(id))),
    )


def _request(step: PastStep) -> str | None:
    if step.frame is None:
        return None
    return wire(step.dialect).write_request(step.frame, step.texts).decode("utf-8", "surrogatepass")


def _decision(fate: Fate) -> Decision:
    return Decision(
        seq=fate.seq,
        step=fate.step,
        strategy=fate.strategy,
        verdict=fate.verdict,
        reason=fate.reason,
        cuts=tuple(map(shown_cut, fate.cuts)),
    )
