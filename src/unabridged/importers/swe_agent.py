"""Reads trajectories of SWE-agent: the `history` of a `.traj` document.

Its first user message is the task. Every later one is what a command gave back, also in older files, where actions
are text and observations come as the user's; demonstrations are put there by the client.
Format: `sweagent/types.py` of SWE-agent/SWE-agent.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.importers.attached import Record
from unabridged.importers.chat_entries import asked, take
from unabridged.importers.detection import Head, document_of
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import Fields, decoded, fields_of, text_of
from unabridged.message import Origin
from unabridged.wire.json_text import JsonNode, as_object

FORMAT = "swe_agent"


class SweAgent:
    """Trajectories of SWE-agent, and its demonstrations."""

    name = "SWE-agent trajectory"

    def recognises(self, head: Head) -> bool:
        """Tell by a history of messages with roles."""
        first = next(iter(head.objects), Fields())
        entries = decoded(first.get("history", msgspec.Raw()), list[Fields])
        return bool(entries) and bool(text_of(entries[0], "role")) and "parts" not in entries[0]

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give the one conversation of a trajectory."""
        gathering = Gathering()
        history = decoded(fields_of(document_of(data) or b"").get("history", msgspec.Raw()), list[msgspec.Raw]) or []
        for number, raw in enumerate(history, 1):
            record = Record(FORMAT, str(raw, "utf-8"))
            if not take(gathering, record, _origin_of(gathering, record.node), _call_id(record.node)):
                role = record.node.string("role")
                gathering.problems.append(f"entry {number} of the history: the unknown role {role!r}")
            gathering.media |= record.intake.blobs
        return conversations([gathering], data, name)


def _origin_of(gathering: Gathering, entry: JsonNode) -> Origin:
    if as_object(entry.value).get("is_demo") is True:
        return Origin.INJECTED
    return Origin.TOOL_FEEDBACK if asked(gathering) else Origin.HUMAN


def _call_id(entry: JsonNode) -> str:
    ids = entry.get("tool_call_ids")
    listed = [] if ids is None else [id.value for id in ids.items() if isinstance(id.value, str)]
    return listed[0] if listed else entry.string("tool_call_id")
