"""The straight line: transcript -> budget -> plan -> view -> repair -> report -> wire.

Three entrances, one line: before a turn, between steps, and after a provider's overflow. Nothing here asks a
model, reads a clock or changes a log; `commit` appends what was decided. Where a summary is wanted, `span` says of
what, and `fit` takes what came of asking for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged import folding
from unabridged.asking import Ask, Compact, Overflow, Priced, Wanted, ask_of, compacted, smaller
from unabridged.checkpoint import Checkpoint
from unabridged.codec import with_whole_pairs
from unabridged.entry import CheckpointEntry, FrameEntry, ReportEntry, UndoEntry, UsageEntry
from unabridged.errors import CannotFit
from unabridged.fitted import Fitted, Sent
from unabridged.folding import Outcome, Span
from unabridged.frame import Frame
from unabridged.moment import Made, Moment
from unabridged.plan import Plan
from unabridged.policy import Policy
from unabridged.projection import Projection
from unabridged.report import FitReason, Phase, Report, Usage
from unabridged.reporting import Telling, phase_of, summed_up
from unabridged.strategy import Decision, Situation, step, strategy_named, summarize
from unabridged.transcript import Decided, Transcript
from unabridged.view import Cutter
from unabridged.wire import wire

__all__ = ["Compact", "Engine", "Outcome", "Overflow", "Span"]

TRIES = 4
"""How often a plan is made smaller when markers and repairs took more than was set aside for them."""

WHY: dict[type, FitReason] = {Overflow: FitReason.PROVIDER_OVERFLOW, Compact: FitReason.ASKED_FOR}
"""Why a fit is reported that the budget did not call for."""


class Engine:
    """Fits one transcript, step after step. A new engine over the same log gives the same views."""

    def __init__(self, transcript: Transcript, *, dialect: str) -> None:
        self.transcript = transcript
        self.wire = wire(dialect)
        self._cutter = self._cutter_for(guards=False)
        self._projection: Projection | None = None
        self._priced: Priced | None = None
        self._told: tuple[tuple[str, int], ...] = ()
        self._ignored: tuple[str, ...] = ()
        self._proposed: tuple[Fitted, Projection] | None = None

    def fit(
        self,
        frame: Frame,
        policy: Policy,
        *,
        window: int | None = None,
        model: str = "",
        overflow: Overflow | Compact | None = None,
        outcome: Outcome | None = None,
    ) -> Fitted:
        """Decide what the model sees next. Reads the transcript, never changes it.

        A fit that is not committed is a dry run.
        `window` is the model's, in tokens; the policy may cap it. With `overflow` the request is made smaller even
        where the count says that it fits: after a refusal, or because somebody wants it (`Compact`). `outcome` is what
        came of asking for the summary of a `span`; without it `summarize` sums up by rules. Raises `CannotFit` when
        what can never be taken away leaves no room for an answer, and `BadSetting` for settings that cannot work.
        """
        wanted = Wanted(policy=policy, window=window, model=model, overflow=overflow)
        calm = self._calm(frame, wanted)
        if calm is not None:
            return calm
        moment = self._moment(frame, wanted)
        ask, present = moment.ask, moment.present
        if moment.chain and self._may_lift(ask, moment.chain[0]):
            lifted = self._projected(())
            report = moment.telling.lifted(ask.count(lifted.price), lifted.repairs)
            return self._fitted(ask, lifted, report=report, undo=moment.chain[0].id)
        if not self._is_due(moment):
            return self._fitted(ask, present, report=moment.telling.repaired(self._news(present)))
        if moment.strategy.NAME == "none":
            return self._fitted(ask, present, report=moment.telling.left_alone(present.repairs), as_passed=True)
        made = self._decide(moment, outcome)
        if not made.decision.changes and ask.count(made.view.price) <= ask.budget.total and not ask.forced:
            return self._fitted(ask, present, report=moment.telling.repaired(self._news(present)))  # full to the token
        return self._kept(moment, made, WHY.get(type(overflow)))

    def span(
        self,
        frame: Frame,
        policy: Policy,
        *,
        window: int | None = None,
        model: str = "",
        overflow: Overflow | Compact | None = None,
        summary_window: int | None = None,
    ) -> Span | None:
        """Give what a summarizer should be asked for before the next fit; None where none is wanted.

        `summary_window` is the summarizer's own, in tokens: originals that fit it are summed up anew, instead of upon
        the summary in force. Raises what `fit` raises.
        """
        moment = self._moment(frame, Wanted(policy=policy, window=window, model=model, overflow=overflow))
        if (
            not self._is_due(moment)
            or not moment.asks_summary
            or (moment.chain and self._may_lift(moment.ask, moment.chain[0]))
        ):
            return None
        situation = self._situation(moment)
        if self._arrived(moment, situation) is not None:
            return None
        return self._span(moment, situation, summary_window)

    def replan(self, frame: Frame, policy: Policy, *, window: int | None = None, model: str = "") -> Fitted:
        """Decide anew from the originals, under whatever policy is given: what was decided before is undone.

        The view is whole where the whole transcript fits. Raises what `fit` raises.
        """
        moment = self._moment(frame, Wanted(policy=policy, window=window, model=model), afresh=True)
        if not self._is_due(moment) or moment.strategy.NAME == "none":
            whole = moment.present
            report = moment.telling.replanned(moment.ask.count(whole.price), whole.repairs)
            return self._fitted(moment.ask, whole, report=report, undo=moment.undoes, as_passed=self._is_due(moment))
        return self._kept(moment, self._decide(moment, None), FitReason.REPLANNED)

    def commit(self, fitted: Fitted) -> Fitted:
        """Append what a fit decided: the frame where it changed, the checkpoint, the report. Gives the fit back."""
        decided: list[Decided] = []
        if fitted.sent.frame != self.transcript.frame:
            priced = self._priced
            known = priced is not None and priced.digest == fitted.sent.frame
            decided.append(FrameEntry(fitted.sent.frame, priced.frame if priced is not None and known else None))
        if fitted.undo is not None:
            decided.append(UndoEntry(fitted.undo))
        if fitted.checkpoint is not None:
            decided.append(CheckpointEntry(fitted.checkpoint))
        if fitted.report is not None:
            decided.append(ReportEntry(fitted.report))
        _, self._ignored = self.transcript.in_force()
        self.transcript.record(*decided)
        if self._proposed is not None and self._proposed[0] is fitted:
            self._projection = self._proposed[1]
            self._told = self._projection.repairs
        return fitted

    def report_usage(self, fitted: Fitted, usage: Usage, *, counted: bool = False) -> None:
        """Append what the provider reported for a request, or `counted` before it was sent, and learn from it."""
        sent = fitted.sent
        self.transcript.report_usage(
            UsageEntry(
                usage=usage,
                last=sent.last,
                checkpoint=None if counted else sent.checkpoint,  # what was not sent may never be kept
                frame=sent.frame,
                model=sent.model,
                endpoint=sent.endpoint,
                price=sent.price,
                counted=counted,
            )
        )

    def _calm(self, frame: Frame, wanted: Wanted) -> Fitted | None:
        """Give the request where nothing is to be decided and nothing to be told, as most steps are; else None."""
        strategy_named(wanted.policy.strategy)  # one that nobody knows is refused at once, not when it is needed
        if wanted.overflow is not None or frame.guards != self._cutter.guards:
            return None
        chain, unfit = self.transcript.in_force()
        present = self._projected(chain)
        if unfit != self._ignored or self._news(present):
            return None
        ask = self._asked(frame, wanted, present)
        if ask.count(present.price) >= ask.budget.total or (chain and self._may_lift(ask, chain[0])):
            return None
        return self._fitted(ask, present)

    def _cutter_for(self, *, guards: bool) -> Cutter:
        return Cutter(self.wire, self.transcript.counter, self.transcript.log.media, guards=guards)

    def _moment(self, frame: Frame, wanted: Wanted, *, afresh: bool = False) -> Moment:
        """Look at the request as it stands: under the checkpoints in force, or `afresh`, under none."""
        if frame.guards != self._cutter.guards:
            self._cutter, self._projection = self._cutter_for(guards=frame.guards), None
        chain, unfit = self.transcript.in_force()
        present = self._projected(chain)
        ask = self._asked(frame, wanted, present)
        before = ask.count(present.price)
        phase = phase_of(self.transcript)
        hidden = self.transcript.total.under(self.wire.name).tokens - present.tokens
        telling = Telling(
            phase=phase,
            budget=ask.lasting,
            policy=wanted.policy,
            before=before,
            full=before + int(ask.bare.slope * hidden),
            model=ask.model,
            ignored=() if unfit == self._ignored else unfit,  # what was told is not told again
        )
        undoes = chain[0].id if afresh and chain else None
        if undoes is not None:
            chain, present = (), Projection(self.transcript, (), self.wire, self._cutter)
            before = ask.count(present.price)
        strategy = strategy_named(wanted.policy.strategy)
        folds = strategy.NAME == summarize.NAME and (phase is not Phase.STEP or wanted.policy.fold_in_turn)
        return Moment(
            ask=ask,
            present=present,
            chain=tuple(chain),
            before=before,
            telling=telling,
            strategy=strategy,
            afresh=afresh,
            undoes=undoes,
            asks_summary=folds or (afresh and strategy.NAME == summarize.NAME),
        )

    def _asked(self, frame: Frame, wanted: Wanted, present: Projection) -> Ask:
        if self._priced is None or self._priced.frame is not frame:
            self._priced = Priced.of(frame, self.wire, self.transcript.counter)
        ask = ask_of(self._priced, wanted, self.transcript)
        if isinstance(wanted.overflow, Overflow):
            return smaller(ask, wanted.overflow, present.price)
        return compacted(ask, wanted.overflow, present.price) if wanted.overflow is not None else ask

    def _is_due(self, moment: Moment) -> bool:
        """Tell whether the request is to be made smaller. Where nothing was said, there is nothing to take out."""
        large = moment.before >= moment.ask.budget.total or moment.ask.forced
        return large and bool(self.transcript.records)

    def _may_lift(self, ask: Ask, checkpoint: Checkpoint) -> bool:
        """Tell whether a larger model holds the whole transcript again, clearly below its budget."""
        whole = ask.price.tokens + self.transcript.total.under(self.wire.name).tokens
        fits = ask.bare.tokens(whole) <= ask.budget.target(0)  # a margin would move it
        return ask.budget.total > checkpoint.budget and fits and not checkpoint.asked

    def _situation(self, moment: Moment) -> Situation:
        ask, present = moment.ask, moment.present
        return Situation(
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

    def _span(self, moment: Moment, situation: Situation, summary_window: int | None) -> Span | None:
        found, policy = summarize.span(situation), moment.ask.policy
        if found is None:
            return None
        report = moment.telling.compacting(policy.summary_model or moment.ask.model, policy.summarizer_timeout_s)
        media = self.transcript.log.media
        asked = folding.Asked(model=report.model, focus=moment.ask.focus, window=summary_window)
        return folding.span_of(situation, found, report, media=media, asked=asked)

    def _decide(self, moment: Moment, outcome: Outcome | None) -> Made:
        """Plan, project and count, until the view that comes of the plan fits the budget."""
        ask, situation = moment.ask, self._situation(moment)
        arrived = self._arrived(moment, situation)
        if arrived is not None:
            return arrived
        outcome = folding.usable(situation, outcome) if moment.asks_summary else None
        if moment.asks_summary and outcome is None:
            span = self._span(moment, situation, None)
            outcome = folding.by_rules(span) if span is not None else None
        sums_up = moment.strategy.NAME == summarize.NAME
        if sums_up:
            situation = folding.with_outcome(situation, outcome)
        made = self._fitting(moment, situation, with_notes=sums_up)
        if not ask.is_smaller(made.view.price, moment.present.price):  # markers took more than what they stand for
            made = Made(Decision(plan=Plan(), floor=made.decision.floor), made.checkpoint, moment.present)
        self._refuse_hopeless(ask, made.view)
        return msgspec.structs.replace(made, outcome=outcome)

    def _fitting(self, moment: Moment, situation: Situation, *, with_notes: bool) -> Made:
        """Plan again, each time by what the last try missed, until the view fits or the floor is reached.

        Where the floor is over the budget, people's words are cut: how far that leads only trying tells.
        """
        ask, overshoot, tries, least = moment.ask, 0, 0, moment.before
        while True:
            decision = moment.strategy.decide(situation, overshoot=overshoot) or Decision(plan=Plan())
            if with_notes:
                decision = folding.with_notes(situation, decision, self.transcript.log.media, overshoot=overshoot)
            made = self._made(moment, decision, moment.strategy.NAME)
            after, tries = ask.count(made.view.price), tries + 1
            at_the_floor = decision.floor >= ask.budget.total and after >= least
            if after < ask.budget.total or at_the_floor or tries == TRIES:
                return made
            least = after
            # Cuts fall where one may cut: what was missed by a token may be missed again.
            overshoot = 2 * overshoot + after - ask.budget.total + 1

    def _arrived(self, moment: Moment, situation: Situation) -> Made | None:
        """Cut only what has just arrived, where that is enough."""
        decision = None if moment.ask.forced or moment.afresh else step.decide(situation)
        if decision is None:
            return None
        made = self._made(moment, decision, step.NAME)
        return made if moment.ask.count(made.view.price) < moment.ask.budget.total else None

    def _refuse_hopeless(self, ask: Ask, view: Projection) -> None:
        """Raise `CannotFit` for a view that leaves no room for an answer. No margin counts here: it must be sure."""
        sure, budget = ask.surely(view.price), ask.budget
        if ask.count(view.price) > budget.total and sure > budget.limit:
            parts = (("frame", ask.bare.tokens(ask.price.tokens)), ("messages", int(ask.bare.slope * view.tokens)))
            raise CannotFit(floor=sure, limit=budget.limit, window=budget.window, parts=parts)

    def _made(self, moment: Moment, decision: Decision, strategy: str) -> Made:
        """Give the checkpoint that keeps a decision, and the view under it."""
        last, chain, shown = self.transcript.records[-1], moment.chain, moment.present.shown
        inherited = shown.summary.text if shown.summary is not None and not decision.forgets else None
        summary = decision.summary or inherited
        checkpoint = Checkpoint(
            id=f"checkpoint-{self.transcript.log.next_seq}",
            parent=chain[0].id if chain else None,
            step=decision.step,
            reaches=last.message.id,
            digest=last.digest,
            plan=decision.plan,
            summary=None if decision.step or summary is None else with_whole_pairs(summary),
            summary_role=moment.ask.policy.summary_role,
            strategy=strategy,
            budget=moment.ask.lasting.total,
            asked=moment.ask.compacts or bool(chain and chain[0].asked),
        )
        kept = (checkpoint, *chain) if decision.step else (checkpoint,)
        return Made(decision, checkpoint, Projection(self.transcript, kept, self.wire, self._cutter))

    def _kept(self, moment: Moment, made: Made, why: FitReason | None) -> Fitted:
        """Report a decision, and give it as a request."""
        report = moment.telling.fitted(
            made.decision, moment.ask.count(made.view.price), repairs=made.view.repairs, why=why
        )
        if not made.decision.step:
            report = summed_up(report, made.outcome, asked=moment.asks_summary)
        checkpoint = made.checkpoint if made.decision.changes else None
        return self._fitted(moment.ask, made.view, report=report, checkpoint=checkpoint, undo=moment.undoes)

    def _projected(self, chain: Sequence[Checkpoint]) -> Projection:
        known = self._projection
        if known is None or (chain is not known.chain and known.key != tuple(checkpoint.id for checkpoint in chain)):
            known = self._projection = Projection(self.transcript, chain, self.wire, self._cutter)
        else:
            known.follow()
        return known

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
        tokens = ask.count(view.price)
        output = None if as_passed else ask.budget.output_for(tokens, ask.max_output)
        records = self.transcript.records
        sent = Sent(
            last=records[-1].message.id if records else "",
            checkpoint=view.key[0] if view.key else None,
            frame=ask.digest,
            model=ask.model,
            endpoint=ask.frame.endpoint,
            price=ask.price.tokens + view.tokens,
        )
        fitted = Fitted(
            items=tuple(view.items),
            texts=view.bodies(self.transcript.log.media),
            frame=ask.frame if output is None else self.wire.with_max_output(ask.frame, output),
            wire=self.wire,
            tokens=tokens,
            sent=sent,
            report=report,
            checkpoint=checkpoint,
            undo=undo,
        )
        self._proposed = (fitted, view)
        return fitted
