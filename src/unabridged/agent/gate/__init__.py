"""The completion gate: when the model says that it is done, is what was asked for shown to be so?

It looks at what the person wrote, by its meaning, and at what the log holds: which command ran, how it ended, and
whether anything was changed after it. It never blocks: it reminds once, and then the person is told together with the
answer. A question is never held up.
"""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.agent.gate.evidence import Shown, evidence_of
from unabridged.agent.gate.requests import Check, checks_in, ends_with_question
from unabridged.conversation import Conversation
from unabridged.message import Message
from unabridged.summarizer.gathering.steps import Step, steps_of
from unabridged.summarizer.gathering.todos import todos_of
from unabridged.summarizer.record import State
from unabridged.transcript import Transcript

MOST_TODOS = 5
"""Open to-dos that are named."""
NAMES = {
    Check.TESTS: "the tests",
    Check.LINT: "the linter",
    Check.TYPES: "the type checker",
    Check.BUILD: "the build",
}


class CompletionGate:
    """Looks at the newest turn of a conversation."""

    def missing(self, talk: Conversation) -> str:
        """Give what was asked for and is not shown to be so, in sentences; "" where nothing is missing."""
        said, done = _turn(talk.transcript)
        if not done or ends_with_question(done[-1].text):
            return ""
        steps = steps_of(done)
        wanted = {check for message in said for check in checks_in(message.text)}
        lines = [line for check in Check if check in wanted and (line := _line(check, steps))]
        return " ".join([*lines, *_open(steps)])


def _turn(transcript: Transcript) -> tuple[list[Message], list[Message]]:
    """Give what people said last, and everything since."""
    records = transcript.records
    if not transcript.humans:
        return [], []
    first = last = transcript.humans[-1]
    while first and records[first - 1].message.is_human:
        first -= 1
    said = [records[at].message for at in range(first, last + 1)]
    return said, [records[at].message for at in range(last + 1, len(records))]


def _line(check: Check, steps: Sequence[Step]) -> str:
    """Say what is missing of a check; "" where it is shown."""
    found = evidence_of(check, steps)
    match found.shown:
        case Shown.PASSED:
            return ""
        case Shown.FAILED:
            return f"The user wants {NAMES[check]} to pass, and `{found.command}` {found.outcome}."
        case Shown.STALE:
            return f"{found.changed} was changed after `{found.command}` ran: run {NAMES[check]} again."
        case Shown.ABSENT:
            return f"The user asked for {NAMES[check]}, and no command of this turn ran that."


def _open(steps: Sequence[Step]) -> list[str]:
    """Say which to-dos are open, of a list that this turn has touched: an older one is nobody's business now."""
    listed = todos_of(steps, ())
    left = [todo.text for todo in listed or () if todo.state is not State.DONE]
    if not left:
        return []
    more = f", and {len(left) - MOST_TODOS} more" if len(left) > MOST_TODOS else ""
    return [f"To-dos are open: {'; '.join(left[:MOST_TODOS])}{more}."]
