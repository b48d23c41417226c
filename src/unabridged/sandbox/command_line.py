"""A command line: what no shell could be given, the shell that runs it, how its end is told."""

from __future__ import annotations

import os
import signal

# One argument of a program may not be longer on Linux.
_LONGEST = 128_000


def unfit(command: str) -> str:
    """Say why no shell could be given a command; "" where one can."""
    if not command.strip():
        return "the command is empty: give one"
    if "\0" in command:
        return "a command cannot hold a NUL character: write it to a file, or as an escape that the shell reads"
    try:
        length = len(command.encode())
    except UnicodeEncodeError:
        return "the command holds half of a surrogate pair, which no program can be given"
    if length > _LONGEST:
        return f"the command has {length:,} bytes, more than {_LONGEST:,}: write a script to a file and run it"
    return ""


def told(code: int | None) -> str:
    """Say how a command ended."""
    if code is not None and code < 0:
        names = {each.value: each.name for each in signal.Signals}
        return f"ended by {names.get(-code, f'signal {-code}')}"
    return f"exit {code}"


def shell() -> list[str]:
    """Give the shell of this machine; a command line comes behind."""
    if os.access("/bin/bash", os.X_OK):
        return ["/bin/bash", "--noprofile", "--norc", "-c"]
    return ["/bin/sh", "-c"]
