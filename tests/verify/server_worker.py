"""A chat server in a process of its own, from a configuration; says `ready` when it can be asked."""

from __future__ import annotations

import argparse
from pathlib import Path

import uvicorn

from unabridged.server.app import create_app
from unabridged.server.config import read_config
from unabridged.store import open_store


class Server(uvicorn.Server):
    """Says when it listens."""

    async def startup(self, sockets: list[object] | None = None) -> None:
        await super().startup(sockets)  # type: ignore[arg-type]  # its list is of sockets, and none is given here
        if self.started:
            print("ready", flush=True)


def main() -> None:
    """Serve until asked to end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    given = parser.parse_args()
    config = read_config(given.config)
    with open_store(config.database, synchronous=config.synchronous) as store:
        app = create_app(config, store)
        served = uvicorn.Config(
            app, host=config.host, port=config.port, log_level="error", lifespan="on", access_log=False, backlog=4_096
        )
        Server(served).run()


if __name__ == "__main__":
    main()
