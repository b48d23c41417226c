"""The shell tool on real processes, in each sandbox that this machine has."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.agent.shell.desk import Desk
from tests.sandbox.living import living, unfetched
from unabridged.agent.access import Runs
from unabridged.agent.shell.shell import ShellArguments
from unabridged.agent.tool import ToolError

pytestmark = pytest.mark.anyio


async def gone(word: str) -> bool:
    """Tell whether a process is gone, or goes within a moment."""
    for _ in range(50):
        if not living(word):
            return True
        await asyncio.sleep(0.02)
    return False


async def test_both_streams_come_back_in_order_with_the_exit_code(desk: Desk) -> None:
    done = await desk.run("echo one; echo two >&2; echo three; exit 3")

    assert done.text.splitlines()[:3] == ["one", "two", "three"]
    assert f"[exit 3, 0.{done.text.rpartition('exit 3, 0.')[2]}" in done.text
    assert f"sandbox: {desk.place.sandbox.level}" in done.text
    assert not done.is_error
    assert "".join(desk.said) == "one\ntwo\nthree\n"


async def test_it_begins_in_the_folder_that_is_asked_for(desk: Desk) -> None:
    (desk.root / "sub").mkdir()

    assert (await desk.run("pwd", folder="sub")).text.splitlines()[0] == str(desk.root / "sub")
    with pytest.raises(ToolError, match="no folder"):
        await desk.run("pwd", folder="none")


async def test_its_input_is_empty(desk: Desk) -> None:
    assert (await desk.run("cat; read x; echo end")).text.startswith("end")


async def test_no_key_is_in_its_environment(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-private")
    monkeypatch.setenv("BASH_ENV", "/evil")

    done = await desk.run("env; cat /proc/self/environ; cat /proc/$PPID/environ | strings")
    assert "sk-private" not in done.text or desk.place.sandbox.level == "none"
    assert "sk-private" not in (await desk.run("env")).text


async def test_output_comes_while_it_runs(desk: Desk) -> None:
    running = asyncio.ensure_future(desk.run("echo first; sleep 5"))
    for _ in range(200):
        await asyncio.sleep(0.01)
        if desk.said:
            break
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert desk.said == ["first\n"]


async def test_terminal_signs_are_for_the_watcher_and_not_for_the_model(desk: Desk) -> None:
    done = await desk.run(r"printf '\033[31mred\033[0m\n10%%\r50%%\r100%%\nab\bc\n\033]0;title\007end\n'")

    assert done.text.splitlines()[:4] == ["red", "100%", "ac", "end"]
    assert "\x1b[31m" in "".join(desk.said)


async def test_what_is_no_text_does_no_harm(desk: Desk) -> None:
    done = await desk.run(r"printf 'a\0b\377c\n'; head -c 1000 /dev/urandom; printf '\xe2\x82'")

    assert done.text.startswith("a\ufffdb\ufffdc\n")
    done.text.encode()


@pytest.mark.parametrize("command", ["", "  \n", "echo \0", "echo \ud800", "echo " + "x" * 200_000])
async def test_what_no_shell_can_be_given_is_refused_before_it_runs(desk: Desk, command: str) -> None:
    with pytest.raises(ToolError):
        desk.shell.touches(ShellArguments(command))
    with pytest.raises(ToolError):
        await desk.run(command)


async def test_it_says_what_it_would_run_and_where(desk: Desk) -> None:
    assert desk.shell.touches(ShellArguments("ls")) == [Runs("ls", str(desk.root))]
    assert desk.shell.title(ShellArguments("ls \\\n  -la")) == "ls \\ -la"
    assert "sandbox: " in desk.shell.description


async def test_at_the_limit_it_is_ended_with_all_that_it_started(desk: Desk) -> None:
    begun = time.monotonic()
    done = await desk.run(
        "echo before; trap '' TERM; sleep 43.21 & (setsid sleep 43.21 &) ; sleep 43.21", timeout_s=0.4
    )

    assert done.is_error
    assert done.text.startswith("before\n")
    assert "limit of 0.4 s" in done.text
    assert time.monotonic() - begun < 5
    assert await gone("sleep 43.21")
    assert unfetched() == []


async def test_asked_to_end_it_may_clean_up(desk: Desk) -> None:
    await desk.run("trap 'echo clean > cleaned; exit' TERM; while true; do sleep 0.05; done", timeout_s=0.4)

    assert (desk.root / "cleaned").read_text() == "clean\n"


async def test_cancelled_it_leaves_nothing_running(desk: Desk) -> None:
    running = asyncio.ensure_future(desk.run("sleep 43.22 & env -i setsid sleep 43.22 & sleep 43.22"))
    await asyncio.sleep(0.4)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert await gone("sleep 43.22")
    assert unfetched() == []


async def test_cancelled_twice_it_leaves_nothing_running_either(desk: Desk) -> None:
    running = asyncio.ensure_future(desk.run("trap '' TERM; sleep 43.23; sleep 43.23"))
    await asyncio.sleep(0.4)
    running.cancel()
    await asyncio.sleep(0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert await gone("sleep 43.23")


@pytest.mark.parametrize(
    "command", ["sleep 43.24 &", "setsid sleep 43.24 & disown", "(nohup sleep 43.24 >/dev/null 2>&1 &)"]
)
async def test_a_process_that_holds_the_output_does_not_hold_the_call(desk: Desk, command: str) -> None:
    begun = time.monotonic()
    done = await desk.run(f"{command}\necho done; sleep 0.1")

    assert time.monotonic() - begun < 5
    assert done.text.startswith("done\n")
    assert await gone("sleep 43.24")


async def test_long_output_is_kept_whole_in_a_file(desk: Desk) -> None:
    done = await desk.run("seq 1 600000")

    path = next(desk.place.outputs.iterdir())
    assert path.read_text() == "".join(f"{n}\n" for n in range(1, 600_001))
    assert (path.stat().st_mode & 0o077) == 0
    assert str(path) in done.text
    assert done.text.startswith("1\n2\n")
    assert "\n600000\n[exit 0" in done.text
    assert len(done.text) < 2_100_000


async def test_output_below_the_bound_is_whole(desk: Desk) -> None:
    done = await desk.run("seq 1 100000")

    assert done.text.startswith("".join(f"{n}\n" for n in range(1, 100_001)))
    assert not desk.place.outputs.exists()


async def test_many_run_side_by_side(desk: Desk) -> None:
    done = await asyncio.gather(*(desk.run(f"sleep 0.1; echo {n}") for n in range(8)))

    assert [each.text.splitlines()[0] for each in done] == [str(n) for n in range(8)]


async def test_no_descriptor_is_left_open(desk: Desk) -> None:
    await desk.run("true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        await desk.run("echo x")
    await desk.run("sleep 5", timeout_s=0.1)

    assert len(os.listdir("/proc/self/fd")) <= before


async def test_a_signal_is_named(desk: Desk) -> None:
    done = await desk.run("kill -9 $$")

    assert "SIGKILL" in done.text or "exit 137" in done.text


async def test_a_job_goes_on_and_is_read_piece_by_piece(desk: Desk) -> None:
    begun = await desk.run("echo one; sleep 0.4; echo two", background=True)
    assert "job-1" in begun.text

    await asyncio.sleep(0.25)
    assert (await desk.output("job-1")).text.startswith("one\n[running")
    later = await desk.output("job-1", wait_s=5)
    assert later.text.startswith("two\n[exit 0")
    assert (await desk.output("job-1")).text.startswith("(nothing new)")
    assert (await desk.output("job-1", since=0)).text.startswith("one\ntwo\n")
    assert "job-1 (exit 0" in (await desk.output()).text


async def test_a_job_is_ended_with_all_that_it_started(desk: Desk) -> None:
    await desk.run("(setsid sleep 43.25 &); sleep 43.25", background=True)
    await asyncio.sleep(0.3)
    assert living("sleep 43.25")

    assert "job-1 ended" in (await desk.kill("job-1")).text
    assert await gone("sleep 43.25")
    assert "had ended by itself" in (await desk.kill("job-1")).text
    assert unfetched() == []


async def test_closing_ends_all_jobs(desk: Desk) -> None:
    for _ in range(3):
        await desk.run("sleep 43.26", background=True)
    await asyncio.sleep(0.2)
    await desk.jobs.close()

    assert await gone("sleep 43.26")


async def test_an_unknown_job_is_named_with_those_there_are(desk: Desk) -> None:
    await desk.run("true", background=True)

    with pytest.raises(ToolError, match="job-1"):
        await desk.output("job-7")


async def test_jobs_end_with_the_program(desk: Desk, tmp_path: Path) -> None:
    if desk.place.sandbox.level != "none":
        pytest.skip("sandboxes end what is in them")
    script = (
        "import asyncio, sys; from pathlib import Path; from tests.agent.shell.desk import Desk\n"
        "from unabridged.sandbox.sandbox import Unconfined\n"
        "async def main():\n"
        "    desk = Desk(Path(sys.argv[1]), Path(sys.argv[1]), Unconfined(), Path(sys.argv[1]))\n"
        "    await desk.run('sleep 43.27', background=True)\n"
        "    await asyncio.sleep(0.2)\n"
        "asyncio.run(main())\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, timeout=20, env=environment)

    assert await gone("sleep 43.27")


async def test_killed_outright_the_program_takes_confined_commands_along(desk: Desk, tmp_path: Path) -> None:
    if desk.place.sandbox.level == "none":
        pytest.skip("written down in docs/agent-safety.md")
    script = (
        "import asyncio, sys, os, signal; from pathlib import Path; from tests.agent.shell.desk import Desk\n"
        f"from unabridged.sandbox.{desk.place.sandbox.level} import {type(desk.place.sandbox).__name__} as Kind\n"
        "from unabridged.sandbox.sandbox import Confinement\n"
        "async def main():\n"
        "    root = Path(sys.argv[1])\n"
        "    desk = Desk(root, root, Kind(Confinement(writable=(root,), temp=root, home=root)), root)\n"
        "    await desk.run('exec sleep 43.28', background=True)\n"
        "    await asyncio.sleep(0.5)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False, timeout=20, env=environment)

    assert await gone("sleep 43.28")


async def test_a_sandbox_that_cannot_be_made_is_an_error_and_runs_nothing(desk: Desk) -> None:
    if desk.place.sandbox.level != "bubblewrap":
        pytest.skip("about bubblewrap; the launcher of Landlock has a test of its own")
    desk.place.temp.rmdir()
    done = await desk.run("touch ran")

    assert done.is_error
    assert "bwrap" in done.text
    assert not (desk.root / "ran").exists()
