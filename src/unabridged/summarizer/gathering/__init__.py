"""A record of messages, gathered without a model in one pass over them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from unabridged.message import Message, Origin
from unabridged.summarizer.gathering.commands import ran_of, settled
from unabridged.summarizer.gathering.files import files_of, merged
from unabridged.summarizer.gathering.names import names_of
from unabridged.summarizer.gathering.pictures import pictures_of
from unabridged.summarizer.gathering.rounds import rounds_of
from unabridged.summarizer.gathering.steps import steps_of
from unabridged.summarizer.gathering.todos import checkboxes_of, todos_of
from unabridged.summarizer.gathering.typed import typed
from unabridged.summarizer.paths import endings
from unabridged.summarizer.quoting import brief
from unabridged.summarizer.record import Record, Todo

LONGEST_TASK = 160
# Claude Code's summaries begin with how they came about, and end with what to do next: by now that is over.
_BEGINS = "\nSummary:\n"
_NEXT = re.compile(
    r"^(?:#+ )?(?:\d+\. )?\**(?:Optional )?[Nn]ext [Ss]teps?:?\**:?[ \t]*$"
    r"|^If you need specific details from before\b|^(?:Please c|C)ontinue the conversation from where\b",
    re.MULTILINE,
)
BY_CLIENT = "(Written by the client when the conversation was younger: what is recorded below goes on from it.)"


def gather(
    messages: Sequence[Message], *, media: Mapping[str, bytes], task: Message | None, before: Record, whole: int
) -> Record:
    """Give what is known of messages. `before` is what was known earlier; to-do lists go on from there.

    A person's message of up to `whole` characters stands in full.
    """
    steps = steps_of(messages)
    failures, commands = settled(chain(before.failures, before.commands, ran_of(steps)))
    files = merged(chain.from_iterable(map(files_of, steps)))
    summaries = [message.text.strip() for message in messages if message.origin is Origin.CLIENT_SUMMARY]
    return Record(
        prose=_by_client(summaries[-1]) if summaries else "",
        task=brief(typed(task), LONGEST_TASK) if task else "",
        rounds=tuple(rounds_of(messages, steps, whole=whole)),
        todos=_todos(todos_of(steps, before.todos), checkboxes_of(messages), before.todos),
        failures=failures,
        files=files,
        commands=commands,
        names=names_of(messages, (name for file in files for name in (file.path, *endings(file.path)))),
        pictures=tuple(pictures_of(messages, steps, media)),
    )


def _by_client(summary: str) -> str:
    _, begins, rest = summary.partition(_BEGINS)
    text = rest if begins else summary
    over = _NEXT.search(text)
    text = text[: over.start()].strip() if over else text.strip()
    return f"{BY_CLIENT}\n\n{text}" if text else ""


def _todos(listed: tuple[Todo, ...] | None, boxes: tuple[Todo, ...], before: tuple[Todo, ...]) -> tuple[Todo, ...]:
    """Give the list in force: a tool's, else checkboxes where they go on with what was known, or nothing was."""
    if listed is not None:
        return listed
    known = {todo.text for todo in before}
    return boxes if boxes and (not before or any(box.text in known for box in boxes)) else before
