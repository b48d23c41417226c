"""One task of 300 steps and 40 MB of output in one message, in small windows, killed, and refused: `make verify-agent`.

The agent is the command itself, as a process of its own, with its real tools in a real folder; the provider is strict
and has a real window. A line for each run says what came of it: the files as they should be, no request refused, the
task in every request.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tests.verify.agent_worker import STEPS_EACH, Worker
from unabridged.testing import FakeProvider, serving

TASK = (
    "In each of the modules m000.py to m{last:03}.py replace the name old_NNN by new_NNN, and run the module after the "
    "change. Never touch forbidden.txt."
)
MODULE = '''"""Module {number:03}."""

import pathlib


def old_{number:03}(line: int) -> str:
    """Give one line of output."""
    return f"line {{line:06}} of module {number:03}: " + "x{number:03}" * 10


for line in range({lines}):
    print(globals().get("new_{number:03}", globals().get("old_{number:03}"))(line))
pathlib.Path("ran_{number:03}.txt").write_text("new" if "new_{number:03}" in globals() else "old")
print("ran {number:03}")
'''
LINE = 75
"""Bytes of a line of output, about."""
WITHIN_S = 1_800


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    name: str
    window: int
    """As the agent is told."""
    real: float = 1.0
    """The provider's own window, as a share of it."""
    kill_every: int = 0
    """Steps between two kills."""
    dialect: str = "openai_chat"


SETTINGS = (
    Setting(name="window 8k", window=8_000),
    Setting(name="window 32k", window=32_000),
    Setting(name="window 8k, killed every 20 steps", window=8_000, kill_every=20),
    Setting(name="window 32k, killed every 20 steps", window=32_000, kill_every=20),
    Setting(name="window 8k, overflows 10 % early", window=8_000, real=0.9),
    Setting(name="window 32k, overflows 10 % early", window=32_000, real=0.9),
)


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a run."""

    steps: int
    output_mb: float
    refused: int
    taskless: int
    wrong: int
    kills: int
    repeated: int
    ending: str
    seconds: float

    def held(self, setting: Setting) -> bool:
        """Tell whether it is as promised. A provider with less than it was said to have refuses until that is known."""
        allowed = 2 if setting.real < 1 else 0
        return not (self.wrong or self.taskless or self.refused > allowed) and self.ending == "completed"


def main() -> int:
    """Run them all; 0 where every one held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modules", type=int, default=75)
    parser.add_argument("--megabytes", type=float, default=40.0, help="of output in all")
    parser.add_argument("--only", default="", help="runs whose name holds this")
    given = parser.parse_args()
    print(f"{given.modules * STEPS_EACH} steps in one message, {given.megabytes:g} MB of output in all", flush=True)
    heads = ("steps", "MB", "refused", "no task", "wrong", "kills", "again", "seconds", "ending")
    print(f"{'':36}" + "".join(f"{head:>9}" for head in heads[:-1]) + f"  {heads[-1]}", flush=True)
    held = [_row(setting, given.modules, given.megabytes) for setting in SETTINGS if given.only in setting.name]
    return 0 if held and all(held) else 1


def _row(setting: Setting, modules: int, megabytes: float) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        found = run(setting, Path(folder), modules, megabytes)
    held = found.held(setting)
    numbers = (found.steps, f"{found.output_mb:.0f}", found.refused, found.taskless, found.wrong, found.kills)
    cells = "".join(f"{number:>9}" for number in (*numbers, found.repeated, f"{found.seconds:.0f}"))
    print(f"{setting.name:36}{cells}  {found.ending}{'' if held else '  NOT AS PROMISED'}", flush=True)
    return held


def run(setting: Setting, folder: Path, modules: int, megabytes: float) -> Result:
    """Run the agent on its task until it is done."""
    work = folder / "work"
    work.mkdir()
    lines = int(megabytes * 1_000_000 / modules / LINE)
    for number in range(modules):
        (work / f"m{number:03}.py").write_text(MODULE.format(number=number, lines=lines))
    (work / "forbidden.txt").write_text("untouched")
    worker = Worker(modules)
    provider = FakeProvider(worker, window=int(setting.window * setting.real))
    task = TASK.format(last=modules - 1)
    began = time.monotonic()
    kills, said = 0, dict[str, Any]()
    with serving(provider) as url:
        arguments = ["-p", task]
        while not said and time.monotonic() - began < WITHIN_S:
            child = _start(setting, work, folder, url, arguments)
            said = _watch(child, worker, setting.kill_every * (kills + 1) if setting.kill_every else 0)
            kills += not said
            arguments = ["--continue", "-p", ""]
    wrong = sum(not _is_right(work, number) for number in range(modules))
    wrong += (work / "forbidden.txt").read_text() != "untouched"
    chats = [served.body for served in provider.served if "tools" in served.body]
    return Result(
        steps=worker.asked,
        output_mb=_size(folder) / 1_000_000,
        refused=len(provider.refused),
        taskless=sum("Never touch forbidden.txt" not in json.dumps(body["messages"]) for body in chats),
        wrong=wrong,
        kills=kills,
        repeated=worker.repeated,
        ending=" ".join(filter(None, (str(said.get("status", "nothing")), str(said.get("detail", ""))))),
        seconds=time.monotonic() - began,
    )


def _start(setting: Setting, work: Path, folder: Path, url: str, arguments: list[str]) -> subprocess.Popen[bytes]:
    command = [
        *(sys.executable, "-m", "unabridged", "agent", *arguments, "--json"),
        *("--model", "fake", "--provider", setting.dialect, "--base-url", f"{url}/v1"),
        *("--window", str(setting.window), "--mode", "auto", "--max-steps", "2000"),
        *("--cwd", str(work), "--store", str(folder / "sessions.db")),
    ]
    home = {"XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"}
    environment: Mapping[str, str] = {
        **os.environ,
        **{name: str(folder / place) for name, place in home.items()},
        "OPENAI_API_KEY": "none",
    }
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=subprocess.PIPE, env=environment, start_new_session=True)


def _watch(child: subprocess.Popen[bytes], worker: Worker, kill_at: int) -> dict[str, Any]:
    """Give what the agent said in the end; nothing where it was killed on the way."""
    while child.poll() is None:
        if kill_at and worker.asked >= kill_at:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return {}
        time.sleep(0.01)
    assert child.stdout is not None
    out = child.stdout.read()
    return json.loads(out) if out.strip() else {"status": f"exit {child.returncode}"}


def _is_right(work: Path, number: int) -> bool:
    text = (work / f"m{number:03}.py").read_text()
    ran = work / f"ran_{number:03}.txt"
    return f"def new_{number:03}" in text and "old_" not in text.split("for line")[0] and ran.exists()


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("sessions.db*"))


if __name__ == "__main__":
    sys.exit(main())
