"""Ids and times that formats demand and a conversation may not have. The same conversation gives the same ones."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from unabridged.importers import Imported
from unabridged.message import Message

_EPOCH = "1970-01-01T00:00:00.000Z"


def uuid_of(id: str) -> str:
    """Give a UUID for any id; an id that is one already stays."""
    try:
        return str(uuid.UUID(id))
    except ValueError:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, id))


def time_of(message: Message) -> str:
    """Give when a message was recorded, RFC 3339; the epoch where nobody knows."""
    return message.time or _EPOCH


def milliseconds_of(message: Message) -> int:
    """Give the same in milliseconds since the epoch."""
    try:
        read = datetime.fromisoformat(time_of(message).replace("Z", "+00:00"))
    except ValueError:
        return 0
    return int(read.replace(tzinfo=read.tzinfo or UTC).timestamp() * 1000)


def began(conversation: Imported) -> str:
    """Give the time of the first message that has one."""
    return next((message.time for message in conversation.messages if message.time), _EPOCH)
