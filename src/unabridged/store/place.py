"""Where a store is: as it was given, by the environment, or in the user's data folder. No password is ever shown."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from unabridged.errors import BadInput
from unabridged.folders import data_folder

VARIABLE = "UNABRIDGED_STORE"
DEFAULT = "default"
"""Names the place that is taken where none is given."""
MEMORY = ":memory:"


def chosen_place(given: str | None = None) -> str:
    """Give the place of a store: `given`, else that of the environment, else a file in the user's data folder."""
    if given not in (None, "", DEFAULT):
        return given
    return os.environ.get(VARIABLE) or str(data_folder() / "sessions.db")


def existing(place: str) -> str:
    """Give a place that is only read. Raises `BadInput` where no store is: looking for something makes no file."""
    _refuse_memory(place)
    if not _is_url(place) and not Path(place).is_file():
        raise BadInput(
            f"there is no store at {place}: `unabridged import FILE --into {place}` makes one;"
            f" --store or {VARIABLE} names another"
        )
    return place


def made_ready(place: str) -> str:
    """Give a place that is written to. The folder of a file is made, for its owner alone."""
    _refuse_memory(place)
    if not _is_url(place):
        Path(place).absolute().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def shown_place(place: str) -> str:
    """Give a place as it may be printed: of a URL without its password."""
    if not _is_url(place):
        return place
    try:
        parts = urlsplit(place)
        named, _, host = parts.netloc.rpartition("@")
        user = named.partition(":")[0]
        asked = [(name, value) for name, value in parse_qsl(parts.query) if "password" not in name.lower()]
    except ValueError:
        return place.partition("://")[0] + "://..."
    netloc = f"{user}@{host}" if named else host
    return urlunsplit(parts._replace(netloc=netloc, query=urlencode(asked)))


def _refuse_memory(place: str) -> None:
    if place == MEMORY:
        raise BadInput("a store in memory is gone with its process: name a file, or the URL of a database")


def _is_url(place: str) -> bool:
    return "://" in place
