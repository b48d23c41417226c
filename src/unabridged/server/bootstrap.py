"""The first keys: whoever starts a server on an empty database needs some to ask with."""

from __future__ import annotations

import os

from unabridged.errors import BadInput
from unabridged.server.caller import Scope
from unabridged.server.keys import Grant, digest_of, write_key
from unabridged.server.projects import write_project
from unabridged.server.services import Services
from unabridged.server.settings import ProjectSettings

ADMIN_KEY = "UNABRIDGED_ADMIN_KEY"
"""Names an admin's key in the environment, for servers whose keys come from a vault."""
LEAST_CHARACTERS = 32
FIRST_PROJECT = "default"


def first_keys(services: Services) -> tuple[str, str] | None:
    """Make a project on an empty server; give a key of an admin and one of that project, or None where there is some.

    Of several processes that start at once, one makes them.
    """
    database = services.store.database
    with database.transaction() as writing:
        writing.lock("first keys", shared=False)
        for table in ("projects", "api_keys"):
            if writing.rows(f"SELECT 1 FROM {table} LIMIT 1"):
                return None
        id, admin = write_key(writing, Grant(scope=Scope.ADMIN, label="first key"))
        write_project(writing, FIRST_PROJECT, ProjectSettings(), made_by=id)
        _, project = write_key(writing, Grant(scope=Scope.PROJECT, project=FIRST_PROJECT, label="first key"))
    return admin, project


def admin_digest() -> bytes | None:
    """Give the digest of the environment's admin key; None where it names none. The key itself is kept nowhere.

    Raises `BadInput` for one that could be guessed, or that no header can carry.
    """
    key = os.environ.get(ADMIN_KEY, "").strip()
    if not key:
        return None
    if len(key) < LEAST_CHARACTERS or not (key.isascii() and key.isprintable()) or " " in key:
        raise BadInput(
            f"{ADMIN_KEY} has to be {LEAST_CHARACTERS} characters or more, of ASCII and without a space: take random"
            " ones, such as `openssl rand -hex 32` gives"
        )
    return digest_of(key)
