"""Makes conversations of recorded requests: one each, with its frame, its messages and what was reported."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from unabridged.errors import BadInput
from unabridged.importers.answers import answer_of
from unabridged.importers.dialect import LISTED, RESPONSES, dialect_of, is_bedrock
from unabridged.importers.imported import Imported, RecordedCall
from unabridged.importers.json_reading import fields_of, text_of
from unabridged.importers.requests import Placed, Request, find_requests, request_of
from unabridged.message import Origin
from unabridged.wire import Wire, wire

_BEDROCK = "a request to Bedrock's Converse: its content is kept as it is and not understood"


def read_recorded(data: bytes, name: str, default: str) -> Iterator[Imported]:
    """Read every request of a file in its own dialect; `default` is for those that could be either's."""
    requests = find_requests(data)
    several = len(requests.found) > 1
    digest = hashlib.sha256(data).hexdigest()[:12]
    conversations: list[Imported] = []
    for position, request in enumerate(requests.found, 1):
        prefix, title = (f"{digest}-{position}", f"{name}#{position}") if several else (digest, name)
        try:
            conversations.append(_conversation(request, title, prefix, default))
        except BadInput as error:
            requests.problems.append(_placed(request.place, str(error)))
    if not conversations:
        raise BadInput(f"{name}: none of its messages can be read: {(*requests.problems, 'there are none')[0]}")
    first = conversations[0]
    conversations[0] = msgspec.structs.replace(first, problems=(*requests.problems, *first.problems))
    yield from conversations


def dialect_of_file(head: bytes) -> str | None:
    """Give the dialect of the first request that shows one; None where no request does."""
    dialects = (dialect_of(fields_of(request.body)) for request in find_requests(head).found)
    return next((dialect for dialect in dialects if dialect is not None), None)


def _conversation(request: Request, name: str, prefix: str, default: str) -> Imported:
    fields = fields_of(request.body)
    spoken = wire(dialect_of(fields) or default)
    problems = [_placed(request.place, _BEDROCK)] if is_bedrock(fields) else list[str]()
    try:
        conversation = _read(spoken, request, name, prefix)
    except BadInput:
        kept = [single for single in request.singles if _is_readable(spoken, single, problems)]
        if not kept:
            raise
        conversation = _read(spoken, request_of(kept), name, prefix)
    conversation = _with_answer(spoken, conversation, request.response, prefix)
    if not conversation.messages:
        raise BadInput("a request without messages")
    return msgspec.structs.replace(conversation, problems=tuple(problems))


def _read(spoken: Wire, request: Request, name: str, prefix: str) -> Imported:
    frame, messages, media = spoken.read_request(request.body, id_prefix=prefix)
    model = text_of(fields_of(request.body), "model")
    answers = [place for place, message in enumerate(messages) if message.origin is Origin.MODEL]
    calls = tuple(RecordedCall(answer=place, model=model) for place in answers)
    return Imported(name=name, dialect=spoken.name, frame=frame, messages=messages, media=media, calls=calls)


def _is_readable(spoken: Wire, single: Placed, problems: list[str]) -> bool:
    place, raw = single
    try:
        spoken.read_message(bytes(raw).decode(), id="of this record")
    except BadInput as error:
        problems.append(_placed(place, str(error)))
        return False
    return True


def _with_answer(spoken: Wire, conversation: Imported, response: msgspec.Raw | None, prefix: str) -> Imported:
    answer = None if response is None else answer_of(response)
    if answer is None or answer.message is None:
        return conversation
    place = len(conversation.messages)
    # The frame is of no interest here; of OpenAI Responses one answer may be several messages.
    listed = answer.message if spoken.name == RESPONSES else f"[{answer.message}]"
    member = next((member for member, dialect in LISTED.items() if dialect == spoken.name), "messages")
    body = f'{{"{member}":{listed}}}'
    _, messages, media = spoken.read_request(body.encode(), id_prefix=prefix)
    # Leading system messages are no part of `messages` but have taken numbers.
    first = place + len(conversation.frame.system)
    numbered = (msgspec.structs.replace(each, id=f"{prefix}-{at:06d}") for at, each in enumerate(messages, first))
    call = RecordedCall(answer=place, usage=spoken.usage(answer.reported), model=answer.model)
    return msgspec.structs.replace(
        conversation,
        messages=(*conversation.messages, *numbered),
        media=conversation.media | media,
        calls=(*conversation.calls, call),
    )


def _placed(place: str, text: str) -> str:
    return f"{place}: {text}" if place else text
