"""`Permissions` as the agent has them: rules and mode first, then a person, and what they said is remembered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from unabridged.agent.access import Access, Asked, Fetches, Reads, Runs, Verdict, Writes
from unabridged.agent.permissions.commands import command_rulings
from unabridged.agent.permissions.questions import Answer, Ask, Choice, Danger, Mode, Question
from unabridged.agent.permissions.rule_files import RuleFile
from unabridged.agent.permissions.rules import Effect, Rule, Rules
from unabridged.agent.permissions.ruling import (
    ALLOWED,
    Policy,
    Ruling,
    fetch_ruling,
    read_ruling,
    tool_ruling,
    write_ruling,
)

_DANGERS = list(Danger)


class Gate:
    """Judges the calls of one session."""

    def __init__(self, policy: Policy, ask: Ask | None = None, keeps: RuleFile | None = None) -> None:
        """`ask` reaches a person, where there is one; `keeps` is the user's own file, for what is allowed always."""
        self.policy = policy
        self._ask = ask
        self._keeps = keeps
        self._one_at_a_time = asyncio.Lock()

    @property
    def mode(self) -> Mode:
        """The mode that holds now."""
        return self.policy.mode

    def switch(self, mode: Mode) -> None:
        """Change the mode, for the calls that follow."""
        self.policy = msgspec.structs.replace(self.policy, mode=mode)

    def judge(self, asked: Asked) -> list[Ruling]:
        """Say what rules and mode make of a call, without asking anybody."""
        rulings = [each for access in asked.touches for each in self._access(access)]
        named = tool_ruling(self.policy, asked.tool, reads_only=asked.reads_only or bool(asked.touches))
        return [named, *rulings]

    async def allow(self, asked: Asked) -> Verdict:
        """Judge one call, and ask about it where that is left open."""
        decided = self._decided(await asyncio.to_thread(self.judge, asked))
        if decided is not None:
            return decided
        async with self._one_at_a_time:
            # Another call may have been allowed for the session while this one waited.
            rulings = await asyncio.to_thread(self.judge, asked)
            decided = self._decided(rulings)
            if decided is not None:
                return decided
            question = _question(asked, rulings)
            if self._ask is None:
                return Verdict(False, _nobody(question))
            return self._answered(question, await self._ask(question))

    def _access(self, access: Access) -> Sequence[Ruling]:
        if isinstance(access, Reads):
            return [read_ruling(self.policy, access.path)]
        if isinstance(access, Writes):
            return [write_ruling(self.policy, access.path)]
        if isinstance(access, Fetches):
            return [fetch_ruling(self.policy, access.url)]
        assert isinstance(access, Runs)
        return command_rulings(self.policy, access.command, access.folder)

    def _decided(self, rulings: Sequence[Ruling]) -> Verdict | None:
        worst = max(rulings, key=lambda ruling: ruling.effect, default=ALLOWED)
        if worst.effect is Effect.DENY:
            return Verdict(False, f"not allowed: {worst.why}")
        return Verdict(True) if worst.effect is Effect.ALLOW else None

    def _answered(self, question: Question, answer: Answer) -> Verdict:
        if answer.choice is Choice.REJECT:
            return Verdict(False, f"the user said no: {answer.comment}" if answer.comment else "the user said no")
        rules = Rules(tuple(Rule.parse(text) for text in question.rules))
        if answer.choice in (Choice.SESSION, Choice.ALWAYS) and rules.each:
            session = Rules((*self.policy.session.each, *rules.each))
            self.policy = msgspec.structs.replace(self.policy, session=session)
        if answer.choice is Choice.ALWAYS and self._keeps is not None:
            self._keeps.add(rules)
        return Verdict(True, answer.comment)


def _question(asked: Asked, rulings: Sequence[Ruling]) -> Question:
    open_ones = [ruling for ruling in rulings if ruling.effect is Effect.ASK]
    proposed = [ruling.proposes for ruling in open_ones]
    return Question(
        tool=asked.tool,
        title=asked.title,
        preview=asked.preview,
        touches=asked.touches,
        # One piece that no rule may allow for good, and the whole is asked about again.
        rules=tuple(dict.fromkeys(proposed)) if all(proposed) else (),
        danger=max((ruling.danger for ruling in open_ones), key=_DANGERS.index),
        why=tuple(dict.fromkeys(ruling.why for ruling in open_ones)),
    )


def _nobody(question: Question) -> str:
    reasons = "; ".join(question.why)
    options = " ".join(f"--allow {rule.removeprefix('allow ')!r}" for rule in question.rules)
    remedy = f"the option {options} allows it" if options else "no rule can allow this: the user has to run it"
    return f"this needs the user's permission and nobody can be asked here ({reasons}); {remedy}"
