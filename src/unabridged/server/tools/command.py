"""`run_command`: a command on this machine, in a sandbox, in a folder of the session's own."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import time
from pathlib import Path
from typing import Annotated

import msgspec

from unabridged.framing import Function
from unabridged.sandbox.captured import Captured
from unabridged.sandbox.command_line import shell, told, unfit
from unabridged.sandbox.environment import clean_environment
from unabridged.sandbox.plain import plain
from unabridged.sandbox.processes import Started, to_its_end
from unabridged.server.settings import CommandTool
from unabridged.server.tools.confining import Confining, confinement_of
from unabridged.server.tools.folders import SessionFolder, emptied, made
from unabridged.server.tools.naming import RUN_COMMAND
from unabridged.server.tools.tool import Output, Place

LOG = logging.getLogger("unabridged.server")
MOST_MEMORY = 4 * 1024**3
"""Bytes of address space of one process."""
MOST_FILE = 512 * 1024**2
"""Bytes of one file."""
MOST_PROCESSES = 256
MOST_OPEN = 1_024
MOST_SAID = 1_000_000
"""Characters that whoever watches is shown while a command runs."""
SAID_ENOUGH = "\n[context: what follows is not shown while the command runs]\n"
LONGEST_SAYS = 300
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# A file of `/etc` that may not be read ends git.
_NO_SYSTEM_OF_GIT = {"GIT_CONFIG_NOSYSTEM": "1"}
# A limit that cannot be set is lower already: nothing but that can be wrong with it.
_LIMITED = 'for limit in {limits}; do ulimit "${{limit%%=*}}" "${{limit#*=}}" 2>/dev/null; done; exec {shell} "$1"'
# What a sandbox says when it could not even begin.
_NOT_BEGUN = ("bwrap: ", "the sandbox could not be made", "[Errno")


class _Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    command: str
    timeout_s: Annotated[float, msgspec.Meta(gt=0)] | None = None


class RunCommand:
    """Runs commands of one session. `folder` is the session's; it is made with the first command."""

    def __init__(self, settings: CommandTool, folder: Path, confine: Confining) -> None:
        self._settings = settings
        self._folder = folder
        self._confine = confine

    @property
    def function(self) -> Function:
        """Name, description and parameters, as models are told of them."""
        network = "The network is open." if self._settings.network else "There is no network."
        says = (
            "Run a command with bash, to its end, and read what it wrote (both streams, as it came) and its exit code. "
            "It runs in a sandbox, in a folder that belongs to this conversation: files there stay for later commands, "
            f"folder and variables do not. {network} Its input is empty; what it leaves running is ended with it."
        )
        limit = f"After so many seconds it is ended; at most {self._settings.timeout_s:g}, which is the default."
        properties = {
            "command": {"type": "string", "description": "For bash -c."},
            "timeout_s": {"type": "number", "description": limit},
        }
        return Function(RUN_COMMAND, says, {"type": "object", "properties": properties, "required": ["command"]})

    @property
    def asks(self) -> bool:
        """The end user has to allow each command, unless the project says that the sandbox is enough."""
        return self._settings.approval == "always"

    def says(self, arguments: str) -> str:
        """Give the command in a line, with nothing in it that cannot be seen."""
        try:
            command = msgspec.json.decode(arguments, type=_Arguments).command
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return f"{RUN_COMMAND} with arguments that it will not understand"
        line = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in " ".join(command.split()))
        if len(line) <= LONGEST_SAYS:
            return line
        return f"{line[:LONGEST_SAYS]}… ({len(line) - LONGEST_SAYS:,} more characters)"

    async def run(self, arguments: str, place: Place) -> Output:
        """Run the command to its end, to its limit, or until it is cancelled: nothing of it goes on after that."""
        try:
            asked = msgspec.json.decode(arguments, type=_Arguments)
        except (msgspec.DecodeError, UnicodeEncodeError) as error:
            said = f"{RUN_COMMAND} did not understand its arguments ({error}): give `command`, and `timeout_s` or not"
            return Output(text=said, is_error=True)
        why = unfit(asked.command)
        if why:
            return Output(text=why, is_error=True)
        limit_s = min(asked.timeout_s or self._settings.timeout_s, self._settings.timeout_s)
        begun = time.monotonic()
        started = await self._start(asked.command, place)
        left, in_time = await to_its_end(started, limit_s)
        # What a terminal would show in the end is worked out: that takes a while for megabytes.
        text = await asyncio.to_thread(started.captured.text)
        if started.code in (1, 126) and text.startswith(_NOT_BEGUN):
            LOG.error("a command of session %s did not begin: %s", place.session, text[:500])
            return Output(text="the sandbox could not be made, so that nothing was run: try again later", is_error=True)
        notes = [f"{told(started.code) if in_time else _at_limit(limit_s)}, {time.monotonic() - begun:.1f} s"]
        notes += [f"{left} processes that it left behind were ended"] if left else []
        return Output(
            text=f"{text.rstrip(chr(10)) or '(no output)'}\n[{'; '.join(notes)}]",
            is_error=not in_time,
        )

    async def _start(self, command: str, place: Place) -> Started:
        folder = await asyncio.to_thread(_ready, self._folder)
        sandbox = self._confine(confinement_of(folder, network=self._settings.network))
        given = {"PATH": _PATH, "LANG": "C.UTF-8", "TERM": "dumb", "HOME": str(folder.work), **_NO_SYSTEM_OF_GIT}
        started = Started(Captured(None), _Saying(place).say)
        argv = sandbox.command(limited(command, self._settings.timeout_s), folder.work)
        await started.start(argv, folder.work, clean_environment(given, folder.temp, _NO_SYSTEM_OF_GIT))
        return started


class _Saying:
    """Says what a command writes, to a bound."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._left = MOST_SAID

    def say(self, text: str) -> None:
        if self._left <= 0:
            return
        piece = plain(text)[: self._left]
        self._left -= len(piece)
        if piece:
            self._place.say(piece)
        if self._left <= 0:
            self._place.say(SAID_ENOUGH)


def limited(command: str, timeout_s: float) -> list[str]:
    """Give what runs a command in a shell whose limits it cannot raise."""
    limits = {
        "-c": 0,
        "-f": MOST_FILE // 1024,
        "-v": MOST_MEMORY // 1024,
        "-n": MOST_OPEN,
        "-u": MOST_PROCESSES,
        "-t": math.ceil(timeout_s) * (os.cpu_count() or 1),
    }
    words = " ".join(f"{name}={value}" for name, value in limits.items())
    return [*shell(), _LIMITED.format(limits=words, shell=" ".join(shell())), "command", command]


def _ready(folder: Path) -> SessionFolder:
    ready = made(folder)
    emptied(ready.temp)
    return ready


def _at_limit(limit_s: float) -> str:
    return f"ended after the limit of {limit_s:g} s, with all that it had started"
