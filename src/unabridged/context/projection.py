"""Reading a history as the model sees it, and writing that as the provider takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from unabridged.checkpoint import Checkpoint
from unabridged.context.history import DIALECT, HistoryManager
from unabridged.errors import BadInput
from unabridged.fitted import decoded
from unabridged.message import Message, Role, Text
from unabridged.projection import Projection
from unabridged.view import Cutter
from unabridged.wire import wire

ProjectionMode = Literal["full_history", "compact_checkpoint"]

SUMMARY_HEADING = "## Archived History Summary"


class CompactStore:
    """The checkpoints of a history, which lie in its log and come back with it.

    Not as in the articles: a checkpoint names messages by id, never by position, and one that does not match what it
    was made from is passed over (`docs/decisions/0006-checkpoints-name-ids.md`).
    """

    def __init__(self, history: HistoryManager) -> None:
        self.history = history

    @property
    def active_checkpoint(self) -> Checkpoint | None:
        """The checkpoint that the view is made by; None as long as the view is the whole history."""
        chain, _ = self.history.transcript.in_force()
        return chain[0] if chain else None

    @property
    def projection_mode(self) -> ProjectionMode:
        """`compact_checkpoint` where something was taken out of the view, else `full_history`."""
        return "full_history" if self.active_checkpoint is None else "compact_checkpoint"


class ProjectionResult(msgspec.Struct, frozen=True):
    """What the model sees of a history."""

    messages: Sequence[Message]
    projection_mode: ProjectionMode
    source_message_count: int
    """Messages of the history, shown or not."""


class ProjectionBuilder:
    """Reads a history under its checkpoint: every message as it is, or cut, or a marker where messages are missing.

    Decides nothing and changes nothing; the result is valid for the provider. What was read once is kept.
    """

    def __init__(self, compact_store: CompactStore) -> None:
        self._store = compact_store
        self._wire = wire(DIALECT)
        self._projection: Projection | None = None

    def project(self, source_messages: Sequence[Message]) -> ProjectionResult:
        """Give the view of what `get_messages` of the same history gave. Raises `BadInput` for any other list."""
        transcript = self._store.history.transcript
        records = transcript.records
        if len(source_messages) != len(records) or (records and source_messages[-1] is not records[-1].message):
            raise BadInput("these messages are not the history of this store: pass what its `get_messages` gives now")
        chain, _ = transcript.in_force()
        if self._projection is None or self._projection.key != tuple(checkpoint.id for checkpoint in chain):
            cutter = Cutter(self._wire, transcript.counter, transcript.log.media)
            self._projection = Projection(transcript, chain, self._wire, cutter)
        else:
            self._projection.follow()
        shown = tuple(item.message for item in self._projection.items)
        return ProjectionResult(shown, self._store.projection_mode, len(source_messages))


class MessageNormalizer:
    """Writes messages as OpenAI dicts. One that came in OpenAI's form goes out in exactly that form.

    Not as in the articles: a summary is background with the user's role and never has the rank of the system, since
    it quotes text that nobody vouches for (`docs/decisions/0009-summaries-are-background.md`).
    """

    def __init__(self, media: Mapping[str, bytes] | None = None) -> None:
        self._media: Mapping[str, bytes] = media if media is not None else {}

    def normalize(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Give the dicts. There may be more than messages: each tool result is one. `media` is bytes by digest."""
        headed = [_headed(message) if message.role is Role.SUMMARY else message for message in messages]
        return [decoded(text) for text in wire(DIALECT).write_messages(headed, self._media)]


def _headed(summary: Message) -> Message:
    return msgspec.structs.replace(summary, parts=(Text(f"{SUMMARY_HEADING}\n{summary.text}"),), raw=None)
