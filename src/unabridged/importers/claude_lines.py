"""The lines of a Claude Code session file, as far as an importer reads them, and which conversation each is of."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.importers.json_reading import NOTHING


class Line(msgspec.Struct, frozen=True, rename="camel"):
    """One line. Raw fields are read on demand: most kinds of line never need them."""

    type: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    timestamp: str | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    operation: str | None = None
    content: msgspec.Raw = NOTHING
    origin: msgspec.Raw = NOTHING
    message: msgspec.Raw = NOTHING
    attachment: msgspec.Raw = NOTHING


class Spoken(msgspec.Struct, frozen=True):
    """What a `message` holds: a provider's message, or a few of its content blocks."""

    content: msgspec.Raw
    id: str | None = None
    model: str | None = None
    usage: msgspec.Raw = NOTHING


class Kind(msgspec.Struct, frozen=True):
    """Where a message came from, in the client's own words."""

    kind: str = ""


class Queued(msgspec.Struct, frozen=True):
    """An attachment that holds what was said while the model was at work."""

    type: str = ""
    prompt: msgspec.Raw = NOTHING
    origin: msgspec.Raw = NOTHING


class Block(msgspec.Struct, frozen=True):
    """What joining needs to know of a content block."""

    type: str = ""
    id: str | None = None
    tool_use_id: str | None = None
    text: str | None = None


Numbered = tuple[int, Line]


def conversations(lines: Sequence[Numbered]) -> dict[str, list[Numbered]]:
    """Tell the main conversation ("") and its sub-agents' apart, each line once, all in file order.

    A sub-agent is known by `agentId`; older files lack it, and there the first line of its chain of parents
    stands for it. Parents serve for nothing else: parallel calls make a tree, and a walk from its last leaf
    loses results that are siblings.
    """
    seen: set[str] = set()
    parents = {line.uuid: line.parent_uuid for _, line in lines if line.uuid and line.is_sidechain}
    found: dict[str, list[Numbered]] = {"": []}
    for number, line in lines:
        if line.uuid:
            if line.uuid in seen:
                continue
            seen.add(line.uuid)
        key = (line.agent_id or _first_of_chain(line, parents)) if line.is_sidechain else ""
        found.setdefault(key, []).append((number, line))
    return found


def _first_of_chain(line: Line, parents: dict[str, str | None]) -> str:
    uuid, passed = line.uuid or "", set[str]()
    parent = line.parent_uuid
    while parent in parents and parent not in passed:
        passed.add(parent)
        uuid, parent = parent, parents[parent]
    # The next walk through these lines is one step long.
    parents.update(dict.fromkeys(passed - {uuid}, uuid))
    return uuid or "sub-agent"
