"""A process that starts a server on a database that may be empty, and says which first keys it made."""

from __future__ import annotations

import sys

from unabridged.server.app import create_app
from unabridged.server.bootstrap import first_keys
from unabridged.server.config import ServerConfig
from unabridged.store import open_store


def main(place: str) -> None:
    """Start once told to."""
    with open_store(place) as store:
        services = create_app(ServerConfig(), store).state.services
        print("ready", flush=True)
        sys.stdin.readline()
        print(*(first_keys(services) or ()))


if __name__ == "__main__":
    main(sys.argv[1])
