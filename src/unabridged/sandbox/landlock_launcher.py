"""Takes rights away from itself, then becomes a command: `python landlock_launcher.py ORDERS COMMAND...`.

A program of its own, run by an interpreter that loads nothing else: between a fork and what follows in a process with
threads, almost nothing may be done. Whatever cannot be taken away ends it before the command begins.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import signal
import struct
import sys
from typing import Any

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
WITH_TCP = 4
CANNOT_START = 126

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_SET_DEATH_SIGNAL, _SECCOMP, _DROP_BOUND, _NO_NEW_PRIVILEGES = 1, 22, 24, 38
_KEPT_CAPABILITIES = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4  # chown, and what root needs for files of others

# By machine: its name in a filter; calls that are refused (io_uring opens sockets unseen; keys of the session; ways to
# look into the kernel: bpf, perf_event_open); the call that makes a socket.
MACHINES: dict[str, tuple[int, tuple[int, ...], int]] = {
    "x86_64": (0xC000003E, (425, 248, 249, 250, 321, 298), 41),
    "aarch64": (0xC00000B7, (425, 217, 218, 219, 280, 241), 198),
}
# For strangers, whom rules for files alone do not part from others of the same user: modes and owners of files;
# shared memory, semaphores and queues; priorities and processors of processes.
_OF_OTHERS: dict[str, tuple[int, ...]] = {
    "x86_64": (90, 91, 268, 452, 92, 93, 94, 260, 29, 64, 68, 240, 141, 203, 144, 142, 314, 251),
    "aarch64": (52, 53, 452, 54, 55, 194, 190, 186, 180, 140, 122, 119, 118, 274, 30),
}
_LIMITS = {"x86_64": 302, "aarch64": 261}
"""The call that sets limits of any process; one's own is called 0."""
_NETLINK = 16
_OTHER_CALLS_OF_X86 = 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: list[str]) -> None:
    """Take rights away, then become the command."""
    orders: dict[str, Any] = json.loads(arguments[0])
    _libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != orders["parent"]:
        return  # The one who asked is gone already.
    _checked(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
    _drop_capabilities()
    _restrict(orders)
    if platform.machine() in MACHINES:
        machine, refused, socket = MACHINES[platform.machine()]
        closed = _OF_OTHERS[platform.machine()] if orders["closed"] else ()
        limits = _LIMITS[platform.machine()] if orders["closed"] else None
        _filter(machine, (*refused, *closed), None if orders["network"] else socket, limits)
    os.execvp(arguments[1], arguments[1:])


def _restrict(orders: dict[str, Any]) -> None:
    abi: int = orders["abi"]
    files = (1 << (13 if abi < 2 else 14 if abi < 3 else 15 if abi < 5 else 16)) - 1
    tcp = 0 if orders["network"] or abi < WITH_TCP else 3
    scoped = 3 if abi >= 6 else 0  # Abstract sockets and signals stay among themselves.
    attributes = struct.pack("=QQQ", files, tcp, scoped)[: 8 if abi < WITH_TCP else 16 if abi < 6 else 24]
    rules = _checked(_libc.syscall(CREATE_RULESET, attributes, len(attributes), 0), "a set of rules")
    for path in orders["lists"]:
        _allow(rules, path, _READ_DIR)
    for path in orders["reads"]:
        _allow(rules, path, _READ & files)
    for path in orders["devices"]:
        _allow(rules, path, (_READ | _WRITE_FILE | _TRUNCATE | _IOCTL | (1 << 8)) & files)
    for path in orders["writes"]:
        _allow(rules, path, files & ~_IOCTL)
    _checked(_libc.syscall(RESTRICT_SELF, rules, 0), "its restriction")
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # Gone, or not ours to see: nothing is allowed there.
    try:
        if not os.path.isdir(f"/proc/self/fd/{place}"):
            rights &= _OF_FILES
        _checked(_libc.syscall(ADD_RULE, rules, 1, struct.pack("=Qi", rights, place), 0), f"the rule for {path}")
    finally:
        os.close(place)


def _drop_capabilities() -> None:
    for capability in range(64):
        if not _KEPT_CAPABILITIES >> capability & 1:
            _libc.prctl(_DROP_BOUND, capability, 0, 0, 0)
    kept = _KEPT_CAPABILITIES if os.geteuid() == 0 else 0
    header = struct.pack("=Ii", 0x20080522, 0)
    _checked(_libc.capset(header, struct.pack("=6I", kept, kept, 0, 0, 0, 0)), "fewer capabilities")


def _filter(machine: int, refused: tuple[int, ...], socket: int | None, limits: int | None) -> None:
    """Refuse a few system calls, sockets unless the network is open, and limits of other processes."""
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    allow, refuse = 0x7FFF0000, 0x00050000 | errno.EPERM
    lines = [(load, 0, 0, 4), (equal, 1, 0, machine), (give, 0, 0, refuse), (load, 0, 0, 0)]
    lines += [(at_least, 0, 1, _OTHER_CALLS_OF_X86), (give, 0, 0, refuse)]
    for call in refused:
        lines += [(equal, 0, 1, call), (give, 0, 0, refuse)]
    if limits is not None:
        lines += [(equal, 0, 4, limits), (load, 0, 0, 16), (equal, 1, 0, 0), (give, 0, 0, refuse), (load, 0, 0, 0)]
    if socket is not None:
        lines += [(equal, 0, 3, socket), (load, 0, 0, 16), (equal, 1, 0, _NETLINK), (give, 0, 0, refuse)]
    lines += [(give, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in lines))
    program = struct.pack("@HP", len(lines), ctypes.addressof(code))
    _checked(_libc.prctl(_SECCOMP, 2, program, 0, 0), "its filter")


def _checked(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"the sandbox could not be made: {what}")
    return result


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except FileNotFoundError as error:
        sys.stderr.write(f"{error.filename}: not found\n")
        sys.exit(127)
    except (OSError, ValueError, KeyError, IndexError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(CANNOT_START)
