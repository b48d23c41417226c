"""Starts the server: reads what is configured, takes the port, opens the database, says where it is."""

from __future__ import annotations

import errno
import logging
import socket

import typer

from unabridged import __version__
from unabridged.errors import BadInput, StoreError
from unabridged.server import logs
from unabridged.server.app import create_app
from unabridged.server.bootstrap import FIRST_PROJECT, first_keys
from unabridged.server.config import ServerConfig
from unabridged.server.configuring import configured, with_models
from unabridged.server.options import Options
from unabridged.server.serving import serve
from unabridged.server.workers import Workers
from unabridged.store import open_store
from unabridged.store.place import shown_place

LOG = logging.getLogger("unabridged.server")
BACKLOG = 2_048


class CannotServe(Exception):
    """The port, or the machine, is not there for it."""


def start(options: Options) -> int:
    """Serve until a signal comes; give the exit code."""
    try:
        config = configured(options)
        logs.set_up(json=config.json_logs, level=config.log_level)
        with with_models(config, options.model or []) as (whole, says), _bound(whole) as bound:
            return _served(whole, bound, says)
    except (CannotServe, StoreError) as error:
        return _failed(error, 1)
    except BadInput as error:
        return _failed(error, 2)


def _served(config: ServerConfig, bound: socket.socket, says: str) -> int:
    if config.workers == 1:
        return serve(config, bound, lambda services: _greet(config, bound, says, first_keys(services)))
    with open_store(config.database, synchronous=config.synchronous) as store:  # made ready once, before all read it
        keys = first_keys(create_app(config, store).state.services)
    return Workers(config, bound).run(lambda: _greet(config, bound, says, keys))


def _bound(config: ServerConfig) -> socket.socket:
    """Take the port. Raises `CannotServe`."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    place = f"port {config.port} of {config.host}"
    try:
        return socket.create_server((config.host, config.port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotServe(f"{place} is taken: end what uses it, or give another with --port") from None
        if error.errno == errno.EACCES:
            raise CannotServe(f"{place} is not yours to take: give one above 1023 with --port") from None
        said = "give an address of this machine with --host, such as 127.0.0.1 or 0.0.0.0"
        raise CannotServe(f"{place} cannot be taken ({error.strerror or error}): {said}") from None


def _greet(config: ServerConfig, bound: socket.socket, says: str, keys: tuple[str, str] | None) -> None:
    """Say where the server is, and what it serves; keys are said once, to whoever started it, and are in no log."""
    url = _url(config.host, bound.getsockname()[1])
    models = [f"{name} (default)" if not place else name for place, name in enumerate(config.models)]
    if config.json_logs:
        fields = {"url": url, "models": list(config.models), "database": shown_place(config.database)}
        LOG.info("serving at %s", url, extra={"fields": fields})
    else:
        typer.echo(f"unabridged {__version__} serves at {url}\n")
        for name, value in (
            ("models", says or ", ".join(models)),
            ("database", shown_place(config.database)),
            ("docs", f"{url}/docs"),
            ("processes", str(config.workers) if config.workers > 1 else ""),
        ):
            if value:
                typer.echo(f"  {name:<10} {value}")
        typer.echo("")
    if keys is not None:
        typer.echo("The first keys; nobody can show them again:\n")
        typer.echo(f"  admin      {keys[0]}\n  project    {keys[1]}  (of `{FIRST_PROJECT}`)\n")
        typer.echo(f"  curl -N {url}/chat -H 'Authorization: Bearer {keys[1]}' \\")
        typer.echo("    -H 'Content-Type: application/json' -d '{\"message\": \"Hello\"}'\n")


def _url(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def _failed(error: Exception, code: int) -> int:
    typer.echo(f"unabridged serve: {logs.cleaned(str(error))}", err=True)
    return code
