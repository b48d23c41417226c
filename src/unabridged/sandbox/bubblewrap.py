"""Commands in namespaces of their own, by the system's `bwrap`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from unabridged.sandbox.sandbox import Confinement, Level

# Sockets of other programs lie here: one of them may be a door to the whole machine.
_SOCKETS = "/run"
_NAMES_OF_HOSTS = ("/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager")
# Settings of the running kernel: for root, a new `/proc` would hand them out.
_OF_THE_KERNEL = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")
# Root without these could not even write a file that belongs to somebody else; none of them undoes a mount.
_OF_ROOT = ("CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER", "CAP_FSETID")
_SHARED_MEMORY = str(64 * 1024 * 1024)


def bwrap() -> str | None:
    """Find the system's own: that is the one which a distribution's security profiles let through."""
    return next((path for path in ("/usr/bin/bwrap", "/bin/bwrap") if os.access(path, os.X_OK)), shutil.which("bwrap"))


class Bubblewrap:
    """The machine read-only, the workspace writable, secrets empty, no network, no other processes to be seen."""

    level = Level.BUBBLEWRAP

    def __init__(self, confinement: Confinement, program: str | None = None) -> None:
        self.confinement = confinement
        self._program = program or bwrap() or "bwrap"

    def command(self, argv: Sequence[str], folder: Path) -> list[str]:
        """Give the same command, wrapped."""
        return [self._program, *self._spaces(), *self._mounts(), "--chdir", str(folder), "--", *argv]

    def describe(self) -> str:
        """Say what holds and what does not."""
        folders = ", ".join(str(folder) for folder in self.confinement.writable)
        network = "The network is open." if self.confinement.network else "There is no network, except to itself."
        if self.confinement.is_closed:
            return (
                f"sandbox: bubblewrap. Commands can write only in {folders} and in a temporary folder of their own; "
                f"of the machine they see only its programs. {network} It does not stop: filling the disk, faults of "
                "the kernel."
            )
        return (
            f"sandbox: bubblewrap. Commands can write only in {folders} and in a temporary folder of their own; the "
            f"hooks and configuration of git and the agent's rules are read-only. Known places of secrets are empty. "
            f"{network} It does not stop: reading other files of this machine, using up memory, disk or time, faults "
            "of the kernel."
        )

    def _spaces(self) -> list[str]:
        options = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--new-session"]
        options += ["--die-with-parent", "--cap-drop", "ALL"]
        if os.geteuid() == 0:
            options += [word for capability in _OF_ROOT for word in ("--cap-add", capability)]
        return options if self.confinement.network else [*options, "--unshare-net"]

    def _mounts(self) -> list[str]:
        """Later ones lie over earlier ones."""
        given, temp = self.confinement, str(self.confinement.temp)
        mounts = self._machine()
        mounts += _same("--ro-bind-try", [Path(path) for path in _OF_THE_KERNEL])
        if given.network:
            mounts += [word for path in _NAMES_OF_HOSTS for word in ("--ro-bind-try", path, path)]
        mounts += ["--bind", temp, "/tmp", "--bind", temp, temp]
        mounts += _same("--ro-bind-try", given.readable)
        mounts += _same("--bind", given.writable)
        mounts += _same("--bind", given.held())  # a mount cannot be renamed
        mounts += _same("--ro-bind", given.kept())
        for path in given.hidden():
            mounts += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
        return [*mounts, "--remount-ro", "/"] if given.is_closed else mounts

    def _machine(self) -> list[str]:
        """Give all of it, or only what may be seen."""
        if self.confinement.system is None:
            return ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", _SOCKETS]
        seen = [word for path in self.confinement.system for word in _shown(path)]
        # Both are memory: a command must not fill it.
        return [*seen, "--dev", "/dev", "--size", _SHARED_MEMORY, "--tmpfs", "/dev/shm", "--remount-ro", "/dev",
                "--proc", "/proc", "--size", "4096", "--tmpfs", _SOCKETS]  # fmt: skip


def _shown(path: Path) -> list[str]:
    """Show a part of the system as it is there: `/bin` may be a link, a file may be one that leads elsewhere."""
    if path.is_symlink() and path.is_dir():
        return ["--symlink", os.readlink(path), str(path)]
    return ["--ro-bind-try", os.path.realpath(path), str(path)]


def _same(how: str, paths: Sequence[Path]) -> list[str]:
    return [word for path in paths for word in (how, str(path), str(path))]
