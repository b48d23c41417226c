"""What an interrupted turn left open, and how the next one goes on from it.

Each open call is one of two things, and a model must not take one for the other: *never started*, so that it may simply
be asked for again; or *started and interrupted*, so that nobody knows what it did. Answered ones need nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from unabridged.conversation import Conversation
from unabridged.entry import InterruptionEntry, StartedEntry
from unabridged.log import Log
from unabridged.message import Role, ToolCall
from unabridged.transcript import Record, Transcript

INTERRUPTED = "the worker that ran this turn stopped before its end"


class State(StrEnum):
    """How far a call came."""

    NEVER_STARTED = "never_started"
    INTERRUPTED = "interrupted"
    ANSWERED = "answered"


NOTES = {
    State.NEVER_STARTED: (
        "[context: this call was never started: the session was interrupted before it. Nothing happened; make it again"
        " if it is still needed]"
    ),
    State.INTERRUPTED: (
        "[context: this call was interrupted while it ran, and its outcome is uncertain: it may have done all of its"
        " work, a part of it, or none. Inspect what is there before retrying]"
    ),
}
"""What stands for the result of a call that has none."""


class CallState(msgspec.Struct, frozen=True):
    """A call of the newest answer, and how far it came."""

    call: ToolCall
    message: str
    """Id of the message that asks for it."""
    state: State


def started(log: Log, message: str, call_id: str, *, branch: str | None = None) -> None:
    """Note that a call is about to run. Append it before the tool does anything: a crash then leaves no doubt.

    `message` is the id of the one that asks for it; `branch` is the newest, if none is given.
    """
    log.append(StartedEntry(call_id, message), branch=branch or log.newest_branch)


def call_states(transcript: Transcript) -> tuple[CallState, ...]:
    """Give the calls of the newest answer, each with how far it came. None where a person has spoken since."""
    asking = [record for record in _newest_step(transcript) if record.message.calls]
    if not asking:
        return ()
    began = Counter(
        (entry.payload.message, entry.payload.call_id)
        for entry in transcript.log.since(asking[0].seq)  # of any branch: what ran has run
        if isinstance(entry.payload, StartedEntry)
    )
    answered = Counter(result.call_id for record in _newest_step(transcript) for result in record.message.results)
    calls = [(record.message.id, call) for record in asking for call in record.message.calls]
    return tuple(CallState(call, message, _state(message, call, began, answered)) for message, call in calls)


def _state(message: str, call: ToolCall, began: Counter[tuple[str, str]], answered: Counter[str]) -> State:
    """Give how far a call came, and count off what shows it: the next of the same id goes by what is left."""
    state = State.NEVER_STARTED
    if began[message, call.id]:
        began[message, call.id] -= 1
        state = State.INTERRUPTED
    if answered[call.id]:
        answered[call.id] -= 1
        state = State.ANSWERED
    return state


def recover(talk: Conversation, why: str = INTERRUPTED) -> tuple[CallState, ...]:
    """Answer every open call of an interrupted turn with what is known of it, so that the next request is whole.

    Gives the calls that were open; none where nothing was interrupted. What was appended says of itself that it comes
    from no tool.
    """
    open_calls = tuple(each for each in call_states(talk.transcript) if each.state is not State.ANSWERED)
    if not open_calls:
        return ()
    ids = tuple(each.call.id for each in open_calls)
    talk.transcript.log.append(InterruptionEntry(why, ids), branch=talk.transcript.branch)
    for each in open_calls:
        talk.result(each.call.id, NOTES[each.state], is_error=True)
    return open_calls


def _newest_step(transcript: Transcript) -> Sequence[Record]:
    """Give the newest answer and its results, oldest first."""
    records = transcript.records
    start = len(records)
    while start and records[start - 1].message.results:
        start -= 1
    while start and records[start - 1].message.role is Role.ASSISTANT:
        start -= 1
    return records[start : len(records)]
