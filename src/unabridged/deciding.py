"""From a request that is too large to the plan that makes it fit: plan, project, count, and plan again.

Nothing is kept here: a `Made` is what a decision would come to. The engine says whether one is due, and appends it.
"""

from __future__ import annotations

import msgspec

from unabridged import folding
from unabridged.asking import Ask
from unabridged.checkpoint import Checkpoint
from unabridged.codec import with_whole_pairs
from unabridged.errors import CannotFit
from unabridged.folding import Outcome, Span
from unabridged.moment import Made, Moment
from unabridged.plan import Plan
from unabridged.projection import Projection
from unabridged.strategy import Decision, Situation, step, summarize
from unabridged.transcript import Transcript
from unabridged.view import Cutter
from unabridged.wire import Wire

TRIES = 7
"""How often a plan is made smaller when markers and repairs took more than was set aside for them."""
NEAR = 64
"""Tokens: cuts fall between lines, so that a plan which has to be smaller by less than this may come out the same."""


class Deciding(msgspec.Struct, frozen=True):
    """Decides for one transcript, as one wire shows it."""

    transcript: Transcript
    wire: Wire
    cutter: Cutter

    def span(self, moment: Moment, summary_window: int | None) -> Span | None:
        """Give what a summarizer should be asked for; None where cutting what has just arrived is enough.

        `summary_window` is the summarizer's own, in tokens.
        """
        situation = self._situation(moment)
        return self._span(moment, situation, summary_window) if self._arrived(moment, situation) is None else None

    def _situation(self, moment: Moment) -> Situation:
        ask, present = moment.ask, moment.present
        return Situation(
            transcript=self.transcript,
            shown=present.shown,
            items=present.items,
            dialect=self.wire.name,
            cutter=self.cutter,
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

    def decide(self, moment: Moment, outcome: Outcome | None) -> Made:
        """Plan, project and count, until the view that comes of the plan fits the budget.

        `outcome` is what came of asking for a summary. Raises `CannotFit` where no answer would find room.
        """
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
        # Whoever asks for a summary, of what is too little for one, does not want it dropped.
        unwanted = ask.compacts and outcome is None and moment.before < ask.lasting.total
        if unwanted or not ask.is_smaller(made.view.price, moment.present.price):  # markers took more than they saved
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
            at_the_floor = decision.floor >= ask.budget.total and after >= least and overshoot >= NEAR
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
            digest=self.transcript.digest_of(last),
            plan=decision.plan,
            summary=None if decision.step or summary is None else with_whole_pairs(summary),
            summary_role=moment.ask.policy.summary_role,
            strategy=strategy,
            budget=moment.ask.lasting.total,
            asked=moment.ask.compacts or bool(chain and chain[0].asked),
        )
        kept = (checkpoint, *chain) if decision.step else (checkpoint,)
        return Made(decision, checkpoint, Projection(self.transcript, kept, self.wire, self.cutter))
