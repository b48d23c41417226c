"""The checkpoints of a history: read from its log, and written to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from unabridged.budget import Budget
from unabridged.checkpoint import Checkpoint
from unabridged.context.history import DIALECT, HistoryManager
from unabridged.context.settings import ContextConfig
from unabridged.entry import CheckpointEntry, UndoEntry
from unabridged.errors import BadInput
from unabridged.message import Message
from unabridged.projection import Projection
from unabridged.strategy import summarize
from unabridged.strategy.situation import Compaction, Decision, Situation
from unabridged.tokens.calibration import Calibration
from unabridged.tokens.price import Price
from unabridged.view import Cutter
from unabridged.wire import wire

ProjectionMode = Literal["full_history", "compact_checkpoint"]


class CompactStore:
    """The checkpoints of a history, which lie in its log and come back with it.

    Not as in the articles: a checkpoint names messages by id, never by position, and one that does not match what it
    was made from is passed over (`docs/decisions/0006-checkpoints-name-ids.md`).
    """

    def __init__(self, history: HistoryManager, *, config: ContextConfig | None = None) -> None:
        self.history = history
        self.config = config if config is not None else ContextConfig.from_env()

    @property
    def active_checkpoint(self) -> Checkpoint | None:
        """The checkpoint that the view is made by; None as long as the view is the whole history."""
        chain, _ = self.history.transcript.in_force()
        return chain[0] if chain else None

    @property
    def projection_mode(self) -> ProjectionMode:
        """`compact_checkpoint` where something was taken out of the view, else `full_history`."""
        return "full_history" if self.active_checkpoint is None else "compact_checkpoint"

    def create_checkpoint(self, *, summary: str, retain_start_idx: int) -> Checkpoint:
        """Let a summary that you have stand for the messages before a position, and show the rest as it is.

        The strategy `summarize` makes the plan, from the originals. What is never evicted stays in the view, also
        before the position: the task, and what the model has not answered; and no call is split from its results
        (`docs/decisions/0003-cuts-inside-a-round.md`). Raises `BadInput` where nothing would be saved.
        """
        transcript, policy = self.history.transcript, self.config.policy(summarize=True)
        if not 0 <= retain_start_idx <= len(transcript.records):
            raise BadInput(
                f"`retain_start_idx` is {retain_start_idx}, and there are {len(transcript.records)} messages"
            )
        decision = self._decision(summary, retain_start_idx)
        if decision.summary is None:
            raise BadInput("this summary saves nothing: give a shorter one, or a later `retain_start_idx`")
        last, former = transcript.records[-1], self.active_checkpoint
        checkpoint = Checkpoint(
            id=f"checkpoint-{transcript.log.next_seq}",
            parent=former.id if former is not None else None,
            reaches=last.message.id,
            digest=transcript.digest_of(last),
            plan=decision.plan,
            summary=summary,
            summary_role=policy.summary_role,
            strategy=summarize.NAME,
            budget=Budget.of(policy, window=self.config.context_window).total,
        )
        transcript.record(CheckpointEntry(checkpoint))
        return checkpoint

    def clear(self) -> None:
        """Take back every checkpoint: the view is the whole history again, until it is fitted anew."""
        active = self.active_checkpoint
        if active is not None:
            self.history.transcript.record(UndoEntry(active.id))

    def check(self, source_messages: Sequence[Message]) -> None:
        """Raise `BadInput` for any list but the one that `get_messages` of this history gives now."""
        records = self.history.transcript.records
        if len(source_messages) != len(records) or (records and source_messages[-1] is not records[-1].message):
            raise BadInput("these messages are not the history of this store: pass what its `get_messages` gives now")

    def _decision(self, summary: str, start: int) -> Decision:
        """Let the strategy decide in a window that holds everything: it only takes out what the summary stands for."""
        transcript, spoken = self.history.transcript, wire(DIALECT)
        cutter = Cutter(spoken, transcript.counter, transcript.log.media)
        whole = Projection(transcript, (), spoken, cutter)
        leaving = frozenset(record.message.id for record in transcript.records[:start])
        policy, unlearned = self.config.policy(summarize=True), Calibration()
        situation = Situation(
            transcript=transcript,
            shown=whole.shown,
            items=whole.items,
            dialect=DIALECT,
            cutter=cutter,
            frame=Price(0),
            budget=Budget.of(policy, window=self.config.context_window + 10 * whole.tokens),
            policy=policy,
            meter=unlearned.meter(()),
            bare=unlearned.bare(()),
            compaction=Compaction(summary, leaving),
        )
        return summarize.decide(situation)
