"""Which sandbox holds commands here: each is tried on something real before it is trusted."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from unabridged.errors import BadSetting
from unabridged.sandbox.bubblewrap import Bubblewrap, bwrap
from unabridged.sandbox.environment import clean_environment
from unabridged.sandbox.landlock import Landlock, abi
from unabridged.sandbox.sandbox import Confinement, Level, Sandbox, Unconfined

_PATIENCE_S = 20.0
_TRY = """
import socket, sys
inside, outside, secret, port, network = sys.argv[1:]
open(inside, "w").write("x")
for act in (lambda: open(outside, "w"), lambda: open(secret).read(1) or [][0]):
    try:
        act()
    except (OSError, IndexError):
        continue
    sys.exit("it does not hold files")
try:
    socket.create_connection(("127.0.0.1", int(port)), 2)
    reached = True
except OSError:
    reached = False
sys.exit("it does not hold the network" if reached and network == "off" else 0)
"""


class Wanted(StrEnum):
    """What the user asks for."""

    AUTO = "auto"
    """The strongest that works here; none, and said so, where none does."""
    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    NOTHING = "dangerously-none"


def choose(confinement: Confinement, wanted: Wanted = Wanted.AUTO) -> Sandbox:
    """Give the sandbox for a session; it is tried first. Raises `BadSetting` where one was named and fails."""
    if wanted is Wanted.NOTHING:
        return Unconfined()
    failures: list[str] = []
    for level, make in ((Level.BUBBLEWRAP, Bubblewrap), (Level.LANDLOCK, Landlock)):
        if wanted in (Wanted.AUTO, level):
            failure = fault(level, make, confinement)
            if not failure:
                return make(confinement)
            failures.append(f"{level}: {failure}")
    why = "; ".join(failures)
    if wanted is not Wanted.AUTO:
        raise BadSetting("sandbox", str(wanted), f"it does not work here ({why}): use `auto`")
    return Unconfined(why)


def fault(level: Level, make: Callable[[Confinement], Sandbox], confinement: Confinement) -> str:
    """Try a sandbox; give what is wrong with it, "" where it holds."""
    if level is Level.BUBBLEWRAP and bwrap() is None:
        return "the program bwrap is not installed"
    if level is Level.LANDLOCK and abi() < 1:
        return "this kernel has none, or it is switched off"
    # Under a folder that the sandbox does not replace by its own.
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="unabridged-try-", dir=_visible())))
    try:
        return _tried(make, confinement, folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"it could not be tried ({error})"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _tried(make: Callable[[Confinement], Sandbox], confinement: Confinement, folder: Path) -> str:
    work, temp, home = folder / "work", folder / "temp", folder / "home"
    for each in (work, temp, home / ".ssh"):
        each.mkdir(parents=True)
    secret = home / ".ssh" / "id_rsa"
    tried = msgspec.structs.replace(confinement, writable=(work,), temp=temp, home=home, readable=())
    if confinement.system is not None:
        # The trial is a program in Python; with the system closed even a file that is no secret has to be out of sight.
        secret = folder / "of-another"
        tried = msgspec.structs.replace(tried, system=(*confinement.system, *_interpreter()))
    secret.write_text("secret")
    sandbox = make(tried)
    with socket.create_server(("127.0.0.1", 0)) as server:
        network = "on" if confinement.network else "off"
        names = [str(work / "in"), str(folder / "out"), str(secret), str(server.getsockname()[1]), network]
        ended = _run(sandbox.command([sys.executable, "-I", "-S", "-c", _TRY, *names], work), temp)
    if ended.returncode != 0:
        return (ended.stderr.strip().splitlines() or ["it did not run"])[-1]
    if not (work / "in").exists() or (folder / "out").exists():
        return "it does not hold files"
    return ""


def _run(argv: Sequence[str], temp: Path) -> subprocess.CompletedProcess[str]:
    environment = clean_environment(os.environ, temp)
    nothing = subprocess.DEVNULL
    return subprocess.run(
        argv, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, stdin=nothing, env=environment
    )


def _interpreter() -> list[Path]:
    """Give where this interpreter lies, unless the system has it."""
    own = (sys.executable, os.path.realpath(sys.executable), sys.prefix, sys.base_prefix)
    return [path for path in map(Path, dict.fromkeys(own)) if not path.is_relative_to("/usr")]


def _visible() -> str | None:
    places = ("/var/tmp", os.path.expanduser("~"))
    return next((place for place in places if os.access(place, os.W_OK)), None)
