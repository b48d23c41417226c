"""Begins: with a terminal where there is one and nothing says otherwise, without one elsewhere."""

from __future__ import annotations

import importlib.util
import os
import stat
import sys
from pathlib import Path

import typer

from unabridged.agent.options import Options
from unabridged.agent.settings import Settings, settings_of
from unabridged.agent.unforeseen import unforeseen
from unabridged.errors import BadInput, BadSetting, UnabridgedError

FAILED, WRONG = 1, 2


def start(options: Options) -> int:
    """Run the agent and give its exit code. What was foreseen to go wrong is one line."""
    try:
        settings = settings_of(options.settings, **options.given())
    except (BadSetting, BadInput) as error:
        raise typer.BadParameter(str(error)) from None
    piped = _piped()
    try:
        if options.text is not None or options.as_json or options.streams or not _is_terminal():
            return _headless(options, settings, piped)
        return _interactive(options, settings)
    except (UnabridgedError, OSError) as error:
        sys.stderr.write(f"{' '.join(str(error).split())}\n")
        return FAILED
    except Exception as error:  # typer's own pass through below; a fault of ours is one line too, and no traceback
        if isinstance(error, typer.Exit | typer.Abort | typer.BadParameter):
            raise
        sys.stderr.write(f"{unforeseen(error)}\n")
        return FAILED


def _headless(options: Options, settings: Settings, piped: str) -> int:
    asked = options.text if options.text is not None else " ".join(options.prompt or ())
    text = "\n\n".join(filter(None, (asked.strip(), piped.strip())))
    if not text and not options.goes_on and not options.resume:
        raise typer.BadParameter("there is no terminal to type in: give --print TEXT, or pipe the text in")
    from unabridged.agent.headless import Headless, run

    how = "stream" if options.streams else "json" if options.as_json else "text"
    return run(
        Headless(
            settings=settings,
            folder=options.cwd or Path.cwd(),
            store=options.store,
            text=text,
            goes_on=options.goes_on,
            session=options.resume or "",
            how=how,
        )
    )


def _interactive(options: Options, settings: Settings) -> int:
    if importlib.util.find_spec("prompt_toolkit") is None:
        raise BadInput("the terminal needs the extra `agent`: pip install 'unabridged[agent]'; --print does without it")
    from unabridged.agent.terminal.run import Opening, run

    return run(
        Opening(
            settings=settings,
            folder=options.cwd or Path.cwd(),
            store=options.store,
            text=" ".join(options.prompt or ()).strip(),
            goes_on=options.goes_on,
            resume=options.resume,
        )
    )


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _piped() -> str:
    """Give what is piped in: a file, a pipe, or nothing. A descriptor that never says anything is not waited for."""
    if sys.stdin.closed or sys.stdin.isatty():
        return ""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return ""
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "replace")
