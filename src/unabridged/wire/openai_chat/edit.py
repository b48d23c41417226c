"""Changing an OpenAI chat message in its own form."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from unabridged.errors import BadInput
from unabridged.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.wire.content import check_pairs, replaced, rewritten
from unabridged.wire.json_text import JsonNode, quote
from unabridged.wire.openai_chat.places import SIGNATURES, THOUGHTS, Place, has_no_id, places, thoughts_member
from unabridged.wire.openai_chat.write import ChatBlocks
from unabridged.wire.patching import Patch


class _Change(NamedTuple):
    place: Place
    was: Part
    now: Part | None


def patches_of(node: JsonNode, message: Message, parts: Sequence[Part | None]) -> list[Patch]:
    """Change a message in its own form. Raises `BadInput` for a part of a kind that its place cannot hold."""
    found = list(places(node))
    check_pairs(found, message.parts)
    patches, gone = list[Patch](), set[str]()
    changes = map(_Change, found, message.parts, parts)
    for member, found_there in itertools.groupby(changes, key=lambda change: change.place.member):
        group = list(found_there)
        if member == "content":
            patches += _content(node, message, group)
        elif all(change.now is None for change in group):
            gone.update(_members_of(member, message))
        else:
            patches += _inside(node, message, group)
    return patches + node.without(gone)


def _members_of(member: str, message: Message) -> Sequence[str]:
    if not member:
        raise BadInput(f"nothing would be left of message {message.id}, which holds a tool result: leave it out whole")
    return THOUGHTS + SIGNATURES if member == "thoughts" else (member,)


def _content(node: JsonNode, message: Message, changes: Sequence[_Change]) -> list[Patch]:
    if all(change.now is None for change in changes):
        # Next to calls providers want no content; an empty list is refused by all of them.
        return [node.with_member("content", "null" if message.role is Role.ASSISTANT else '""')]
    was, now = [change.was for change in changes], [change.now for change in changes]
    return replaced(node, was, now, ChatBlocks(message, {}))


def _inside(node: JsonNode, message: Message, changes: Sequence[_Change]) -> list[Patch]:
    """Change what stands in one member. Only of the calls, which are several, can some leave and others stay."""
    patches = list(itertools.chain.from_iterable(_changed(change, message) for change in changes))
    gone = {at for at, change in enumerate(changes) if change.now is None}
    calls = node.get("tool_calls")
    return patches if calls is None or not gone else patches + calls.without(gone)


def _changed(change: _Change, message: Message) -> list[Patch]:
    node, was, now = change.place.node, change.was, change.now
    if now is None or now == was:
        return []
    match was, now:
        case ToolCall(), ToolCall() if was.custom == now.custom:
            return _call(change.place, was, now)
        case ToolResult(), ToolResult() if not now.is_error:
            renamed = [] if has_no_id(node) else node.with_string("tool_call_id", was.call_id, now.call_id)
            return renamed + rewritten(node, was.parts, now.parts, ChatBlocks(message, {}))
        case Reasoning(signature=None), Reasoning(signature=None):
            return node.with_string(thoughts_member(node), was.text, now.text)
        case Text(), Text() if now.text:
            return [node.replaced(quote(now.text))]
        case _:
            kind, other = type(was).__name__, type(now).__name__
            raise BadInput(f"the {kind} of message {message.id} cannot become this {other}: keep it or take it out")


def _call(place: Place, was: ToolCall, now: ToolCall) -> list[Patch]:
    if place.member == "function_call":  # it has no id to change
        return [*place.node.with_string("name", was.name, now.name), *_arguments(place.node, "arguments", was, now)]
    inner = place.node.get("custom" if was.custom else "function")
    assert inner is not None
    return [
        *place.node.with_string("id", was.id, now.id),
        *inner.with_string("name", was.name, now.name),
        *_arguments(inner, "input" if was.custom else "arguments", was, now),
    ]


def _arguments(owner: JsonNode, key: str, was: ToolCall, now: ToolCall) -> list[Patch]:
    present = owner.get(key)
    if present is None or present.value is None or isinstance(present.value, str):
        return owner.with_string(key, was.arguments, now.arguments)
    if was.arguments == now.arguments:
        return []
    # Written as JSON instead of as text that holds JSON, and so it stays.
    return [present.replaced(JsonNode.parse(now.arguments, f"the arguments of call {now.id}").source)]
