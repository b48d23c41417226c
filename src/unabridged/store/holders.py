"""Who holds a turn, such that another worker of the same machine sees at once when that one died.

A lease runs out by itself. But whoever starts an agent again after it was killed should not wait for that.
"""

from __future__ import annotations

import hashlib
import os
import socket
import uuid
from functools import cache
from pathlib import Path

_DEAD = "ZX"
"""States of a process that only waits to be forgotten."""


def holder_here() -> str:
    """Name this worker: machine, process, and a part that no other has."""
    return f"{socket.gethostname()}:{os.getpid()}:{_began(os.getpid()) or 0}:{_place()}:{uuid.uuid4().hex[:12]}"


def is_gone(holder: str) -> bool:
    """Tell whether a holder is known to be dead: a process of this machine, and of our view of its processes.

    Nothing is known of any other machine or container: there the lease has to run out.
    """
    parts = holder.rsplit(":", 4)
    if len(parts) != 5 or not parts[3] or parts[3] != _place() or not parts[1].isdecimal():
        return False
    return _began(int(parts[1])) != int(parts[2] if parts[2].isdecimal() else 0)


@cache
def _place() -> str:
    """Name the boot of this machine and the space of process numbers; "" where that cannot be told."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        space = os.stat("/proc/self/ns/pid").st_ino
    except (OSError, UnicodeDecodeError):
        return ""
    return hashlib.sha256(f"{boot}:{space}".encode()).hexdigest()[:12]


def _began(pid: int) -> int | None:
    """Give when a process began, in ticks since the boot; None where it is dead. A number is used again one day."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    state, *rest = said.rpartition(")")[2].split()
    return None if state in _DEAD else int(rest[18])
