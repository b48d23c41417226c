"""Opens what is to be served, and serves it until the client leaves."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

from unabridged.errors import BadInput, UnabridgedError
from unabridged.mcp.library import ImportedShelves, Library, Shelves, StoredShelves
from unabridged.store import open_store
from unabridged.store.place import chosen_place, existing


def serve(folder: Path | None, place: str | None, project: str) -> int:
    """Serve a folder of transcripts, or a project of a store, over standard input and output; give the exit code."""
    with ExitStack() as after:
        try:
            shelves: Shelves
            if folder is not None:
                shelves = ImportedShelves(folder.expanduser())
            else:
                store = after.enter_context(open_store(existing(chosen_place(place))))
                shelves = StoredShelves(store.project(project))
            try:
                from unabridged.mcp.server import server_of
            except ModuleNotFoundError as missing:
                raise BadInput("serving needs the package `mcp`: pip install 'unabridged[mcp]'") from missing
        except UnabridgedError as error:
            print(" ".join(str(error).split()), file=sys.stderr)
            return 1
        server_of(Library(shelves)).run("stdio")
    return 0
