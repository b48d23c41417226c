"""What the model has read: only what it knows may it change."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from unabridged.agent.tool import ToolError


class NotRead(ToolError):
    """A file that the model has not read would be changed."""


class ChangedSince(ToolError):
    """A file is no longer what the model read."""


class Seen:
    """For each path the digest of its content as the model last knew it."""

    def __init__(self) -> None:
        self._digests: dict[Path, str] = {}

    def note(self, path: Path, digest: str) -> None:
        """Remember what was read or written."""
        self._digests[path] = digest

    def check(self, path: Path, digest: str, shown: str) -> None:
        """Make sure that this is the content the model knows. Raises `NotRead` or `ChangedSince`."""
        known = self._digests.get(path)
        if known is None:
            raise NotRead(f"{shown} was not read yet: read it first, then change it")
        if known != digest:
            raise ChangedSince(f"{shown} has changed since it was read, and not by you: read it again, then change it")


def digest_of(data: bytes) -> str:
    """Give the digest by which a content is known."""
    return sha256(data).hexdigest()
