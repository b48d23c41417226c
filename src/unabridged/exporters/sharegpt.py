"""Writes ShareGPT files, as training tools take them: one list of conversations.

Calls and results have turns of their own. Nobody's thoughts and no pictures are trained on here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.exporters.exporter import Losses
from unabridged.exporters.frames import system_text, tools_of
from unabridged.exporters.log_file import session_of
from unabridged.exporters.pieces import arguments_object, home_text, plain
from unabridged.importers import Imported
from unabridged.message import Media, Message, Opaque, Origin, Part, Reasoning, Role, ToolCall, ToolResult
from unabridged.wire.json_text import list_of, object_of, quote

_FORMAT = "sharegpt"
_SPEAKERS = {Role.SYSTEM: "system", Role.ASSISTANT: "gpt"}


class ShareGpt:
    """Any number of conversations, one JSON list."""

    name = "sharegpt"
    about = "training data for LLaMA-Factory, Axolotl and others"
    suffix = ".sharegpt.json"
    holds_several = True

    def write(self, conversations: Sequence[Imported], losses: Losses) -> Iterator[str]:
        """Give the list."""
        for number, conversation in enumerate(conversations):
            yield ("[" if number == 0 else ",\n") + _record(conversation, losses)
        yield "]\n" if conversations else "[]\n"


def _record(conversation: Imported, losses: Losses) -> str:
    turns = [turn for message in conversation.messages for turn in _turns(message, losses)]
    members = {
        "id": quote(conversation.name.partition("#")[2] or session_of(conversation)),
        "conversations": list_of(turns),
    }
    if system := system_text(conversation.frame):
        members["system"] = quote(system)
    if tools := tools_of(conversation.frame, losses):
        schemas = (
            object_of(name=each.name, description=each.description, parameters=each.parameters) for each in tools
        )
        members["tools"] = quote(list_of(schemas))
    return object_of(**members)


def _turns(message: Message, losses: Losses) -> Iterator[str]:
    own = home_text(message, _FORMAT, {})
    if own is not None:
        # An answer that was two turns is a list of them.
        yield own[1:-1] if own.startswith("[") else own
        return
    _note(message, losses)
    for result in message.results:
        yield _turn("observation", plain(result.parts))
    said = [part for part in message.parts if not isinstance(part, ToolResult | ToolCall | Reasoning)]
    if said or not message.parts:
        yield _turn(_SPEAKERS.get(message.role, "human"), plain(said))
    if message.calls:
        calls = [object_of(name=quote(call.name), arguments=arguments_object(call)) for call in message.calls]
        yield _turn("function_call", calls[0] if len(calls) == 1 else list_of(calls))


def _turn(speaker: str, value: str) -> str:
    return object_of(**{"from": quote(speaker), "value": quote(value)})


def _note(message: Message, losses: Losses) -> None:
    inner: list[Part] = [part for result in message.results for part in result.parts]
    for part in [*message.parts, *inner]:
        if isinstance(part, Reasoning):
            losses.note("thoughts are left out")
        elif isinstance(part, Media | Opaque):
            losses.note("pictures and items are said in words")
    unsaid = message.role is Role.USER and message.origin is not Origin.HUMAN and not message.results
    losses.note("messages of the client go out as a person's: this format cannot tell them apart", int(unsaid))
    losses.note("ids of calls are left out: this format has none", len(message.calls))
