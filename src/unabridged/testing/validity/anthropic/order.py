"""Anthropic Messages: how a conversation starts and ends, where system messages stand, that nothing is empty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.testing.validity.anthropic.models import takes_prefill, takes_system_messages
from unabridged.testing.validity.anthropic.request import Message, Request, Turn
from unabridged.testing.validity.violation import Violation

_ANYWHERE = "the directive-only form (content: [] with output_config) is accepted at any position"


def check_start(request: Request) -> Iterator[Violation]:
    """Yield a first message that is not the user's."""
    first = request.messages[0]
    if first.role == "system" and not _directive(first):
        says = f"messages.0: use the top-level 'system' parameter for the initial system prompt; {_ANYWHERE}"
        yield Violation("system_message_first", "messages.0", says)
    elif first.role == "assistant":
        yield Violation("first_message_not_user", "messages.0", 'messages: first message must use the "user" role')


def check_system_messages(request: Request) -> Iterator[Violation]:
    """Yield system messages that the model does not take, or that stand where none may stand.

    They follow a user turn, or an assistant turn that ends in a server tool's result, and precede an
    assistant turn or end the list. A run of them counts as one.
    """
    for place, turn in enumerate(request.turns):
        spoken = [message for message in turn.messages if not _directive(message)]
        if turn.role != "system" or not spoken or place == 0:
            continue
        if not takes_system_messages(request.model):
            where = f"messages.{spoken[0].number}"
            yield Violation("system_message_unsupported", where, "role 'system' is not supported on this model")
        else:
            yield from _placement(request.turns, place, spoken)


def _placement(turns: Sequence[Turn], place: int, spoken: Sequence[Message]) -> Iterator[Violation]:
    before = turns[place - 1]
    if before.role == "assistant" and not (before.blocks and before.blocks[-1].kind.endswith("_tool_result")):
        where = f"messages.{spoken[0].number}"
        says = "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result"
        yield Violation("system_message_misplaced", where, f"{where}: {says}; {_ANYWHERE}")
    elif place + 1 < len(turns) and turns[place + 1].role == "user":
        where = f"messages.{spoken[-1].number}"
        says = "role 'system' must precede an 'assistant' message or end the array"
        yield Violation("system_message_misplaced", where, f"{where}: {says}; {_ANYWHERE}")


def _directive(message: Message) -> bool:
    return message.role == "system" and not message.blocks and message.fields.get("output_config") is not None


def check_content(request: Request) -> Iterator[Violation]:
    """Yield messages without content, and messages whose content is white space alone.

    A blank text beside other blocks is taken: models write one in front of their thinking, and sessions that
    hold such messages go on. In a system message it is refused.
    """
    final = request.messages[-1]
    for message in request.messages:
        where = f"messages.{message.number}"
        if not message.blocks:
            if message.role == "system" and not _directive(message):
                yield Violation("content_empty", where, f"{where}: system content must contain at least one block")
            elif message.role == "user" or (message.role == "assistant" and message is not final):
                says = "all messages must have non-empty content except for the optional final assistant message"
                yield Violation("content_empty", where, f"{where}: {says}")
            continue
        yield from _blank(message)


def _blank(message: Message) -> Iterator[Violation]:
    blank = [block for block in message.blocks if block.kind == "text" and not block.text.strip()]
    if blank and (message.role == "system" or len(blank) == len(message.blocks)):
        whose = f"messages.{message.number}: system text" if message.role == "system" else "messages: text content"
        yield Violation("text_blank", blank[0].where, f"{whose} blocks must contain non-whitespace text")


def check_end(request: Request) -> Iterator[Violation]:
    """Yield last words of the assistant that the model does not go on from, or that end in white space.

    A turn that ends in a server tool's call or result is a pause, not a prefill, and may be sent back.
    """
    end = request.turns[-1]
    if end.role != "assistant" or not end.blocks or end.blocks[-1].kind != "text":
        return
    words = end.blocks[-1]
    if not takes_prefill(request.model):
        says = "This model does not support assistant message prefill. The conversation must end with a user message."
        yield Violation("ends_with_assistant", f"messages.{words.message}", says)
    told = len(end.blocks) == 1 and not words.text.strip()  # as a message of white space alone
    if words.text != words.text.rstrip() and not told:
        says = "messages: final assistant content cannot end with trailing whitespace"
        yield Violation("trailing_whitespace", words.where, says)
