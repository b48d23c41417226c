"""Who asks: what a key stands for. A caller sees one project, and as an end user only what is his own in it."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from unabridged.server.settings import Limits


class Scope(StrEnum):
    """What a key may do."""

    ADMIN = "admin"
    """Makes projects and keys; for conversations it names a project, by the header `X-Project`."""
    PROJECT = "project"
    """All of one project: its settings, its keys, everybody's conversations."""
    USER = "user"
    """The conversations of one end user of a project, and nothing else."""


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks, as their key says."""

    key: str
    """Id of the key; it is no secret."""
    scope: Scope
    project: str
    """"" for an admin who names none."""
    owner: str | None = None
    """The end user; None sees everybody's conversations."""
    limits: Limits = Limits()
    """Of the key itself."""
