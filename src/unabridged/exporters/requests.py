"""Writes conversations as requests of a provider's API: a file that SDKs, evaluations and other tools load.

Messages that were held with the provider go out as the characters that came in. One request is one document; several
are one a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.errors import BadInput
from unabridged.exporters.exporter import Losses
from unabridged.exporters.frames import frame_for
from unabridged.exporters.pieces import crosses
from unabridged.importers import Imported
from unabridged.message import Message, Origin, Role
from unabridged.wire import Wire, wire


class Requests:
    """Requests in one dialect."""

    holds_several = True

    def __init__(self, name: str, dialect: str, about: str) -> None:
        self.name = name
        self.about = about
        self.suffix = f".{name}.json"
        self._dialect = dialect

    def write(self, conversations: Sequence[Imported], losses: Losses) -> Iterator[str]:
        """Give one request for each conversation."""
        spoken = wire(self._dialect)
        for conversation in conversations:
            frame = frame_for(conversation, self._dialect, losses)
            texts = _texts(spoken, conversation, losses)
            body = spoken.write_request(frame, texts).decode("utf-8", "surrogatepass")
            # Between JSON values a line break is a blank: with several requests each has its own line.
            yield (body.replace("\n", " ") if len(conversations) > 1 else body) + "\n"


def _texts(spoken: Wire, conversation: Imported, losses: Losses) -> list[str]:
    kept = [message for message in conversation.messages if _note(message, spoken.name, losses)]
    try:
        texts = spoken.write_messages(kept, conversation.media)
    except BadInput:
        kept = [message for message in kept if _is_written(spoken, message, conversation)]
        texts = spoken.write_messages(kept, conversation.media)
    losses.note("messages are left out: nothing of them has a place here", len(conversation.messages) - len(kept))
    return texts


def _is_written(spoken: Wire, message: Message, conversation: Imported) -> bool:
    try:
        spoken.write_messages([message], conversation.media)
    except BadInput:
        return False
    return True


def _note(message: Message, dialect: str, losses: Losses) -> bool:
    """Count what is lost. Tells whether there is anything to write."""
    anything = crosses(message, dialect, losses)
    if message.raw is None or message.raw.dialect != dialect:
        unsaid = message.origin in (Origin.INJECTED, Origin.CLIENT_SUMMARY) and message.role is Role.USER
        losses.note("messages of the client go out as a person's: this format cannot tell them apart", int(unsaid))
    return anything
