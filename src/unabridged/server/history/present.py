"""What the model sees now, and what that takes."""

from __future__ import annotations

from typing import Literal

import msgspec

from unabridged.asking import Priced, Wanted, ask_of
from unabridged.checkpoint import Checkpoint
from unabridged.entry import FrameEntry, ReportEntry
from unabridged.frame import Frame
from unabridged.framing import model_of
from unabridged.message import Origin, Role
from unabridged.projection import Projection
from unabridged.report import Phase, Report
from unabridged.server.history.parts import Shown, Sight
from unabridged.server.models import ModelShelf, Served
from unabridged.server.projects import Tenant
from unabridged.server.turns.talking import frame_before
from unabridged.store import Session
from unabridged.store.pages import Pages
from unabridged.view import SUMMARY, Cutter, Item
from unabridged.wire import wire

REPORTS = 10
"""Reports that are told, the newest."""


class ItemShown(msgspec.Struct, frozen=True, kw_only=True):
    """One message as the model sees it."""

    kind: Literal["message", "marker", "summary"]
    id: str | None
    """Of the message that is shown; null for what stands for others."""
    role: Role
    origin: Origin
    changed: bool
    """It is not what is stored: something is cut out of it, or mended."""
    tokens: int
    parts: tuple[Shown, ...]


class CheckpointShown(msgspec.Struct, frozen=True, kw_only=True):
    """What decides on the view until a next one does, or until it is undone."""

    id: str
    strategy: str
    step: bool
    """It only cuts outputs as they arrived, and leaves the rest to the one before it."""
    reaches: str
    """Id of the last message that it decides on."""
    budget: int
    """Tokens that a request could take when it was made."""
    summary: str | None
    """What stands for the compacted messages."""


class ReportShown(msgspec.Struct, frozen=True, kw_only=True):
    """What a fit came to, and when."""

    seq: int
    time: str
    report: Report


class ContextShown(msgspec.Struct, frozen=True, kw_only=True):
    """What the model would see of a branch if it were asked now and nothing more had to go."""

    branch: str
    model: str
    messages: int
    """Of the whole conversation."""
    tokens: int
    """Of the request with this view, as fits count it."""
    tokens_full: int
    """The same with nothing taken out."""
    budget: int
    """Tokens that a request may take."""
    window: int
    checkpoint: CheckpointShown | None
    """What was decided last; null where the model sees everything."""
    reports: tuple[ReportShown, ...]
    """The newest, newest first."""
    repairs: dict[str, int]
    """What was mended because the provider would refuse it, by rule."""
    items: tuple[ItemShown, ...]


class Presence:
    """The present view of a branch, made as a turn would make it, with what its last request went out with."""

    def __init__(self, tenant: Tenant, session: Session, pages: Pages, models: ModelShelf) -> None:
        transcript = pages.transcript
        self._pages = pages
        self._frame = _frame(tenant, session, pages, models)
        self._served = _served(tenant, models, self._frame)
        self._policy = tenant.settings.policy
        self._wire = wire(self._frame.dialect)
        self._chain = transcript.in_force()[0]
        cutter = Cutter.of(self._frame, self._wire, transcript.counter, transcript.log.media)
        self.view = Projection(transcript, self._chain, self._wire, cutter)

    def shown(self, sight: Sight) -> ContextShown:
        """Give it with what it takes. Raises `BadSetting` for a policy that cannot work with the model."""
        transcript, model = self._pages.transcript, model_of(self._frame)
        priced = Priced.of(self._frame, self._wire, transcript.counter)
        wanted = Wanted(policy=self._policy, window=self._served.window, model=model)
        ask = ask_of(priced, wanted, transcript)
        tokens = ask.count(self.view.price)
        hidden = transcript.total.under(self._wire.name).tokens - self.view.tokens
        return ContextShown(
            branch=self._pages.branch,
            model=self._served.name,
            messages=len(transcript.records),
            tokens=tokens,
            tokens_full=tokens + int(ask.bare.slope * hidden),
            budget=ask.budget.total,
            window=ask.budget.window,
            checkpoint=_checkpoint(self._chain),
            reports=_reports(self._pages),
            repairs=dict(self.view.repairs),
            items=tuple(shown_item(item, sight) for item in self.view.items),
        )


def shown_item(item: Item, sight: Sight) -> ItemShown:
    """Give a message of a view as the API tells it."""
    stands_for = "summary" if item.message.id.startswith(SUMMARY) else "marker"
    return ItemShown(
        kind="message" if item.source is not None else stands_for,
        id=item.source,
        role=item.message.role,
        origin=item.message.origin,
        changed=item.changed,
        tokens=item.price.tokens,
        parts=sight.parts(item.message),
    )


def _frame(tenant: Tenant, session: Session, pages: Pages, models: ModelShelf) -> Frame:
    """Give what the last request went out with beside its messages; before the first one, what it would be."""
    for entry in pages.newest("frame"):
        if isinstance(entry.payload, FrameEntry) and entry.payload.frame is not None:
            return entry.payload.frame
    return frame_before(tenant, session, models)


def _served(tenant: Tenant, models: ModelShelf, frame: Frame) -> Served:
    """Give the project's model that a frame was made for; where it has none any more, the one that answers now."""
    settings = tenant.settings
    usual = models.chosen(settings, None)
    others = (models.get(name) for name in settings.models or () if name in models.names)
    return next((each for each in (usual, *others) if each.model.name == model_of(frame)), usual)


def _checkpoint(chain: tuple[Checkpoint, ...]) -> CheckpointShown | None:
    if not chain:
        return None
    newest = chain[0]
    return CheckpointShown(
        id=newest.id,
        strategy=newest.strategy,
        step=newest.step,
        reaches=newest.reaches,
        budget=newest.budget,
        summary=next((checkpoint.summary for checkpoint in chain if not checkpoint.step), None),
    )


def _reports(pages: Pages) -> tuple[ReportShown, ...]:
    kinds = (f"report {phase.value}" for phase in (Phase.DONE, Phase.STEP))
    entries = [entry for kind in kinds for entry in pages.newest(kind, REPORTS)]
    newest = sorted(entries, key=lambda entry: -entry.seq)[:REPORTS]
    return tuple(
        ReportShown(seq=entry.seq, time=entry.time, report=entry.payload.report)
        for entry in newest
        if isinstance(entry.payload, ReportEntry)
    )
