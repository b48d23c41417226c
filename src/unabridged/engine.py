"""The straight line: transcript -> budget -> plan -> view -> repair -> report -> wire.

Three entrances, one line: before a turn, between steps, and after a provider's overflow. Nothing here asks a
model, reads a clock or changes a log; `commit` appends what was decided.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from unabridged.budget import Budget
from unabridged.checkpoint import Checkpoint
from unabridged.entry import CheckpointEntry, FrameEntry, ReportEntry, UndoEntry, UsageEntry
from unabridged.errors import CannotFit
from unabridged.fitted import Fitted, Sent
from unabridged.frame import Frame
from unabridged.plan import Plan
from unabridged.policy import Policy
from unabridged.projection import Projection
from unabridged.report import Report, Usage
from unabridged.reporting import Telling, phase_of
from unabridged.strategy import Decision, Situation, Strategy, step, strategy_named
from unabridged.tokens.calibration import Meter
from unabridged.tokens.price import Price, price_texts
from unabridged.transcript import Ceiling, Decided, Transcript
from unabridged.view import Cutter
from unabridged.wire import wire

TRIES = 4
"""How often a plan is made smaller when markers and repairs took more than was set aside for them."""
REFUSED_SHARE = 0.8
"""Of a request that a provider refused without naming its limit, the share that is tried next."""


class Overflow(msgspec.Struct, frozen=True):
    """A provider's refusal: the request was too long."""

    limit: int | None = None
    """Tokens that the provider named as its window, where it did."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One request, before it is known what it holds: how large it may be, and how that is counted."""

    frame: Frame
    digest: str
    price: Price
    policy: Policy
    budget: Budget
    meter: Meter
    bare: Meter
    model: str
    forced: bool

    def count(self, view: Price) -> int:
        """Give the tokens of the whole request with this view. Trigger, target, before and after use it alike."""
        return self.meter.tokens(self.meter.weight(self.price) + self.meter.weight(view))


