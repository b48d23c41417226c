"""The straight line: transcript -> budget -> plan -> view -> repair -> report -> wire.

Three entrances, one line: before a turn, between steps, and after a provider's overflow. Nothing here asks a
model, reads a clock or changes a log; `commit` appends what was decided. Where a summary is wanted, `span` says of
what, and `fit` takes what came of asking for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.asking import Ask, Compact, Overflow, Priced, Wanted, ask_of, compacted, smaller
from unabridged.checkpoint import Checkpoint
from unabridged.deciding import Deciding
from unabridged.entry import CheckpointEntry, FrameEntry, ReportEntry, UndoEntry, UsageEntry
from unabridged.fitted import Fitted, Sent
from unabridged.folding import Outcome, Span
from unabridged.frame import Frame
from unabridged.growing import Beginning
from unabridged.moment import Made, Moment
from unabridged.policy import Policy
from unabridged.projection import Projection
from unabridged.report import FitReason, Phase, Report, Usage
from unabridged.reporting import Telling, phase_of, summed_up
from unabridged.strategy import strategy_named, summarize
from unabridged.transcript import Decided, Transcript
from unabridged.view import Cutter
from unabridged.wire import wire

__all__ = ["Compact", "Engine", "Outcome", "Overflow", "Span"]

WHY: dict[type, FitReason] = {Overflow: FitReason.PROVIDER_OVERFLOW, Compact: FitReason.ASKED_FOR}
"""Why a fit is reported that the budget did not call for."""


class Engine:
    """Fits one transcript, step after step. A new engine over the same log gives the same views."""

    def __init__(self, transcript: Transcript, *, dialect: str) -> None:
        self.transcript = transcript
        self.wire = wire(dialect)
        self._cutter = Cutter(self.wire, transcript.counter, transcript.log.media)
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
        made = self._deciding.decide(moment, outcome)
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
        return self._deciding.span(moment, summary_window)

    def replan(self, frame: Frame, policy: Policy, *, window: int | None = None, model: str = "") -> Fitted:
        """Decide anew from the originals, under whatever policy is given: what was decided before is undone.

        The view is whole where the whole transcript fits. Raises what `fit` raises.
        """
        moment = self._moment(frame, Wanted(policy=policy, window=window, model=model), afresh=True)
        if not self._is_due(moment) or moment.strategy.NAME == "none":
            whole = moment.present
            report = moment.telling.replanned(moment.ask.count(whole.price), whole.repairs)
            return self._fitted(moment.ask, whole, report=report, undo=moment.undoes, as_passed=self._is_due(moment))
        return self._kept(moment, self._deciding.decide(moment, None), FitReason.REPLANNED)

    def commit(self, fitted: Fitted, *, report: Report | None = None) -> Fitted:
        """Append what a fit decided: the frame where it changed, the checkpoint, the report. Gives the fit back.

        `report` stands in the place of the fit's own: it says as well what became of what left.
        """
        decided: list[Decided] = []
        if fitted.sent.frame != self.transcript.frame:
            priced = self._priced
            known = priced is not None and priced.digest == fitted.sent.frame
            decided.append(FrameEntry(fitted.sent.frame, priced.frame if priced is not None and known else None))
        if fitted.undo is not None:
            decided.append(UndoEntry(fitted.undo))
        if fitted.checkpoint is not None:
            decided.append(CheckpointEntry(fitted.checkpoint))
        told = report if report is not None else fitted.report
        if told is not None:
            decided.append(ReportEntry(told))
        _, self._ignored = self.transcript.in_force()
        if decided:
            self.transcript.record(*decided)
        if self._proposed is not None and self._proposed[0] is fitted:
            self._projection = self._proposed[1]
            self._told = self._projection.repairs
        return fitted if told is fitted.report else msgspec.structs.replace(fitted, report=told)

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
        if wanted.overflow is not None or not self._cutter.suits(frame):
            return None
        chain, unfit = self.transcript.in_force()
        present = self._projected(chain)
        if unfit != self._ignored or self._news(present):
            return None
        ask = self._asked(frame, wanted, present)
        if ask.count(present.price) >= ask.budget.total or (chain and self._may_lift(ask, chain[0])):
            return None
        return self._fitted(ask, present)

    def _moment(self, frame: Frame, wanted: Wanted, *, afresh: bool = False) -> Moment:
        """Look at the request as it stands: under the checkpoints in force, or `afresh`, under none."""
        if not self._cutter.suits(frame):
            self._projection = None
            self._cutter = Cutter.of(frame, self.wire, self.transcript.counter, self.transcript.log.media)
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
        if ask.budget.total <= checkpoint.budget or checkpoint.asked:
            return False
        whole = ask.price.tokens + self.transcript.total.under(self.wire.name).tokens
        return ask.bare.tokens(whole) <= ask.budget.target(0)  # a margin would move it

    @property
    def _deciding(self) -> Deciding:
        return Deciding(self.transcript, self.wire, self._cutter)

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
            items=Beginning(view.items, len(view.items)),
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
