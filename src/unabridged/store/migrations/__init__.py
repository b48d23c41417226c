"""Numbered migrations: plain SQL, one file for each engine and version, run once by whoever comes first."""

from __future__ import annotations

from importlib.resources import files

from unabridged.errors import StoreError, StoreFault

VERSION = 4
"""Of the schema that this version of the package reads and writes."""


def migrate(engine: str, present: int) -> list[tuple[int, str]]:
    """Give the migrations that a database needs, each with its number, oldest first.

    Raises `StoreError` for a schema that a newer version made.
    """
    if present > VERSION:
        raise StoreError(
            StoreFault.NEWER_SCHEMA,
            f"the database has schema {present}, and this version of unabridged knows up to {VERSION}: upgrade it",
        )
    folder = files(__name__)
    return [
        (number, (folder / f"{number:04}_{engine}.sql").read_text("utf-8"))
        for number in range(present + 1, VERSION + 1)
    ]
