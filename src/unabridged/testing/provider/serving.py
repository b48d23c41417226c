"""Serves an ASGI application on loopback, for clients that want a real server."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

from unabridged.errors import BadInput

WAIT_S = 0.005


@contextlib.contextmanager
def serving(app: Callable[..., Any], *, port: int = 0) -> Generator[str]:
    """Serve an application for as long as the block lasts; gives its URL. Needs the extra `testing` (uvicorn)."""
    try:
        import uvicorn
    except ModuleNotFoundError as missing:
        raise BadInput("serving needs uvicorn: pip install 'unabridged[testing]'") from missing
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", lifespan="off", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise OSError(f"no server on 127.0.0.1:{port}: is the port taken?")
            time.sleep(WAIT_S)
        bound = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{bound}"
    finally:
        server.should_exit = True
        thread.join()
