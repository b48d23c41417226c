"""What a fit gives: the view, ready for the wire, and what was decided on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from unabridged.checkpoint import Checkpoint
from unabridged.frame import Frame
from unabridged.report import Report
from unabridged.view import Item
from unabridged.wire import Wire


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """Exactly which request this is, so that the usage reported for it can be learned from."""

    last: str
    """Id of the transcript's last message."""
    checkpoint: str | None
    frame: str
    """Digest of the frame."""
    model: str
    endpoint: str
    price: int
    """Price of the whole request in the counter's own tokens."""


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """The view of one step. `body` is the request; `report` is None where nothing had to be done."""

    items: Sequence[Item]
    """What the model sees, message by message, each with the message it was made from."""
    texts: Sequence[str]
    """The same as JSON texts of the wire."""
    frame: Frame
    """As passed, with the output limit lowered where it had to be."""
    wire: Wire
    tokens: int
    """Of the whole request, by the one counter."""
    sent: Sent
    report: Report | None = None
    checkpoint: Checkpoint | None = None
    """Decided by this fit, to be kept."""
    undo: str | None = None
    """A checkpoint that this fit lifts."""

    def body(self) -> bytes:
        """Give the request body; below the budget the very bytes that came in."""
        return self.wire.write_request(self.frame, self.texts)

    def messages(self) -> list[dict[str, Any]]:
        """Give the messages as plain dicts, as an official SDK takes them."""
        return [decoded(text) for text in self.texts]

    def request(self) -> dict[str, Any]:
        """Give the whole request as a plain dict, as an official SDK takes it: `create(**fitted.request())`."""
        return decoded(self.body())


def decoded(text: str | bytes) -> dict[str, Any]:
    """Read JSON as a plain dict; lone surrogates, which strict readers refuse, pass."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError):
        import json

        return json.loads(text)
