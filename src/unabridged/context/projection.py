"""Reading a history as the model sees it, and writing that as the provider takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from unabridged import markers
from unabridged.context.history import DIALECT
from unabridged.context.store import CompactStore, ProjectionMode
from unabridged.fitted import decoded
from unabridged.message import Message, Role, Text
from unabridged.projection import Projection
from unabridged.view import Cutter
from unabridged.wire import wire


class ProjectionResult(msgspec.Struct, frozen=True):
    """What the model sees of a history."""

    messages: Sequence[Message]
    projection_mode: ProjectionMode
    source_message_count: int
    """Messages of the history, shown or not."""

    @property
    def mode(self) -> ProjectionMode:
        """The same as `projection_mode`, by the name that article 09 has for it."""
        return self.projection_mode


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
        self._store.check(source_messages)
        transcript = self._store.history.transcript
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
    if summary.text.startswith(markers.HEADING):
        return summary  # from a view, where it has its heading already
    return msgspec.structs.replace(summary, parts=(Text(markers.archived(summary.text)),), raw=None)
