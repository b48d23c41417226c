"""A terminal that a test can type into and read."""

from __future__ import annotations

import shutil
import subprocess
import time
import uuid
from collections.abc import Sequence
from types import TracebackType

import pytest

WITHIN_S = 60.0

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed: nothing to type into")


class Terminal:
    """Runs a command in a terminal of its own."""

    def __init__(
        self, command: Sequence[str], environment: dict[str, str], *, width: int = 100, height: int = 30
    ) -> None:
        self._name = f"unabridged-{uuid.uuid4().hex[:8]}"
        # A server of its own, so that it has this environment and no other.
        given = {**environment, "TERM": environment.get("TERM", "xterm-256color"), "LC_ALL": "C.UTF-8"}
        # The code is printed: tmux does not always learn it.
        made = [
            # A runner's idea of how wide a line is, is not the terminal's.
            *("env", "-u", "COLUMNS", "-u", "LINES"),
            f"TERM={given['TERM']}",
            "sh",
            "-c",
            'trap : INT; "$@"; echo "ended with $?"; sleep 60',
            "sh",
            *command,
        ]
        asked = ["-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height), "--", *made]
        self._tmux(*asked, environment=given)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._tmux("kill-server")

    def type(self, text: str) -> None:
        """Type a text and send it."""
        self._tmux("send-keys", "-l", "--", text)
        self.press("Enter")

    def press(self, *keys: str) -> None:
        """Press keys, as tmux names them."""
        self._tmux("send-keys", *keys)

    def shown(self, *, colours: bool = False) -> str:
        """Give all that is on the screen and above it."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-500", *(["-e"] if colours else []))

    def until(self, *words: str) -> str:
        """Wait until all of these are shown, in any order."""
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            shown = self.shown()
            if all(word in shown for word in words):
                return shown
            time.sleep(0.1)
        missing = [word for word in words if word not in self.shown()]
        raise AssertionError(f"{missing} never came; shown is:\n{self.shown()}")

    def ended(self) -> int:
        """Wait until the command has ended, and give its exit code."""
        shown = self.until("ended with ")
        return int(shown.rpartition("ended with ")[2].split()[0])

    def _tmux(self, *arguments: str, environment: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._name, *arguments], capture_output=True, text=True, env=environment, check=False
        )
        return done.stdout
