"""OpenAI Chat: every call is answered once, by tool messages that follow directly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.testing.validity.violation import Json, Violation, as_list, as_object


class _Batch(msgspec.Struct):
    """The calls of one assistant message, while its answers are read."""

    index: int
    waiting: set[str]
    answered: set[str]


def check_pairing(messages: Sequence[Json]) -> Iterator[Violation]:
    """Yield calls without an answer, answers without a call and answers given twice.

    An id counts within its batch only: the service takes the same id again in a later one.
    """
    batch: _Batch | None = None
    for index, message in enumerate(messages):
        if message.get("role") == "tool":
            yield from _answer(index, str(message.get("tool_call_id")), batch)
            continue
        yield from _unanswered(batch)
        ids = _call_ids(message)
        yield from _repeated(index, ids)
        batch = _Batch(index, set(ids), set()) if ids else None
    yield from _unanswered(batch)


def _call_ids(message: Json) -> list[str]:
    if message.get("role") != "assistant":
        return []
    calls = as_list(message.get("tool_calls")) or ()
    return [str(call.get("id")) for value in calls if (call := as_object(value)) is not None]


def _answer(index: int, id: str, batch: _Batch | None) -> Iterator[Violation]:
    where = f"messages.{index}"
    if batch is None:
        says = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        yield Violation("tool_message_without_call", where, f"Invalid parameter: {says}")
    elif id in batch.waiting:
        batch.waiting.discard(id)
        batch.answered.add(id)
    elif id in batch.answered:
        says = f"Duplicate value for 'tool_call_id' of '{id}' in message[{index}]."
        yield Violation("tool_message_repeated", where, says)
    else:
        says = f"'tool_call_id' of '{id}' not found in 'tool_calls' of previous message."
        yield Violation("tool_message_without_call", where, f"Invalid parameter: {says}")


def _unanswered(batch: _Batch | None) -> Iterator[Violation]:
    if batch is not None and batch.waiting:
        says = (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: "
            f"{', '.join(sorted(batch.waiting))}"
        )
        yield Violation("tool_call_unanswered", f"messages.{batch.index}", says)


def _repeated(index: int, ids: Sequence[str]) -> Iterator[Violation]:
    seen: set[str] = set()
    for position, id in enumerate(ids):
        if id in seen:
            says = f"Duplicate value for 'tool_call_id' of '{id}' in message[{index}]."
            yield Violation("call_id_repeated", f"messages.{index}.tool_calls.{position}", says)
        seen.add(id)
