"""The loop: fit ─▶ stream ─▶ append ─▶ act ─▶ append.

agent = Agent(answering, hands, gate=Gate(), tell=print)
ended = await agent.run("Fix the failing test.")
"""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from unabridged.agent.events import Ended, Ending, Fitted, Move, Moved, Spent, StepStarted
from unabridged.agent.hands import Hands
from unabridged.agent.said import Said, has_more, kind_of
from unabridged.agent.state import Limits, State
from unabridged.agent.watching import Heard, Watcher
from unabridged.agent.wording import CONTINUE, INTERRUPTED, SAY_SOMETHING, SAYS_REPEATS, advice, ending_of
from unabridged.budget import Budget
from unabridged.conversation import Conversation, new_id
from unabridged.entry import InterruptionEntry
from unabridged.errors import BadInput, CannotFit
from unabridged.message import Message, Origin, Role, Text
from unabridged.models.answering import Answered, Answering
from unabridged.models.model import Model, ModelError
from unabridged.store.recovery import recover


class Gate(Protocol):
    """Says what is still missing when the model says that it is done."""

    def missing(self, talk: Conversation) -> str:
        """Give what was asked for and is not shown to be so; "" where nothing is missing."""
        ...


class Agent:
    """Works on one conversation, a turn at a time."""

    def __init__(
        self,
        talk: Conversation,
        model: Model,
        hands: Hands,
        *,
        gate: Gate | None = None,
        limits: Limits | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.talk = talk
        self.state = State()
        """Of the present turn, or of the one before."""
        self._hands = hands
        self._gate = gate
        self._limits = limits or Limits()
        self._watcher = watcher or Watcher()
        self._tell = self._watcher.tell
        self._heard = Heard(self._tell)
        self._answering = Answering(
            talk,
            model,
            on_event=self._heard.take,
            on_report=lambda report: self._tell(Fitted(report)),
            on_window=self._watcher.window,
        )

    async def run(self, text: str | None = None) -> Ended:
        """Take a turn: with what a person says, or without, going on where the last one was interrupted.

        Whatever ends it, the conversation can go on. Cancelled, it answers open calls with what is known of them,
        keeps what was heard of an answer, tells `Ended`, and raises `CancelledError` on. Raises `BadInput` where there
        is nothing to go on with.
        """
        began = time.monotonic()
        self.state = State()
        if recover(self.talk):
            self._tell(Moved(Move.RECOVERED, "calls of an interrupted turn were answered with what is known of them"))
        if text is not None:
            self._watcher.task(self.talk.user(text))
        elif not has_more(self.talk.transcript):
            raise BadInput("nothing was interrupted: say what is to be done")
        try:
            ending, detail = await self._turn()
        except asyncio.CancelledError:
            self._interrupted()
            self._end(Ending.INTERRUPTED, INTERRUPTED, began)
            raise
        return self._end(ending, detail, began)

    async def _turn(self) -> tuple[Ending, str]:
        while True:
            over = self._over(self.state)
            if over is not None:
                return over
            self._tell(StepStarted(self.state.step + 1))
            began = time.monotonic()
            try:
                answered = await self._answering.answer()
            except CannotFit as hopeless:
                return Ending.CANNOT_FIT, str(hopeless)
            except ModelError as error:
                return ending_of(error), advice(error)
            self.state = self.state.paid(answered.completed.usage)
            self._spent(answered, time.monotonic() - began)
            self._heard.clear()
            self.state, end = await self._next(self.state, answered)
            if end is not None:
                return end
            self._tell(Moved(self.state.move))

    async def _next(self, state: State, answered: Answered) -> tuple[State, tuple[Ending, str] | None]:
        """Give the next state after an answer, and how the turn ends, if it does."""
        said = "\n".join(filter(None, (message.text for message in answered.messages)))
        match kind_of(answered, said):
            case Said.CALLS:
                done = await self._hands.carry_out(self.talk, answered.messages)
                state = state.acted(done.sign, broke=done.broke)
                if state.times >= self._limits.remarked:
                    self._inject(SAYS_REPEATS.format(times=state.times))
                return state, None
            case Said.CUT_OFF:
                text = state.text + said if state.move is Move.CONTINUES else said
                state = state.next(Move.CONTINUES, continued=state.continued + 1, text=text)
                if state.continued > self._limits.continued:
                    return state, (Ending.COMPLETED, "the answer is longer than the model's output limit: it ends here")
                self._inject(CONTINUE)
                return state, None
            case Said.NOTHING:
                state = state.next(Move.SAID_NOTHING, empties=state.empties + 1)
                if state.empties > self._limits.empties:
                    return state, (Ending.MODEL_ERROR, "the model said nothing, again and again: ask it anew")
                self._inject(SAY_SOMETHING)
                return state, None
            case Said.FINAL:
                text = state.text + said if state.move is Move.CONTINUES else said
                return self._judged(state.next(Move.ANSWER, text=text))

    def _judged(self, state: State) -> tuple[State, tuple[Ending, str] | None]:
        """Let the gate look at a final answer: it reminds once, and then says to the person what is missing."""
        missing = self._gate.missing(self.talk) if self._gate is not None else ""
        if not missing:
            return state, (Ending.COMPLETED, "")
        if state.reminded:
            return state, (Ending.UNVERIFIED, missing)
        self._inject(f"[context: {missing} Do that now, or say plainly why it cannot be done.]")
        return state.next(Move.GATE, reminded=True), None

    def _over(self, state: State) -> tuple[Ending, str] | None:
        """Say whether a limit is reached."""
        limits, used = self._limits, state.spent.input + state.spent.output
        if state.step >= limits.steps:
            return Ending.MAX_STEPS, f"stopped after {state.step} steps: say `continue` to go on, or raise the limit"
        if limits.tokens is not None and used >= limits.tokens:
            return Ending.TOKEN_BUDGET, f"{used:,} tokens are used of {limits.tokens:,}: raise the limit to go on"
        if state.times >= limits.repeats:
            return Ending.LOOP, f"the same calls gave the same results {state.times} times: say what to do instead"
        if state.broken >= limits.failures:
            return Ending.TOOL_FAILURE, f"every call of {state.broken} steps in a row broke down in its tool"
        return None

    def _inject(self, text: str) -> None:
        """Tell the model something that no person said: it counts for neither task nor rounds."""
        self.talk.add(Message(id=new_id(), role=Role.USER, parts=(Text(text),), origin=Origin.INJECTED))

    def _interrupted(self) -> None:
        """Leave the conversation whole, and let it say that it was stopped here."""
        if self._heard.text.strip():
            text = f"{self._heard.text}\n\n[context: {INTERRUPTED} here]"
            self.talk.add(Message(id=new_id(), role=Role.ASSISTANT, parts=(Text(text),)))
            self._heard.clear()
        if not recover(self.talk, INTERRUPTED):
            self.talk.transcript.log.append(InterruptionEntry(INTERRUPTED), branch=self.talk.transcript.branch)

    def _spent(self, answered: Answered, seconds: float) -> None:
        budget = Budget.of(self.talk.policy, window=self.talk.window)
        self._tell(
            Spent(
                step=self.state.step,
                usage=answered.completed.usage,
                tokens=answered.fitted.tokens,
                budget=budget.total,
                window=budget.window,
                seconds=seconds,
            )
        )

    def _end(self, ending: Ending, detail: str, began: float) -> Ended:
        state, seconds = self.state, time.monotonic() - began
        ended = Ended(
            ending=ending, text=state.text, detail=detail, steps=state.step, spent=state.spent, seconds=seconds
        )
        self._tell(ended)
        return ended
