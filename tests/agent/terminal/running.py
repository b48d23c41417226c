"""The command as a user runs it, against a provider on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MAIN = (sys.executable, "-c", "from unabridged.cli import main; main()", "agent")


def environment(home: Path, **more: str) -> dict[str, str]:
    """Give an environment in which nothing of the user's own is found."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_AUTH_TOKEN"))}
    for name in ("NO_COLOR", "UNABRIDGED_MODEL", "UNABRIDGED_STORE"):
        kept.pop(name, None)
    homes = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("DATA", "CONFIG", "STATE")}
    return {**kept, **homes, "HOME": str(home), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}


def options(url: str, home: Path, *more: object) -> list[str]:
    """Give the options that reach the provider, and a store of our own."""
    folder = home / "project"
    folder.mkdir(exist_ok=True)
    at = ["--model", "fake", "--base-url", f"{url}/v1", "--cwd", str(folder), "--store", str(home / "sessions.db")]
    return [*at, *map(str, more)]


def headless(url: str, home: Path, *more: object, piped: str = "") -> subprocess.CompletedProcess[str]:
    """Run without a terminal, to the end."""
    return subprocess.run(
        [*MAIN, *options(url, home, *more)],
        input=piped,
        capture_output=True,
        text=True,
        env=environment(home),
        check=False,
        timeout=60,
    )


def started(url: str, home: Path, *more: object) -> subprocess.Popen[bytes]:
    """Run without a terminal, and go on."""
    arguments: Sequence[str] = [*MAIN, *options(url, home, *more)]
    return subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(home)
    )
