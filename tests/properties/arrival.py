"""What arrived, told from outside: the bytes of a request that nobody fits, and which messages of it are damaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.properties.script import Line, request_of
from tests.properties.walking import Step, texts_of
from unabridged.message import Media, MediaKind, Message, Role, media_of
from unabridged.testing.validity import Violation, violations

MANY_PICTURES = 20


@dataclass
class _Batch:
    """Calls of one message, while their results arrive right behind it."""

    waiting: list[str]
    answers: list[int] = field(default_factory=list[int])


def raw_texts(step: Step) -> list[str]:
    """Give the messages of the transcript as they came in; those made by hand as the wire writes them, if it can."""
    if all(line.raw is not None for line in step.lines):
        return [line.raw or "" for line in step.lines]
    sayable = [line.message for line in step.lines if texts_of(step, line)]
    return step.engine.wire.write_messages(sayable, step.transcript.log.media)


def arrived(step: Step) -> str:
    """Give the request as a client without an engine would send it."""
    return request_of(step.story, raw_texts(step))


def complaints(step: Step) -> list[Violation]:
    """List what the provider would refuse in the request as it arrived."""
    return violations(step.dialect, arrived(step).encode("utf-8", "backslashreplace"))


def damaged(lines: Sequence[Line], dialect: str) -> set[int]:
    """Give the positions of messages in which something is not as the provider wants it, or which have to be moved."""
    hurt = {at for at, line in enumerate(lines) if line.broken or line.is_odd}
    batch: _Batch | None = None
    for at, line in enumerate(lines):
        if line.message.results:
            hurt |= _take(batch, at, line.message)
            if len(line.message.results) < len(line.message.parts):
                hurt |= _close(batch, dialect)  # words behind results end them: what is missing is put in there
                batch = None
            continue
        if batch is not None and not batch.answers and dialect == "anthropic" and line.message.role is Role.ASSISTANT:
            batch.waiting += [call.id for call in line.message.calls]  # neighbours are one turn, answered together
            continue
        hurt |= _close(batch, dialect)
        batch = _Batch([call.id for call in line.message.calls]) if line.message.calls else None
    hurt |= _close(batch, dialect)
    with_pictures = {at for at, line in enumerate(lines) if _pictures(line.message)}
    if sum(_pictures(line.message) for line in lines) > MANY_PICTURES:
        hurt |= with_pictures
    if dialect == "anthropic":
        hurt |= {at for at, line in enumerate(lines) if line.message.role is Role.SYSTEM}
    moved = {at for at in hurt if lines[at].message.results}  # a late result goes up to its call
    asked = max(
        (at for at, line in enumerate(lines) if line.message.role is not Role.ASSISTANT and at not in moved), default=-1
    )
    return hurt | set(range(asked + 1, len(lines)))  # answers at the end are one turn, and lose its white space


def _take(batch: _Batch | None, at: int, message: Message) -> set[int]:
    if batch is None:
        return {at}
    batch.answers.append(at)
    for result in message.results:
        if result.call_id not in batch.waiting:
            return {at, *batch.answers}
        batch.waiting.remove(result.call_id)
    return set()


def _close(batch: _Batch | None, dialect: str) -> set[int]:
    """Results that wait for others, or come in several messages where one is usual, are put together anew."""
    if batch is None:
        return set()
    together = dialect == "anthropic" and (len(batch.answers) > 1 or bool(batch.waiting))
    return set(batch.answers) if together else set()


def _pictures(message: Message) -> int:
    return sum(isinstance(media, Media) and media.kind is MediaKind.IMAGE for media in media_of(message))
