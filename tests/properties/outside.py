"""The engine seen from outside: plain JSON, exact counts by another tokenizer, and the arithmetic of the design.

Nothing here calls the engine, its strategies or its repair.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from tests.verify import payload
from unabridged.message import Media, MediaKind, Message, Part, Reasoning, Role, Text, ToolResult, media_of
from unabridged.policy import Policy
from unabridged.tokens.media import describe, media_tokens

SMALLEST_ANSWER = 1_024


@dataclass(frozen=True)
class Room:
    """The arithmetic of a budget, worked out a second time."""

    window: int
    reserve: int
    budget: int
    limit: int

    @classmethod
    def of(cls, policy: Policy, window: int, asked: int | None) -> Room:
        """Work it out for a policy, the model's window and the output limit that the request asks for."""
        size = min(window, policy.max_context_tokens or window)
        low = size - int(size * policy.threshold)
        wanted = asked if asked is not None else (policy.reserve_output_tokens or 0)
        reserve = max(low, min(wanted, size // 2))
        return cls(size, reserve, size - reserve, size - min(SMALLEST_ANSWER, size // 32))


@lru_cache(maxsize=4_000)
def count(text: str) -> int:
    """Give exact o200k tokens, by a tokenizer that the engine does not use."""
    return payload.count(text)


@lru_cache(maxsize=2_000)
def tokens_of(message: str) -> int:
    """Give the tokens of one message of a body, from its JSON text."""
    return payload.FRAMING + payload.message_tokens(json.loads(message), _picture)


@lru_cache(maxsize=500)
def fixed_tokens(head: str) -> int:
    """Give the tokens of a request without messages of the transcript."""
    body = json.loads(head)
    leading = sum(tokens_of(json.dumps(message)) for message in body["messages"])
    return payload.fixed_tokens(body) + leading


def _picture(block: Mapping[str, Any]) -> int:
    if block["type"] == "image_url":
        return picture_tokens(str(block["image_url"]["url"]).split("base64,")[-1], "openai_chat")
    return picture_tokens(str(block["source"]["data"]), "anthropic")


@lru_cache(maxsize=500)
def picture_tokens(data: str, dialect: str) -> int:
    """Give what a PNG costs by the provider's rule."""
    facts = describe(base64.b64decode(data), "image/png")
    picture = Media(kind=MediaKind.IMAGE, mime="image/png", width=facts.width, height=facts.height)
    return media_tokens(picture, dialect)


def picture_price(part: Part, blobs: Mapping[str, bytes], dialect: str) -> int:
    """Give what a part costs if it is a picture, else nothing."""
    if not isinstance(part, Media) or part.digest is None:
        return 0
    return picture_tokens(base64.b64encode(blobs[part.digest]).decode(), dialect)


@dataclass(frozen=True)
class Guarded:
    """What must be in a view whatever happens, as positions in the transcript."""

    task: int | None
    newest: int | None
    unanswered: tuple[int, ...]
    """Human messages behind the last answer, the newest among them."""
    step: tuple[int, ...]
    """The last answer with calls and every message behind it that no person wrote."""
    system: tuple[int, ...]


def guarded(messages: Sequence[Message]) -> Guarded:
    """Find what is guarded in a transcript."""
    humans = [at for at, message in enumerate(messages) if is_human(message)]
    answers = [at for at, message in enumerate(messages) if message.role is Role.ASSISTANT]
    last = answers[-1] if answers else -1
    begins = last if answers and (messages[last].calls or last == len(messages) - 1) else last + 1
    while begins == last > 0 and messages[last - 1].role is Role.ASSISTANT and messages[last - 1].calls:
        begins = last = last - 1  # several messages of one turn
    return Guarded(
        task=humans[0] if humans else None,
        newest=humans[-1] if humans else None,
        unanswered=tuple(at for at in humans if at > max(answers, default=-1)),
        step=tuple(at for at in range(max(0, begins), len(messages)) if at not in humans),
        system=tuple(at for at, message in enumerate(messages) if message.role is Role.SYSTEM),
    )


def is_human(message: Message) -> bool:
    """Tell whether a person typed a message."""
    return message.role is Role.USER and message.origin.value == "human"


def plain(message: Message) -> Message:
    """Give a message without what was found out about its pictures after it came in."""
    if next(media_of(message), None) is None:
        return message
    return msgspec.structs.replace(message, parts=tuple(map(_plain_part, message.parts)))


def _plain_part(part: Part) -> Part:
    if isinstance(part, Media):
        return Media(kind=part.kind, mime=part.mime, digest=part.digest, url=part.url)
    if isinstance(part, ToolResult):
        inner = tuple(_plain_part(piece) for piece in part.parts)
        return msgspec.structs.replace(part, parts=inner)
    return part


def least_tokens(message: Message, *, texts: bool) -> int:
    """Give what a message takes at the very least with its tool outputs cut; where not `texts`, its texts too."""
    tokens = 0
    for part in message.parts:
        if isinstance(part, Text):
            tokens += count(part.text) if texts else min(count(part.text), 150)
        elif isinstance(part, Reasoning):
            tokens += count(part.text)
    return tokens + sum(count(call.name) + count(call.arguments) for call in message.calls)
