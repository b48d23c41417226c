"""Changing a Gemini content in its own form."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from unabridged.errors import BadInput
from unabridged.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.wire.content import check_pairs
from unabridged.wire.gemini.members import items, member, name_in, string
from unabridged.wire.gemini.places import SIGNATURE, SKIP, Place, kind_of, places
from unabridged.wire.gemini.response import response_of, string_in
from unabridged.wire.gemini.write import Parts
from unabridged.wire.json_text import JsonNode, quote
from unabridged.wire.patching import Patch


class _Change(NamedTuple):
    place: Place
    was: Part
    now: Part | None


def arranged(message: Message, parts: Sequence[Part | None]) -> list[Part | None]:
    """Put the texts of results before their media, as they stand in this form."""
    return [_texts_first(part) if isinstance(part, ToolResult) else part for part in parts]


def _texts_first(result: ToolResult) -> ToolResult:
    pieces = tuple(sorted(result.parts, key=lambda piece: not isinstance(piece, Text)))
    return result if pieces == result.parts else msgspec.structs.replace(result, parts=pieces)


def patches_of(node: JsonNode, message: Message, parts: Sequence[Part | None]) -> list[Patch]:
    """Change a message in its own form. Raises `BadInput` where nothing of it would be left."""
    if all(part is None for part in parts):
        raise BadInput(f"nothing would be left of message {message.id}, which Gemini refuses: leave it out whole")
    found = list(places(node))
    check_pairs(found, message.parts)
    patches, gone = list[Patch](), set[int]()
    changes = map(_Change, found, message.parts, parts)
    for at, group in itertools.groupby(changes, key=lambda change: change.place.at):
        here = list(group)
        if all(change.now is None for change in here):
            gone.add(at)
        else:
            patches += _part(here, message)
    listed = member(node, "parts")
    return patches + (listed.without(gone) if listed is not None and gone else [])


def _part(changes: Sequence[_Change], message: Message) -> list[Patch]:
    """Change one part of the content: its data, and the signature beside it."""
    part, data = changes[0].place.node, changes[-1]
    signature = changes[0] if changes[0].place.is_signature else None
    if signature is not None and signature.now not in (None, signature.was):
        raise BadInput(f"the reasoning of message {message.id} was edited: keep it as it is, or take it out whole")
    if data.place.is_signature:  # a text without a word, which is there for its signature
        return []
    keeps = signature is not None and signature.now is not None
    if data.now is None:
        return [part.replaced(_signed('{"text":""}', part))]
    rewritten = _rewritten(data, message)
    if rewritten is not None:
        return [part.replaced(_signed(rewritten, part) if keeps else rewritten)]
    patches = [] if data.now == data.was else _inside(data, message)
    return patches if signature is None or keeps else patches + _unsigned(part)


def _signed(text: str, part: JsonNode) -> str:
    key = name_in(part, SIGNATURE)
    return f"{text[:-1]},{quote(key)}:{part.member(key).source}}}"


def _unsigned(part: JsonNode) -> list[Patch]:
    key = name_in(part, SIGNATURE)
    if kind_of(part) == "functionCall":
        return [part.with_member(key, quote(SKIP))]  # newer models refuse a call that has none
    return part.without({key})


def _rewritten(change: _Change, message: Message) -> str | None:
    """Write a part anew that became another kind; None where it is the same kind still."""
    now = change.now
    if isinstance(now, Opaque) and now != change.was:
        return now.data
    if isinstance(now, Text) and isinstance(change.was, Media | Opaque):
        return Parts(message, {}).build(now)
    return None


def _inside(change: _Change, message: Message) -> list[Patch]:
    part, was, now = change.place.node, change.was, change.now
    match was, now:
        case Text(), Text():
            return part.with_string("text", was.text, now.text)
        case Reasoning(signature=None), Reasoning(signature=None):
            return part.with_string("text", was.text, now.text)
        case Media(), Media() if (was.kind, was.digest, was.url) == (now.kind, now.digest, now.url):
            return []  # more is known of the same media
        case ToolCall(), ToolCall():
            return _call(part.member(name_in(part, "functionCall")), was, now)
        case ToolResult(), ToolResult():
            return _result(part.member(name_in(part, "functionResponse")), was, now)
        case _:
            kind, other = type(was).__name__, type(now).__name__
            raise BadInput(f"the {kind} of message {message.id} cannot become this {other}: keep it or take it out")


def _call(call: JsonNode, was: ToolCall, now: ToolCall) -> list[Patch]:
    patches = call.with_string("name", was.name, now.name)
    if string(call, "id") or now.id != now.name:
        patches += call.with_string("id", was.id if string(call, "id") else now.name, now.id)
    if was.arguments != now.arguments:
        arguments = JsonNode.parse(now.arguments or "{}", f"the arguments of call {now.id}").source
        patches.append(call.with_member("args", arguments))
    return patches


def _result(data: JsonNode, was: ToolResult, now: ToolResult) -> list[Patch]:
    name = string(data, "name")
    patches = data.with_string("id", string(data, "id") or name, now.call_id)
    texts, before = [_texts(result) for result in (now, was)]
    if (texts, now.is_error) != (before, was.is_error):
        patches.append(_response(data, texts, failed=now.is_error, same=now.is_error == was.is_error))
    return patches + _held(data, was, now)


def _texts(result: ToolResult) -> list[str]:
    return [piece.text for piece in result.parts if isinstance(piece, Text)]


def _response(data: JsonNode, texts: Sequence[str], *, failed: bool, same: bool) -> Patch:
    present = member(data, "response")
    key = "" if present is None else string_in(present)
    if present is not None and key and same and len(texts) == 1 and texts[0]:
        return present.with_member(key, quote(texts[0]))
    return data.with_member("response", response_of(texts, failed=failed))


def _held(data: JsonNode, was: ToolResult, now: ToolResult) -> list[Patch]:
    """Take out media that are not to stay."""
    before = [piece for piece in was.parts if not isinstance(piece, Text)]
    kept = [piece for piece in now.parts if not isinstance(piece, Text)]
    pieces = items(data, "parts")
    check_pairs(pieces, before)
    gone = set[int]()
    for at, piece in enumerate(before):
        if kept and _same(piece, kept[0]):
            kept.pop(0)
        else:
            gone.add(at)
    if kept:
        raise BadInput(f"the result of call {now.call_id} cannot hold media that it did not bring: leave them out")
    listed = member(data, "parts")
    return listed.without(gone) if listed is not None and gone else []


def _same(one: Media | Opaque, other: Media | Opaque) -> bool:
    if isinstance(one, Media) and isinstance(other, Media):
        return (one.kind, one.digest, one.url) == (other.kind, other.digest, other.url)
    return one == other
