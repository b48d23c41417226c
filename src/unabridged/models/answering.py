"""One answer from a model, whatever its provider refuses on the way.

    answering = Answering(talk, model)
    talk.user("Fix the failing test.")
    answered = await answering.answer()

What is said is appended, and what it cost is learned from. Where the request is refused as too long, the window is
learned and the request made smaller; where too much output was asked for, less is asked and the history stays. Nothing
goes out twice unchanged, and nothing at all once the provider has run tools for an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

import msgspec

from unabridged.budget import Budget
from unabridged.conversation import Conversation
from unabridged.engine import Overflow
from unabridged.errors import BadInput, CannotFit
from unabridged.fitted import Fitted
from unabridged.message import Message
from unabridged.models.counting import TRIES, Counting
from unabridged.models.model import Completed, Event, Model, ModelError
from unabridged.models.overflow import ErrorKind, Meaning, meaning_of
from unabridged.models.refusal.meaning import least_answer
from unabridged.models.truncation import CutReason, Exchange, SilentCut, silent_cut
from unabridged.report import Report
from unabridged.wire import wire

CHANGES = 2
"""How often a refused request is changed and sent again, at most; a smaller output limit counts as one."""
EXCHANGES = 8
"""Reports that are compared for what a server cut without a word."""
LESS_OUTPUT = 2
"""By what an output limit is divided that was refused as too high without a word about what may be asked."""

MOST_OFF = 4
"""How many times what we count a provider may count: base64 takes three times as much in some vocabularies."""

_FOR_GOOD = frozenset({ErrorKind.OVERFLOW, ErrorKind.OUTPUT_LIMIT, ErrorKind.PAYLOAD, ErrorKind.CONTENT_FILTER})
"""What no waiting changes: what was said last goes out of the branch, or each further turn is refused as well."""
_SURE = (CutReason.STANDS_STILL, CutReason.NO_ROOM)
"""What proves a window. One report that fills a power of two may be chance; the next one then stands still."""
_TOO_LARGE = (ErrorKind.OVERFLOW, ErrorKind.PAYLOAD)


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What came of asking."""

    messages: tuple[Message, ...]
    """What the model said, as appended. Empty where it said nothing at all."""
    completed: Completed
    fitted: Fitted
    """The request that was answered."""
    refused: tuple[Meaning, ...] = ()
    """Why earlier requests of this step were not, oldest first."""
    cut: SilentCut | None = None
    """The server seems to have read only a part, and said nothing."""

    @property
    def calls(self) -> int:
        """Calls that the model asks for."""
        return sum(len(message.calls) for message in self.messages)