class Engine:
    """Fits one transcript, step after step. A new engine over the same log gives the same views."""

    def __init__(self, transcript: Transcript, *, dialect: str) -> None:
        self.transcript = transcript
        self.wire = wire(dialect)
        self._cutter = Cutter(self.wire, transcript.counter, transcript.log.media)
        self._projection: Projection | None = None
        self._priced: tuple[Frame, str, Price] | None = None
        self._logged_frame = ""
        self._told: tuple[tuple[str, int], ...] = ()
        self._ignored: tuple[str, ...] = ()
        self._proposed: tuple[Checkpoint | None, Projection] | None = None

    def fit(
        self,
        frame: Frame,
        policy: Policy,
        *,
        window: int | None = None,
        model: str = "",
        overflow: Overflow | None = None,
    ) -> Fitted:
        """Decide what the model sees next. Reads the transcript, never changes it.

        `window` is the model's, in tokens; the policy may cap it. With `overflow` the request is made smaller even
        where the count says that it fits. Raises `CannotFit` when what can never be taken away leaves no room for
        an answer, and `BadSetting` for settings that cannot work.
        """
        chain, unfit = self.transcript.in_force()
        ignored, self._ignored = () if unfit == self._ignored else unfit, unfit
        present = self._projected(chain)
        ask = self._ask(frame, policy, window, model, overflow, present)
        strategy = strategy_named(policy.strategy)
        before = ask.count(present.price)
        telling = self._telling(ask, present, before, ignored)
        if chain and self._may_lift(ask, chain[0]):
            lifted = self._projected(())
            report = telling.lifted(ask.count(lifted.price))
            return self._fitted(ask, lifted, report=report, undo=chain[0].id)
        if before < ask.budget.total and not ask.forced:
            return self._fitted(ask, present, report=telling.repaired(self._news(present)))
        if strategy.NAME == "none":
            return self._fitted(ask, present, report=telling.left_alone(present.repairs), as_passed=True)
        decision, checkpoint, view = self._decide(ask, present, chain, strategy)
        report = telling.fitted(decision, ask.count(view.price), repairs=view.repairs, forced=ask.forced)
        return self._fitted(ask, view, report=report, checkpoint=checkpoint if decision.changes else None)

    def _telling(self, ask: Ask, present: Projection, before: int, ignored: tuple[str, ...]) -> Telling:
        return Telling(
            phase=phase_of(self.transcript),
            budget=ask.budget,
            policy=ask.policy,
            before=before,
            full=before + int(ask.bare.slope * (self.transcript.total - present.tokens)),
            model=ask.model,
            ignored=ignored,
        )

    def _may_lift(self, ask: Ask, checkpoint: Checkpoint) -> bool:
        """Tell whether a larger model holds the whole transcript again, clearly below its budget."""
        whole = ask.bare.tokens(ask.price.tokens + self.transcript.total)  # a margin would move it
        return ask.budget.total > checkpoint.budget and whole <= ask.budget.target(0)

    def commit(self, fitted: Fitted) -> Fitted:
        """Append what a fit decided: the frame where it changed, the checkpoint, the report. Gives the fit back."""
        decided: list[Decided] = []
        if fitted.sent.frame != self._logged_frame:
            decided.append(FrameEntry(fitted.sent.frame))
            self._logged_frame = fitted.sent.frame
        if fitted.undo is not None:
            decided.append(UndoEntry(fitted.undo))
        if fitted.checkpoint is not None:
            decided.append(CheckpointEntry(fitted.checkpoint))
        if fitted.report is not None:
            decided.append(ReportEntry(fitted.report))
        self.transcript.record(*decided)
        if fitted.checkpoint is not None and self._proposed is not None and self._proposed[0] is fitted.checkpoint:
            self._projection = self._proposed[1]
        return fitted

    def report_usage(self, fitted: Fitted, usage: Usage) -> None:
        """Append what the provider reported for a request, and learn from it."""
        sent = fitted.sent
        self.transcript.report_usage(
            UsageEntry(
                usage=usage,
                last=sent.last,
                checkpoint=sent.checkpoint,
                frame=sent.frame,
                model=sent.model,
                endpoint=sent.endpoint,
                price=sent.price,
            )
        )

    def _ask(
        self,
        frame: Frame,
        policy: Policy,
        window: int | None,
        model: str,
        overflow: Overflow | None,
        present: Projection,
    ) -> Ask:
        if self._priced is None or self._priced[0] is not frame:
            texts = list(self.wire.frame_texts(frame))
            digest = hashlib.sha256("\x00".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
            self._priced = (frame, digest, price_texts(texts, self.transcript.counter))
        _, digest, price = self._priced
        known = self.transcript.calibration(model, frame.endpoint)
        key = (digest,)  # not the checkpoint: the difference in price says what a fit took out, as it says what came
        budget = Budget.of(policy, window=window, max_output=self.wire.max_output(frame))
        ceiling = self.transcript.ceilings.get(model)
        if ceiling is not None:
            budget = self._under(ceiling, budget, policy, frame)
        ask = Ask(
            frame=frame,
            digest=digest,
            price=price,
            policy=policy,
            budget=budget,
            meter=known.meter(key),
            bare=known.bare(key),
            model=model,
            forced=overflow is not None,
        )
        return ask if overflow is None else self._smaller(ask, overflow, present)

    def _under(self, ceiling: Ceiling, budget: Budget, policy: Policy, frame: Frame) -> Budget:
        """Give the budget under what an earlier refusal taught: without it the refused request would go out again."""
        if ceiling.window < budget.window:
            uncapped = msgspec.structs.replace(policy, max_context_tokens=None)
            budget = Budget.of(uncapped, window=ceiling.window, max_output=self.wire.max_output(frame))
        return msgspec.structs.replace(budget, total=min(budget.total, ceiling.budget))

    def _smaller(self, ask: Ask, overflow: Overflow, present: Projection) -> Ask:
        """Give what may be asked after a refusal: the window that the provider named, and less than was refused."""
        named = ask.budget.window if overflow.limit is None else min(overflow.limit, ask.budget.window)
        policy = msgspec.structs.replace(ask.policy, max_context_tokens=None)
        budget = Budget.of(policy, window=named, max_output=self.wire.max_output(ask.frame))
        refused = ask.count(present.price)
        if refused <= budget.total:  # by our count it would fit: the provider counts otherwise
            budget = msgspec.structs.replace(budget, total=max(1, int(refused * REFUSED_SHARE)))
        return msgspec.structs.replace(ask, budget=budget)

    def _decide(
        self, ask: Ask, present: Projection, chain: Sequence[Checkpoint], strategy: Strategy
    ) -> tuple[Decision, Checkpoint, Projection]:
        """Plan, project and count, until the view that comes of the plan fits the budget."""
        situation = Situation(
            transcript=self.transcript,
            shown=present.shown,
            items=present.items,
            dialect=self.wire.name,
            cutter=self._cutter,
            frame=ask.price,
            budget=ask.budget,
            policy=ask.policy,
            meter=ask.meter,
            bare=ask.bare,
        )
        arrived = None if ask.forced else step.decide(situation)
        if arrived is not None:
            checkpoint, view = self._kept(arrived, chain, step.NAME, ask.budget.total)
            if ask.count(view.price) < ask.budget.total:
                return arrived, checkpoint, view
        overshoot, tries = 0, 0
        while True:
            decision = strategy.decide(situation, overshoot=overshoot) or Decision(plan=Plan())
            checkpoint, view = self._kept(decision, chain, strategy.NAME, ask.budget.total)
            after, tries = ask.count(view.price), tries + 1
            if after < ask.budget.total or decision.floor >= ask.budget.total or tries == TRIES:
                break
            overshoot += after - ask.budget.total + 1
        if after > ask.budget.total and ask.bare.tokens(ask.price.tokens + view.price.tokens) > ask.budget.limit:
            parts = (("frame", ask.bare.tokens(ask.price.tokens)), ("messages", int(ask.bare.slope * view.tokens)))
            raise CannotFit(floor=after, limit=ask.budget.limit, window=ask.budget.window, parts=parts)
        return decision, checkpoint, view

    def _kept(
        self, decision: Decision, chain: Sequence[Checkpoint], strategy: str, budget: int
    ) -> tuple[Checkpoint, Projection]:
        """Give the checkpoint that keeps a decision, and the view under it."""
        last = self.transcript.records[-1]
        checkpoint = Checkpoint(
            id=f"checkpoint-{self.transcript.log.next_seq}",
            parent=chain[0].id if chain else None,
            step=decision.step,
            reaches=last.message.id,
            digest=last.digest,
            plan=decision.plan,
            strategy=strategy,
            budget=budget,
        )
        kept = (checkpoint, *chain) if decision.step else (checkpoint,)
        return checkpoint, Projection(self.transcript, kept, self.wire, self._cutter)

    def _projected(self, chain: Sequence[Checkpoint]) -> Projection:
        key = tuple(checkpoint.id for checkpoint in chain)
        if self._projection is None or self._projection.key != key:
            self._projection = Projection(self.transcript, chain, self.wire, self._cutter)
        else:
            self._projection.follow()
        return self._projection

    def _news(self, view: Projection) -> tuple[tuple[str, int], ...]:
        """Give the repairs of a view unless they are those that were told at the fit before."""
        return () if self._told == view.repairs else view.repairs

    def _fitted(
        self,
        ask: Ask,
        view: Projection,
        *,
        report: Report | None = None,
        checkpoint: Checkpoint | None = None,
        undo: str | None = None,
        as_passed: bool = False,
    ) -> Fitted:
        self._proposed = (checkpoint, view)
        self._told = view.repairs
        asked = self.wire.max_output(ask.frame)
        output = None if as_passed else ask.budget.output_for(ask.count(view.price), asked)
        records = self.transcript.records
        sent = Sent(
            last=records[-1].message.id if records else "",
            checkpoint=view.key[0] if view.key else None,
            frame=ask.digest,
            model=ask.model,
            endpoint=ask.frame.endpoint,
            price=ask.price.tokens + view.tokens,
        )
        return Fitted(
            items=tuple(view.items),
            texts=view.bodies(self.transcript.log.media),
            frame=ask.frame if output is None else self.wire.with_max_output(ask.frame, output),
            wire=self.wire,
            tokens=ask.count(view.price),
            sent=sent,
            report=report,
            checkpoint=checkpoint,
            undo=undo,
        )
