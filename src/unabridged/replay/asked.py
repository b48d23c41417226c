"""`--why ID`: what became of one message, why, where that was decided, and what was cut out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from unabridged.errors import BadInput
from unabridged.importers import Imported
from unabridged.message import Message
from unabridged.plan import Verdict
from unabridged.replay import ink
from unabridged.replay.outlet import Job
from unabridged.replay.summaries import Told, summary_in
from unabridged.replay.trail import Fate, Trail
from unabridged.replay.walk import Step
from unabridged.replay.words import REASONS, VERDICTS, number_of, place_of, ranges_of
from unabridged.view import SUMMARY


class Asked:
    """Answers the question for one message, at a step or at the end."""

    def __init__(self, console: Console, asked: str, *, step: int | None) -> None:
        self._console = console
        self._asked = asked
        self._step = step

    def show(self, job: Job) -> None:
        """Walk up to the step and answer. Raises `BadInput` for a message or a step that is not there."""
        conversation = job.conversation
        message = found(conversation, self._asked)
        if message is None and self._asked.startswith(SUMMARY):
            self._summary(job)
            return
        if message is None:
            numbers = [number_of(each) for each in conversation.messages]
            known = f"its messages are {numbers[0]} to {numbers[-1]}" if numbers else "it is empty"
            raise BadInput(f"{job.file}: no message {self._asked!r} in {conversation.name}: {known}")
        trail, story, last = Trail(conversation.messages), Story(), None
        for step in job.steps:
            trail.follow(step)
            last = step
            if step.decides or (step.fitted is not None and step.fitted.undo is not None):
                story.take(step, trail.fate(message.id))
            if step.number == self._step:
                break
        if last is None or self._step not in (None, last.number):
            wanted = "model call" if self._step is None else f"call {self._step}"
            raise BadInput(f"{job.file}: no {wanted} in {conversation.name}: it has {last.number if last else 0:,}")
        later = conversation.messages.index(message) >= last.messages
        why = "it comes after this call" if later else story.why(message, last)
        self._print([("conversation", conversation.name), *_facts(message, last, story, why)])

    def _summary(self, job: Job) -> None:
        trail = Trail(job.conversation.messages)
        told = Told(self._asked, trail)
        for step in job.steps:
            trail.follow(step)
            told.take(step)
            if step.number == self._step:
                break
        if not told.is_found:
            raise BadInput(
                f"{job.file}: no request of {job.conversation.name} holds {self._asked!r}: see --why of a message"
            )
        self._print([("conversation", job.conversation.name), *told.facts()])

    def finish(self) -> None:
        """End the output: nothing is left to say."""

    def _print(self, facts: Iterable[tuple[str, str]]) -> None:
        table = Table.grid(padding=(0, 2))
        table.add_column(style=ink.DIM, no_wrap=True)
        table.add_column()
        for name, value in facts:
            table.add_row(name, Text(value, "bold" if name == "verdict" else ""))
        self._console.print(table)


class Story:
    """How the fate of one message changed, from fit to fit."""

    def __init__(self) -> None:
        self.chapters: list[tuple[Step, Fate]] = []

    @property
    def fate(self) -> Fate:
        """What holds now."""
        return self.chapters[-1][1] if self.chapters else Fate()

    def take(self, step: Step, fate: Fate) -> None:
        """Take in what holds after a fit. What left the view keeps the reason for which it left."""
        same = bool(self.chapters) and (self.fate.verdict, self.fate.cuts) == (fate.verdict, fate.cuts)
        if same and fate.verdict in (Verdict.KEEP, Verdict.COMPACT):  # what is compacted stands in the newest summary
            self.chapters[-1] = (step, fate)
        elif not same and (self.chapters or fate.step is not None):
            self.chapters.append((step, fate))

    def why(self, message: Message, last: Step) -> str:
        """Give the reason in words. What no fit decided may still be left out or mended by a repair."""
        words = REASONS[self.fate.reason]
        if last.fitted is None or self.fate.verdict in (Verdict.DROP, Verdict.COMPACT):
            return words
        shown = next((item for item in last.fitted.items if item.source == message.id), None)
        if shown is None:
            return "a repair left it out: the provider would refuse it"
        mended = shown.changed and not self.fate.cuts
        return f"{words}; a repair changed it, since the provider would refuse it" if mended else words


def found(conversation: Imported, asked: str) -> Message | None:
    """Give the message with this id, or with the number that its id ends with."""
    by_id = next((message for message in conversation.messages if message.id == asked), None)
    if by_id is not None or not asked.isdigit():
        return by_id
    wanted = str(int(asked))
    return next((message for message in conversation.messages if number_of(message) == wanted), None)


def _facts(message: Message, last: Step, story: Story, why: str) -> Iterator[tuple[str, str]]:
    yield "message", f"{number_of(message)}, {message.role.value} ({message.id})"
    yield "at call", f"{last.number:,}, {last.messages:,} messages so far"
    yield "verdict", VERDICTS[story.fate.verdict]
    yield "why", why
    if story.fate.verdict is Verdict.COMPACT:
        place = summary_in(last.fitted)
        stands = "" if place is None else f": {place} of call {last.number:,}"
        yield "summary", f"stands in that of {story.fate.checkpoint}{stands}"
    if story.chapters:
        yield "decided", _decided(story.chapters[-1][0])
    for cut in story.fate.cuts:
        yield "cut", f"{place_of(cut)}: {ranges_of(cut)}"
    for step, fate in story.chapters[-2::-1]:
        yield "before that", f"{VERDICTS[fate.verdict]} at call {step.number:,}: {REASONS[fate.reason]}"


def _decided(step: Step) -> str:
    report = step.report
    if report is None:
        return f"at call {step.number:,}"
    return (
        f"at call {step.number:,}, {'between two steps of a turn' if step.in_turn else 'before a turn'}: "
        f"{report.tokens_before:,} to {report.tokens_after:,} tokens of {report.budget:,}"
    )
