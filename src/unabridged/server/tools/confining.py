"""What holds the commands of a session on this machine: tried once, and never nothing."""

from __future__ import annotations

import logging
import os
import platform
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from unabridged.sandbox.bubblewrap import Bubblewrap
from unabridged.sandbox.choosing import fault
from unabridged.sandbox.landlock import Landlock, abi
from unabridged.sandbox.landlock_launcher import MACHINES
from unabridged.sandbox.sandbox import Confinement, Level, Sandbox
from unabridged.sandbox.system import system_paths
from unabridged.server.tools.folders import SessionFolder

LOG = logging.getLogger("unabridged.server")
SIGNALS_HELD = 6
"""The first ABI of Landlock under which a command cannot end the server, which is of the same user."""
Confining = Callable[[Confinement], Sandbox]
KINDS: tuple[tuple[Level, Confining], ...] = ((Level.BUBBLEWRAP, Bubblewrap), (Level.LANDLOCK, Landlock))


def confinement_of(folder: SessionFolder, *, network: bool) -> Confinement:
    """Give what commands of a session may do at most: see the system's programs, write in their own folder."""
    return Confinement(
        writable=(folder.work,),
        temp=folder.temp,
        home=folder.work,
        network=network,
        hides_secrets_of_workspace=False,
        system=system_paths(),
    )


@cache
def confining(*, network: bool) -> Confining | None:
    """Give what makes a sandbox that holds here; None, and a line in the log, where none does."""
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="unabridged-") as temp:
        own = Path(os.path.realpath(temp))
        tried = confinement_of(SessionFolder(own, own), network=network)
        for level, make in KINDS:
            failure = _too_weak(level, network=network) or fault(level, make, tried)
            if not failure:
                return make
            failures.append(f"{level}: {failure}")
    with_it = "with" if network else "without"
    LOG.warning("commands cannot be run here %s network, and are not offered (%s)", with_it, "; ".join(failures))
    return None


def _too_weak(level: Level, *, network: bool) -> str:
    """Say why a sandbox that holds files would not do for strangers; "" where it would."""
    if level is not Level.LANDLOCK:
        return ""
    if network:
        return "with sockets, it would not hold back from other programs of this machine"
    if abi() < SIGNALS_HELD or platform.machine() not in MACHINES:
        return f"it would not hold signals and sockets here (ABI {abi()}, {platform.machine()})"
    return ""
