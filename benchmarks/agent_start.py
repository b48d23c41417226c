"""How long the agent takes to start, as a table: to its prompt, to a session that is open, and to its help.

`make bench-agent` runs it. Beside each stands the floor: an interpreter that imports what no prompt can do without. The
best of several runs counts, for another process may have the machine.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

RUNS = 7
PROMPT_S, HELP_S = 1.0, 0.25
WHERE = b"\x1b[6n"
MAIN = [sys.executable, "-c", "from unabridged.cli import main; main()", "agent"]
AGENT = [*MAIN, "--model", "fake", "--base-url", "http://127.0.0.1:9/v1"]
TERMINAL_FLOOR = [sys.executable, "-c", "import typer, prompt_toolkit, rich.console, rich.markdown; print('ready')"]
HELP_FLOOR = [sys.executable, "-c", "import typer, typer.rich_utils, rich.markdown; print('ready')"]


def until(command: Sequence[str], words: bytes, home: Path) -> float:
    """Run a command in a terminal, and give the seconds until it shows some words."""
    homes = {f"XDG_{kind}_HOME": str(home / kind) for kind in ("DATA", "CONFIG", "STATE")}
    environment = {**os.environ, **homes, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    began = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.execve(command[0], list(command), environment)
    shown = b""
    try:
        while words not in shown:
            ready, _, _ = select.select([terminal], [], [], 30)
            if not ready:
                raise TimeoutError(f"{words!r} never came: {shown[-500:]!r}")
            came = os.read(terminal, 65_536)
            shown += came
            if WHERE in came:  # a terminal says where its cursor is; without that each print waits for a second
                os.write(terminal, b"\x1b[1;1R")
        return time.perf_counter() - began
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def best(measure: Callable[[], float]) -> float:
    """Give the shortest of several runs, after one that warms the caches of files."""
    measure()
    return min(measure() for _ in range(RUNS))


def main() -> int:
    """Print the table; give 0 if what is promised holds on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        asked = [*AGENT, "--cwd", folder, "--store", str(home / "sessions.db")]
        bare = best(lambda: until([sys.executable, "-c", "print('ready')"], b"ready", home))
        floor = best(lambda: until(TERMINAL_FLOOR, b"ready", home))
        prompt = best(lambda: until(asked, "\u203a".encode(), home))
        opened = best(lambda: until(asked, b"/help lists commands", home))
        least = best(lambda: until(HELP_FLOOR, b"ready", home))
        help_s = best(lambda: until([*MAIN, "--help"], b"interrupted", home))
    rows = (
        ("to the prompt", prompt, floor, PROMPT_S),
        ("to an open session", opened, floor, None),
        ("--help", help_s, least, HELP_S),
    )
    print(f"Seconds of starting the agent, best of {RUNS}; an empty interpreter takes {bare:.2f}")
    print(f"{'':<20}{'took':>8}{'floor':>8}{'promised':>10}")
    for name, took, least_s, promised in rows:
        print(f"{name:<20}{took:>8.2f}{least_s:>8.2f}{'' if promised is None else f'{promised:.2f}':>10}")
    return 0 if prompt <= PROMPT_S and help_s <= HELP_S else 1


if __name__ == "__main__":
    sys.exit(main())