class Answering:
    """Asks one model on behalf of one conversation, step after step."""

    def __init__(
        self,
        talk: Conversation,
        model: Model,
        *,
        on_event: Callable[[Event], None] | None = None,
        on_report: Callable[[Report], None] | None = None,
        on_window: Callable[[int], None] | None = None,
    ) -> None:
        """Use a conversation of the model's dialect.

        `on_event` is told what streams in, `on_report` what a fit came to, `on_window` a window that a refusal taught:
        keep it, and the next conversation begins with it. Raises `BadInput` where the dialects differ.
        """
        if talk.frame.dialect != model.dialect:
            raise BadInput(
                f"the conversation speaks {talk.frame.dialect}, and {model.name} {model.dialect}: "
                f"make it with Conversation(dialect={model.dialect!r}, log=...)"
            )
        self.talk = talk
        self.model = model
        self._on_event = on_event
        self._on_report = on_report
        self._on_window = on_window
        self._counting = Counting(talk, model)
        self._exchanges: list[Exchange] = []
        self._is_asking = False
        if talk.window is None and model.window is not None and not talk.learn_window(model.window):
            talk.window = model.window  # too small for any conversation: the first fit says so
        if not talk.frame.endpoint and model.endpoint:  # not the provider's own: it may well render a chat template
            talk.frame = msgspec.structs.replace(talk.frame, endpoint=model.endpoint, guards=True)

    async def answer(self) -> Answered:
        """Give the model's next answer, appended to the conversation.

        Raises `CannotFit` before any call, and `ModelError` where the provider does not answer. What it will never
        take is taken back out of the branch then: the next request is no larger than the last that was answered.
        """
        if self._is_asking:
            raise BadInput("this conversation is being answered: wait for it, or cancel it, before you ask again")
        self._is_asking = True
        try:
            return await self._answer()
        finally:
            self._is_asking = False

    async def _answer(self) -> Answered:
        fitted = await self._fitted()
        refused: list[Meaning] = []
        while True:
            try:
                completed = await self._stream(fitted.body())
            except ModelError as error:
                refused.append(self._understood(error, fitted))
                smaller = None if error.ran else await self._changed(refused, fitted, error)
                if smaller is None:
                    self._give_up(refused)
                    raise
                fitted = smaller
            else:
                return self._took(fitted, completed, refused)

    async def _fitted(self) -> Fitted:
        await self._counting.prepare()
        fitted = await self.talk.fit_async(on_report=self._on_report)
        for _ in range(TRIES):  # a summary is as long as it turned out to be, and each count may plan another view
            if await self._counting.agrees(fitted):
                break
            fitted = await self.talk.fit_async(on_report=self._on_report)
        return fitted

    async def _stream(self, body: bytes) -> Completed:
        completed = Completed(items=())
        async with aclosing(self.model.stream(body)) as events:
            async for event in events:
                if self._on_event is not None:
                    self._on_event(event)
                if isinstance(event, Completed):
                    completed = event
        return completed

    def _took(self, fitted: Fitted, completed: Completed, refused: list[Meaning]) -> Answered:
        """Append an answer and what it cost."""
        cut, messages = None, tuple[Message, ...]()
        with self.talk.transcript.log.step():
            if completed.usage is not None:
                self.talk.answered(completed.usage)
            if completed.items:
                messages = tuple(self.talk.add_all(completed.dicts()))
        if completed.usage is not None:
            self._counting.reported(completed.usage.input)
            self._exchanges = [*self._exchanges[1 - EXCHANGES :], Exchange(fitted.tokens, completed.usage)]
            cut = silent_cut(self._exchanges, window=self.talk.window)
            if cut is not None and cut.limit is not None and cut.reason in _SURE:
                self._learn(cut.limit)
        return Answered(messages=messages, completed=completed, fitted=fitted, refused=tuple(refused), cut=cut)

    def _understood(self, error: ModelError, fitted: Fitted) -> Meaning:
        """Look at a refusal again, with what is known here: how large the request was, and for which window."""
        meaning = error.meaning
        if meaning.kind is not ErrorKind.OTHER or meaning.status not in (400, 413):
            return meaning
        most = self._budget.total  # no request of ours comes near the window
        found = meaning_of(meaning.quote, status=meaning.status, sent=fitted.tokens, window=most)
        return found if found.kind is ErrorKind.OVERFLOW else meaning

    async def _changed(self, refused: list[Meaning], fitted: Fitted, error: ModelError) -> Fitted | None:
        """Give another request than the one that was refused; None where there is none worth sending."""
        meaning = refused[-1]
        suspected = sum(each.suspected for each in refused)
        if len(refused) > CHANGES or suspected > 1:
            return None
        if meaning.kind is ErrorKind.OUTPUT_LIMIT:
            changed = await self._with_less_output(meaning, fitted)
            if changed is not None:
                return changed
        if meaning.kind not in (*_TOO_LARGE, ErrorKind.OUTPUT_LIMIT):
            return None
        return await self._smaller(meaning, fitted, error)

    async def _smaller(self, meaning: Meaning, fitted: Fitted, error: ModelError) -> Fitted | None:
        limit = self._believable(meaning, fitted)
        if limit is not None:
            self._learn(limit)
        try:
            changed = await self.talk.fit_async(overflow=Overflow(limit), on_report=self._on_report)
        except CannotFit as hopeless:
            raise hopeless from error
        shrank = changed.sent.price < fitted.sent.price and len(changed.body()) < len(fitted.body())
        return changed if shrank else None

    def _believable(self, meaning: Meaning, fitted: Fitted) -> int | None:
        """Give the window that a refusal names; None for bytes, and for one that the refused request does not reach."""
        if meaning.limit is None or meaning.kind is ErrorKind.PAYLOAD:
            return None
        asked = wire(self.talk.frame.dialect).max_output(fitted.frame) or meaning.output or 0
        most = max(MOST_OFF * fitted.tokens, meaning.input or 0) + asked
        return meaning.limit if meaning.limit <= most else None

    async def _with_less_output(self, meaning: Meaning, fitted: Fitted) -> Fitted | None:
        """Ask for less output before the history is touched; None where too little would be left of the answer."""
        lower = wire(self.talk.frame.dialect)
        asked = lower.max_output(fitted.frame) or meaning.output
        allowed = meaning.output_allowed
        if allowed is None and meaning.limit is not None and meaning.input is not None:
            allowed = meaning.limit - meaning.input
        if allowed is None and asked is not None:
            allowed = asked // LESS_OUTPUT
        least = least_answer(meaning.limit or self._budget.window)
        if allowed is None or allowed < min(least, asked or least) or (asked is not None and allowed >= asked):
            return None
        if meaning.over_window:  # the window is to blame, and holds for the next request too; so does its budget
            if meaning.limit is not None:
                self._learn(meaning.limit)
        else:
            self.talk.frame = lower.with_max_output(self.talk.frame, allowed)
        return msgspec.structs.replace(fitted, frame=lower.with_max_output(fitted.frame, allowed))

    @property
    def _budget(self) -> Budget:
        return Budget.of(self.talk.policy, window=self.talk.window)

    def _learn(self, limit: int) -> None:
        """Take in a window that a server has shown to have."""
        if self.talk.learn_window(limit) and self._on_window is not None:
            self._on_window(limit)

    def _give_up(self, refused: list[Meaning]) -> None:
        if refused[-1].kind in _FOR_GOOD:
            self.talk.take_back(f"{refused[-1].kind.value}: {refused[-1].quote}")
