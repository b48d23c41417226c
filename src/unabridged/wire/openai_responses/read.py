"""Reading Responses items and requests."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.message import Message, Origin, Raw, Role
from unabridged.wire.json_text import JsonNode, list_of
from unabridged.wire.openai_responses.items import COMPACTION, grouped, items_of, kind_of, role_of
from unabridged.wire.openai_responses.places import places, read_place
from unabridged.wire.openai_responses.write import NAME
from unabridged.wire.request import field, read_body
from unabridged.wire.splicing import Intake

LISTED = "input"
_KEPT_ELSEWHERE = ("previous_response_id", "conversation")
_ORIGINS = {
    Role.SYSTEM: Origin.INJECTED,
    Role.USER: Origin.HUMAN,
    Role.ASSISTANT: Origin.MODEL,
    Role.TOOL: Origin.TOOL_FEEDBACK,
}
TEXT_HEAD = '{"role":"user","content":'
"""What an `input` that is one string is short for; the string and a brace follow."""


def read_message(body: str, *, id: str, origin: Origin | None, time: str | None) -> tuple[Message, dict[str, bytes]]:
    """Read an item, or a list of items that are one message, and the bytes of its media by digest."""
    what = f"message {id}"
    node = JsonNode.parse(body, what)
    items = items_of(node)
    if len(items) > 1 and len(grouped(items, what)) > 1:
        raise BadInput(f"{what} is a list of items that are not one message: read each of them for itself")
    message, media = _read(node, items, id, what)
    changed = {"origin": origin or message.origin, "time": time}
    return msgspec.structs.replace(message, **changed), media


def read_request(body: bytes, *, id_prefix: str) -> tuple[Frame, tuple[Message, ...], dict[str, bytes]]:
    """Read a request: its frame, its messages, and the bytes of their media by digest."""
    taken_apart = read_body(body, LISTED, may_be_text=True)
    frame = Frame(dialect=NAME, fields=taken_apart.fields, envelope=taken_apart.envelope)
    _check_whole(frame)
    system, messages, media = list[Message](), list[Message](), dict[str, bytes]()
    nodes = [_listed(node) for node in taken_apart.messages]
    for position, group in enumerate(grouped(nodes, LISTED)):
        node = group[0] if len(group) == 1 else JsonNode.parse(list_of(item.source for item in group), LISTED)
        message, blobs = _read(node, items_of(node), f"{id_prefix}-{position:06d}", LISTED)
        if message.role is Role.SYSTEM and not messages:
            # A frame is written without media at hand, so it keeps them inside.
            system.append(msgspec.structs.replace(message, raw=Raw(NAME, node.text)))
        else:
            messages.append(message)
            media |= blobs
    return msgspec.structs.replace(frame, system=tuple(system)), tuple(messages), media


def _listed(node: JsonNode) -> JsonNode:
    """Give an `input` that is one string as the item that it is short for."""
    return JsonNode.parse(f"{TEXT_HEAD}{node.text}}}", LISTED) if isinstance(node.value, str) else node


def _check_whole(frame: Frame) -> None:
    for name in _KEPT_ELSEWHERE:
        node = field(frame, name)
        if node is not None and node.value is not None:
            raise BadInput(
                f"`{name}` stands for messages that only the provider has, so this request cannot be fitted: send them "
                "in `input` (with `store` false and reasoning.encrypted_content in `include`), or pass it on as it is"
            )


def _read(node: JsonNode, items: Sequence[JsonNode], id: str, what: str) -> tuple[Message, dict[str, bytes]]:
    if not items:
        raise BadInput(f"{what} is an empty list: give at least one item")
    role = role_of(items[0], what)
    intake = Intake()
    parts = tuple(read_place(place, intake) for place in places(node))
    origin = Origin.CLIENT_SUMMARY if kind_of(items[0]) == COMPACTION else _ORIGINS[role]
    return Message(id=id, role=role, parts=parts, origin=origin, raw=intake.raw(NAME, node.text)), intake.blobs
