"""Reading messages and requests, the same way for every dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.message import Message, Origin, Part, Raw, Role, ToolResult
from unabridged.wire.json_text import JsonNode
from unabridged.wire.request import read_body
from unabridged.wire.splicing import Intake

_ORIGINS = {Role.SYSTEM: Origin.INJECTED, Role.ASSISTANT: Origin.MODEL, Role.TOOL: Origin.TOOL_FEEDBACK}


class Reader(Protocol):
    """What reading needs to know of a dialect."""

    @property
    def name(self) -> str:
        """Name of the dialect."""
        ...

    @property
    def roles(self) -> Mapping[str, Role]:
        """Every role that a message may have, by its name on the wire."""
        ...

    @property
    def has_leading_system(self) -> bool:
        """Whether the system messages that lead a list are the frame's and not the transcript's."""
        ...

    def parts(self, message: JsonNode, intake: Intake) -> tuple[Part, ...]:
        """Read the parts of a message."""
        ...


def read_message(
    reader: Reader, body: str, *, id: str, origin: Origin | None, time: str | None
) -> tuple[Message, dict[str, bytes]]:
    """Read one message, and the bytes of its media by digest."""
    what = f"message {id}"
    message, media = read_node(reader, JsonNode.parse_quickly(body, what), id, what, origin)
    return (message if time is None else msgspec.structs.replace(message, time=time)), media


def read_request(reader: Reader, body: bytes, *, id_prefix: str) -> tuple[Frame, tuple[Message, ...], dict[str, bytes]]:
    """Read a request: its frame, its messages, and the bytes of their media by digest."""
    taken_apart = read_body(body)
    system, messages, media = list[Message](), list[Message](), dict[str, bytes]()
    for position, node in enumerate(taken_apart.messages):
        message, blobs = read_node(reader, node, f"{id_prefix}-{position:06d}", f"messages[{position}]")
        if reader.has_leading_system and message.role is Role.SYSTEM and not messages:
            # A frame is written without media at hand, so it keeps them inside.
            system.append(msgspec.structs.replace(message, raw=Raw(reader.name, node.text)))
        else:
            messages.append(message)
            media |= blobs
    frame = Frame(dialect=reader.name, system=tuple(system), fields=taken_apart.fields, envelope=taken_apart.envelope)
    return frame, tuple(messages), media


def read_node(
    reader: Reader, node: JsonNode, id: str, what: str, origin: Origin | None = None
) -> tuple[Message, dict[str, bytes]]:
    """Read one message from its JSON, whose text is nothing else."""
    role = _role(reader, node, what)
    intake = Intake()
    parts = reader.parts(node, intake)
    message = Message(
        id=id,
        role=role,
        parts=parts,
        origin=origin or _origin(role, parts),
        name=node.string("name") or None,
        raw=intake.raw(reader.name, node.text),
    )
    return message, intake.blobs


def _role(reader: Reader, message: JsonNode, what: str) -> Role:
    role = reader.roles.get(message.string("role"))
    if role is not None:
        return role
    if not isinstance(message.value, dict):
        raise BadInput(f"{what} is no JSON object: a message is an object with a `role`")
    name = message.get("role")
    given = "has no `role`" if name is None else f"has the unknown `role` {name.source}"
    raise BadInput(f"{what} {given}: give it one of {', '.join(reader.roles)}")


def _origin(role: Role, parts: Sequence[Part]) -> Origin:
    known = _ORIGINS.get(role)
    if known is not None:
        return known
    only_results = bool(parts) and all(isinstance(part, ToolResult) for part in parts)
    return Origin.TOOL_FEEDBACK if only_results else Origin.HUMAN
