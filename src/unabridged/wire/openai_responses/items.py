"""Items: who speaks in each, and which of them are one message of ours."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.errors import BadInput
from unabridged.message import Role
from unabridged.wire.json_text import JsonNode, as_object

ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
}
REFERENCE = "item_reference"
COMPACTION = "compaction"
"""The provider's own summary, encrypted: it belongs to no answer."""

_OF_THE_FRAME = ("additional_tools", "configuration_update")
_MESSAGES = ("", "message")


def items_of(node: JsonNode) -> list[JsonNode]:
    """Give the items that a raw form holds: itself, or those of its list."""
    return node.items() if isinstance(node.value, list) else [node]


def kind_of(item: JsonNode) -> str:
    """Name the kind of an item. One that has but an id is a reference, whose `type` may be left out."""
    kind = item.string("type")
    if kind in _MESSAGES:
        return "message" if kind or "role" in as_object(item.value) else REFERENCE
    return kind


def role_of(item: JsonNode, what: str) -> Role:
    """Tell who speaks in an item. Raises `BadInput`, which names `what`, for anything that is no item."""
    members = as_object(item.value)
    if not isinstance(item.value, dict):
        raise BadInput(f"{what} is no JSON object: an item is an object with a `type` or a `role`")
    kind = kind_of(item)
    if kind == REFERENCE and "id" not in members:
        raise BadInput(f"{what} has no `role` and no `type`: give it one of {', '.join(ROLES)}, or the type of an item")
    if kind == "message":
        role = ROLES.get(item.string("role"))
        if role is None:
            given = "has no `role`" if "role" not in members else f"has the unknown `role` {item.member('role').source}"
            raise BadInput(f"{what} {given}: give it one of {', '.join(ROLES)}")
        return role
    if kind in _OF_THE_FRAME:
        return Role.SYSTEM
    is_output = kind.endswith("_output") or kind == "mcp_approval_response"
    return Role.TOOL if is_output and members.get("execution") != "server" else Role.ASSISTANT


def grouped(items: Sequence[JsonNode], what: str) -> list[list[JsonNode]]:
    """Split a list of items into messages: of the model's, those that belong to one train of thought are one."""
    groups: list[list[JsonNode]] = []
    last = ("", Role.SYSTEM)
    for at, item in enumerate(items):
        here = kind_of(item), role_of(item, f"{what}[{at}]")
        if groups and _goes_on(last, here):
            groups[-1].append(item)
        else:
            groups.append([item])
        last = here
    return groups


def _goes_on(last: tuple[str, Role], here: tuple[str, Role]) -> bool:
    if not last[1] is here[1] is Role.ASSISTANT or COMPACTION in (last[0], here[0]):
        return False
    return here[0] != "reasoning" or last[0] == "reasoning"
