"""The calls of a run of messages that wait for their results: what a result has to be written like."""

from __future__ import annotations

from unabridged.message import Message, ToolCall


class Asked:
    """Collects calls while a run is written, so that what answers one can be written in the same form."""

    def __init__(self) -> None:
        self._open: list[ToolCall] = []

    def see(self, message: Message) -> None:
        """Take in what a message asks for."""
        self._open += message.calls

    def answered(self, call_id: str) -> ToolCall | None:
        """Give the nearest earlier open call of an id, and close it; None where the run holds none."""
        found = next((call for call in reversed(self._open) if call.id == call_id), None)
        if found is not None:
            self._open.remove(found)
        return found
