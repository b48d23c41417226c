"""Commands under Landlock, where namespaces cannot be had: in most containers."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from unabridged.sandbox import landlock_launcher
from unabridged.sandbox.sandbox import Confinement, Level

_VERSION = 1
_PRIVATE = ("null", "zero", "full", "random", "urandom")
_DEVICES = (*_PRIVATE, "ptmx", "pts", "shm")
# What programs ask about the machine. Not `/proc` as a whole: command lines of others stand there.
_OF_THE_MACHINE = ("cpuinfo", "meminfo", "stat", "loadavg", "uptime", "version", "filesystems", "sys")


def abi() -> int:
    """Give what this kernel's Landlock can do; 0 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    found = ctypes.CDLL(None, use_errno=True).syscall(landlock_launcher.CREATE_RULESET, None, 0, _VERSION)
    return max(0, int(found))


class Landlock:
    """Writing only in the workspace, reading all but known places of secrets, no sockets."""

    level = Level.LANDLOCK

    def __init__(self, confinement: Confinement) -> None:
        self.confinement = confinement
        self._abi = abi()

    def command(self, argv: Sequence[str], folder: Path) -> list[str]:
        """Give the launcher, which takes its rights away and becomes the command."""
        del folder
        given = self.confinement
        orders = {
            "abi": self._abi,
            "lists": [] if given.is_closed else ["/"],
            "reads": [str(path) for path in self._readable()],
            "writes": [str(path) for path in (*given.writable, given.temp)],
            "devices": [f"/dev/{name}" for name in (_PRIVATE if given.is_closed else _DEVICES)],
            "network": given.network,
            "closed": given.is_closed,
            "parent": os.getpid(),
        }
        launcher = [sys.executable, "-I", "-S", landlock_launcher.__file__]
        return [*launcher, msgspec.json.encode(orders).decode(), *argv]

    def describe(self) -> str:
        """Say what holds and what does not."""
        folders = ", ".join(str(folder) for folder in self.confinement.writable)
        if self.confinement.is_closed:
            return (
                f"sandbox: landlock (ABI {self._abi}). Commands can write only in {folders} and "
                f"{self.confinement.temp}; of the machine they can read only its programs, and change the mode or the "
                f"owner of no file. {self._of_the_network()} It does not stop: finding out whether a file of a known "
                "name is there, filling the disk, faults of the kernel."
            )
        signals = "" if self._abi >= 6 else "signals to other programs, "
        return (
            f"sandbox: landlock (ABI {self._abi}). Commands can write only in {folders} and {self.confinement.temp}; "
            f"known places of secrets in the home cannot be read. {self._of_the_network()} It does not stop: reading "
            "other files of this machine, secrets that lie in the workspace, changing the hooks and configuration of "
            f"git there, {signals}using up memory, disk or time, faults of the kernel."
        )

    def _of_the_network(self) -> str:
        if self.confinement.network:
            return "The network is open."
        if platform.machine() in landlock_launcher.MACHINES:
            return "No sockets: neither the network nor programs of this machine can be reached, not even by loopback."
        return "TCP is off." if self._abi >= landlock_launcher.WITH_TCP else "The network is NOT held."

    def _readable(self) -> list[Path]:
        given = self.confinement
        if given.system is not None:
            return [*given.system, *given.readable, *(Path("/proc", name) for name in _OF_THE_MACHINE)]
        return _all_but([path for path in given.hidden() if not self._inside(path)])

    def _inside(self, path: Path) -> bool:
        # Rights hold for all below a folder: what may be made there may be read there.
        return any(folder in path.parents for folder in (*self.confinement.writable, self.confinement.temp))


def _all_but(hidden: Sequence[Path]) -> list[Path]:
    """Give folders and files that together are the whole machine without what is hidden.

    Rights are given, never taken away below: so what lies beside each hidden place is given one by one. A link is
    left out, for it would give what it leads to; that is given where it really lies.
    """
    above = {parent for path in hidden for parent in path.parents}
    given: list[Path] = []
    left = [Path("/")]
    while left:
        folder = left.pop()
        if folder not in above:
            given.append(folder)
            continue
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            path = folder / entry.name
            if path in above:
                left.append(path)
            elif path not in hidden and not entry.is_symlink():
                given.append(path)
    return given
