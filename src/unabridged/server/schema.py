"""Writes the server's API down: OpenAPI, and the JSON schema of frames. `make openapi` runs it.

python -m unabridged.server.schema docs
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from unabridged.server.app import create_app
from unabridged.server.config import ServerConfig
from unabridged.server.described import frames_schema
from unabridged.store import open_store

OPENAPI, FRAMES = "openapi.json", "frames.schema.json"


def openapi() -> dict[str, Any]:
    """Give what OpenAPI says of the server."""
    with open_store(":memory:") as store:
        return create_app(ServerConfig(), store).openapi()


def written() -> dict[str, str]:
    """Give both documents by their names, as they stand in `docs`."""
    return {OPENAPI: _text(openapi()), FRAMES: _text(frames_schema())}


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def main(folder: Path) -> None:
    """Write both into a folder."""
    for name, text in written().items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
