"""Commands of strangers on real processes, in each sandbox that this machine has."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.sandbox.living import living, unfetched
from tests.server.tools.commanding import Commands
from unabridged.sandbox.bubblewrap import Bubblewrap
from unabridged.server.settings import CommandTool
from unabridged.server.tools.command import MOST_FILE, MOST_SAID, RunCommand
from unabridged.server.tools.folders import erase_folder

pytestmark = pytest.mark.anyio


async def gone(word: str) -> bool:
    """Tell whether a process is gone, or goes within a moment."""
    for _ in range(50):
        if not living(word):
            return True
        await asyncio.sleep(0.02)
    return False


async def test_a_command_gives_what_it_wrote_and_its_exit_code(commands: Commands) -> None:
    done = await commands.run("echo one; echo two >&2; exit 3")

    assert done.text.startswith("one\ntwo\n[exit 3, ")
    assert not done.is_error
    assert "".join(commands.said) == "one\ntwo\n"
    assert (await commands.run("true")).text.startswith("(no output)\n[exit 0")


async def test_files_stay_for_later_commands_of_the_session_and_temporary_ones_do_not(commands: Commands) -> None:
    await commands.run("echo kept > file; echo x > $TMPDIR/temporary; mkdir -m 0 $TMPDIR/closed; cd /usr; A=1")

    later = await commands.run('cat file; ls -A "$TMPDIR"; echo "[$A]"; pwd')
    assert later.text.startswith(f"kept\n[]\n{commands.work}\n")


async def test_the_folder_is_made_with_the_first_command_and_for_nobody_else(commands: Commands) -> None:
    assert not commands.folder.exists()
    await commands.run("true")

    made = [commands.folder.parent.parent, commands.folder.parent, commands.folder, commands.work]
    assert [path.stat().st_mode & 0o777 for path in made] == [0o700] * 4


async def test_a_session_sees_nothing_of_another_one(commands: Commands) -> None:
    other = commands.other("s-2")
    await other.run("echo SECRET-OF-ANOTHER > secret; chmod 644 secret; chmod 755 .")
    at = other.work
    (commands.data / "server.db").write_text("SECRET-OF-ANOTHER")

    for command in [
        f"cat {at}/secret",
        f"ls -la {at} {at.parent} {at.parent.parent} {commands.data}",
        f"ln -s {at}/secret link; cat link; ln {at}/secret hard; cat hard; cp -r {at} copy; cat copy/*",
        f"cat {commands.data}/server.db; cat ../../../../server.db; strings ../../../*/*/work/*",
        f"cat /proc/1/root{at}/secret /proc/$PPID/root{at}/secret /proc/*/root{at}/secret /proc/*/cwd/secret",
        f"cd {at} && cat secret",
        f"tar cf - {commands.data} | strings",
        f"grep -r SECRET- {commands.data} /var/tmp",
        f"unshare -Ur cat {at}/secret; mount --bind {at} . ; cat secret",
        f"python3 -c \"print(open('{at}/secret').read())\"",
    ]:
        done = await commands.run(command)
        assert "SECRET-OF-ANOTHER" not in done.text, command

    for command in [
        f"echo x > {at}/new",
        f"echo gone > {at}/secret; rm -rf {at}",
        f"mv {at} mine; chmod 000 {at} {at}/secret {commands.data} {commands.data}/server.db",
        f"chown 1:1 {commands.data}/server.db; truncate -s 0 {commands.data}/server.db",
        f"ln -s {at} .git; echo x > .git/new",
        "ln -s ../../s-2 .git",
    ]:
        await commands.run(command)
    assert [path.name for path in at.iterdir()] == ["secret"]
    assert (at / "secret").read_text() == "SECRET-OF-ANOTHER\n"
    assert (at / "secret").stat().st_mode & 0o777 == 0o644
    assert (commands.data / "server.db").read_text() == "SECRET-OF-ANOTHER"
    assert (commands.data.stat().st_mode & 0o777, (commands.data / "server.db").stat().st_uid) == (0o700, os.getuid())


async def test_files_of_the_machine_that_are_no_programs_are_out_of_sight(commands: Commands) -> None:
    done = await commands.run("cat /etc/shadow /etc/fstab ~root/.bashrc; ls /home ~root /var/lib /srv /opt /run/user")

    assert done.text.count("No such file") + done.text.count("denied") == 9
    assert (await commands.run("python3 -c 'print(6 * 7)'; git --version; ls /usr/bin | wc -l")).text.startswith("42\n")


async def test_the_servers_environment_and_processes_are_out_of_reach(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-private")
    monkeypatch.setenv("HARMLESS", "sk-private")
    with subprocess.Popen(["sleep", "61.7"], env={"A_KEY": "sk-private", "PATH": os.environ["PATH"]}) as other:
        before = resource.prlimit(other.pid, resource.RLIMIT_FSIZE)
        done = await commands.run(
            f"env; cat /proc/self/environ /proc/*/environ /proc/{os.getpid()}/environ; kill -9 {other.pid};"
            f" cat /proc/*/cmdline | tr '\\0' ' '; prlimit --pid {other.pid} --fsize=1"
        )
        alive, after = other.poll() is None, resource.prlimit(other.pid, resource.RLIMIT_FSIZE)
        other.kill()

    assert "sk-private" not in done.text
    assert "sleep 61.7" not in done.text
    assert alive
    assert after == before


async def test_without_network_nothing_is_reached(commands: Commands) -> None:
    over_udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with socket.create_server(("127.0.0.1", 0)) as server, over_udp as datagrams:
        datagrams.bind(("127.0.0.1", 0))
        server.settimeout(0.2)
        datagrams.settimeout(0.2)
        port, other = server.getsockname()[1], datagrams.getsockname()[1]
        done = await commands.run(
            f"echo x > /dev/tcp/127.0.0.1/{port} && echo REACHED; echo x > /dev/udp/127.0.0.1/{other};"
            f'python3 -c \'import socket; socket.create_connection(("127.0.0.1", {port}), 2); print("REACHED")\''
        )
        with pytest.raises(TimeoutError):
            server.accept()
        with pytest.raises(TimeoutError):
            datagrams.recv(1)

    assert "REACHED\n" not in done.text


async def test_with_network_it_is_open_and_said_so(commands: Commands) -> None:
    opened = commands.other("s-3", network=True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = await opened.run(f"echo x > /dev/tcp/127.0.0.1/{server.getsockname()[1]} && echo REACHED")

    assert done.text.startswith("REACHED\n")
    assert "network is open" in opened.tool.function.description
    assert "no network" in commands.tool.function.description


async def test_at_the_limit_all_of_it_is_ended(commands: Commands) -> None:
    begun = time.monotonic()
    done = await commands.run(
        "echo before; trap '' TERM; sleep 63.21 & (setsid sleep 63.21 &) ; sleep 63.21", timeout_s=0.4
    )

    assert done.is_error
    assert done.text.startswith("before\n")
    assert "limit of 0.4 s" in done.text
    assert time.monotonic() - begun < 5
    assert await gone("sleep 63.21")
    assert unfetched() == []


async def test_a_model_cannot_give_itself_more_time_than_the_project_does(commands: Commands) -> None:
    short = commands.other("s-4", timeout_s=0.3)

    assert "limit of 0.3 s" in (await short.run("sleep 63.22", timeout_s=3_000)).text
    assert "limit of 0.3 s" in (await short.run("sleep 63.22")).text
    assert await gone("sleep 63.22")


async def test_cancelled_it_leaves_nothing_running(commands: Commands) -> None:
    running = asyncio.ensure_future(commands.run("sleep 63.23 & setsid sleep 63.23 & echo up; sleep 63.23"))
    for _ in range(300):
        await asyncio.sleep(0.01)
        if commands.said:
            break
    assert living("sleep 63.23")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert commands.said == ["up\n"]
    assert await gone("sleep 63.23")
    assert unfetched() == []


@pytest.mark.parametrize(
    "command", ["sleep 63.24 &", "setsid sleep 63.24 & disown", "(nohup sleep 63.24 >/dev/null &)"]
)
async def test_what_it_leaves_running_is_ended_with_it(commands: Commands, command: str) -> None:
    begun = time.monotonic()
    done = await commands.run(f"{command}\necho done; sleep 0.1")

    assert done.text.startswith("done\n")
    assert time.monotonic() - begun < 5
    assert await gone("sleep 63.24")


async def test_output_of_50_megabytes_keeps_its_ends_and_says_what_is_missing(commands: Commands) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = await commands.run("echo first; head -c 50000000 /dev/zero | tr '\\0' x | fold -w 99; echo; echo last")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert done.text.startswith("first\nxxx")
    assert "last\n[exit 0" in done.text
    assert "bytes left out here ...]" in done.text
    assert len(done.text) < 2_100_000
    assert grown < 30_000
    assert MOST_SAID <= sum(map(len, commands.said)) < MOST_SAID + 200
    assert "not shown while" in commands.said[-1]
    assert [path for path in commands.folder.rglob("*") if path.is_file()] == []


async def test_signs_for_a_terminal_reach_neither_the_model_nor_who_watches(commands: Commands) -> None:
    done = await commands.run(r"printf '\033[31mred\033[0m\n\033]0;title\007\200end\n'")

    assert done.text.splitlines()[0] == "red"
    assert "\x1b" not in "".join(commands.said) + done.text


async def test_limits_hold_files_memory_and_descriptors(commands: Commands) -> None:
    done = await commands.run(
        f"head -c {MOST_FILE + 1_000_000} /dev/zero > big; stat -c %s big; rm big;"
        "python3 -c 'bytearray(5 * 1024**3)' 2>&1 | tail -1; ulimit -n; ulimit -u; ulimit -v unlimited; ulimit -c"
    )

    lines = done.text.splitlines()
    assert str(MOST_FILE) in lines
    assert "MemoryError" in lines
    assert [line for line in lines if line in ("1024", "256")] == ["1024", "256"]
    assert "cannot modify limit" in done.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "command"),
        ("{}", "`command`"),
        ("not json", "no"),
        ("[1]", "one JSON object"),
        ('{"command": 7}', "Expected `str`"),
        ('{"command": "  "}', "empty"),
        ('{"command": "a\\u0000b"}', "NUL"),
        ('{"command": "ls", "timeout_s": -1}', "timeout_s"),
        ('{"command": "ls", "timeout_s": NaN}', "JSON"),
        ('{"command": "ls", "network": true}', "network"),
        ('{"command": "ls", "folder": "/"}', "folder"),
        ('{"command": "ls", "approval": "never"}', "approval"),
        ("[" * 50_000, "JSON object"),
        ('{"command": "' + "x" * 200_000 + '"}', "write a script"),
    ],
)
async def test_what_a_model_gets_wrong_is_said_to_it_and_runs_nothing(
    commands: Commands, arguments: str, said: str
) -> None:
    done = await commands.call(arguments)

    assert done.is_error
    assert said in done.text
    assert not commands.folder.exists()


async def test_a_broken_folder_is_the_servers_fault_and_its_path_is_not_said(
    commands: Commands, caplog: pytest.LogCaptureFixture
) -> None:
    (commands.data / "workspaces").write_text("in the way")
    done = await commands.run("ls")

    assert done.is_error
    assert "fault is in the tool" in done.text
    assert str(commands.data) not in done.text
    assert str(commands.data) in caplog.text


async def test_an_erased_folder_is_gone_whatever_lies_in_it(commands: Commands) -> None:
    outside = commands.data / "outside"
    outside.mkdir()
    outside.chmod(0o500)
    (commands.data / "precious").write_text("x")
    await commands.run(
        f"mkdir -p a/b; touch a/b/c; ln -s {outside} link; ln -s {commands.data} a/up; mkfifo pipe; chmod 000 a/b a"
    )

    erase_folder(commands.folder)
    assert not commands.folder.exists()
    assert list((commands.data / "workspaces").rglob("*")) == []
    assert (commands.data / "precious").read_text() == "x"
    assert outside.stat().st_mode & 0o777 == 0o500
    erase_folder(commands.folder)  # where there is none, there is nothing to do


def test_who_is_asked_reads_the_command_as_it_will_run() -> None:
    tool = RunCommand(CommandTool(enabled=True), Path("/nowhere"), Bubblewrap)

    assert tool.asks
    assert not RunCommand(CommandTool(enabled=True, approval="never"), Path("/nowhere"), Bubblewrap).asks
    assert tool.says('{"command": "echo a\\n  rm -rf b"}') == "echo a rm -rf b"
    assert tool.says('{"command": "ls \\u202e\\u001b[2K\\u200b"}') == "ls \\u202e\\u001b[2K\\u200b"
    long = tool.says('{"command": "' + "x" * 1_000 + '; rm -rf b"}')
    assert len(long) < 400
    assert "(710 more characters)" in long
    for arguments in ("", "[", "[1]", '{"command": 1}', "[" * 50_000, '"\ud800"'):
        assert "will not understand" in tool.says(arguments)
