"""One of several processes that serve: `workers.py` starts it, with its configuration on standard input.

python -m unabridged.server.worker SOCKET READY         (numbers of open files)
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading

import msgspec

from unabridged.errors import UnabridgedError
from unabridged.server import logs
from unabridged.server.config import ServerConfig
from unabridged.server.serving import serve

LOG = logging.getLogger("unabridged.server")


def main(place: int, ready: int) -> int:
    """Serve; give the exit code."""
    config = msgspec.json.decode(sys.stdin.buffer.readline(), type=ServerConfig)
    logs.set_up(json=config.json_logs, level=config.log_level)
    threading.Thread(target=_until_alone, name="parent", daemon=True).start()
    try:
        return serve(config, socket.socket(fileno=place), lambda _: _say(ready))
    except UnabridgedError as error:
        LOG.error("%s", error)
        return 1


def _say(ready: int) -> None:
    os.write(ready, b".")
    os.close(ready)


def _until_alone() -> None:
    """Wait until whoever started this process is gone, and end then: nobody else would."""
    while sys.stdin.buffer.read(1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
