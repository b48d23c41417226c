"""What really happens to hostile commands in a sandbox, seen from outside it. Nothing here asks for permission."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from unabridged.errors import BadSetting
from unabridged.sandbox.bubblewrap import Bubblewrap
from unabridged.sandbox.choosing import Wanted, choose, fault
from unabridged.sandbox.environment import clean_environment
from unabridged.sandbox.landlock import Landlock, abi
from unabridged.sandbox.sandbox import Confinement, Level, Sandbox

KINDS = {Level.BUBBLEWRAP: Bubblewrap, Level.LANDLOCK: Landlock}
PYTHON = f"{sys.executable} -I -S"


class Held(msgspec.Struct, frozen=True):
    """A workspace, a home, what lies outside, and commands that run in it."""

    sandbox: Sandbox
    root: Path
    home: Path
    outside: Path
    temp: Path

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        argv = self.sandbox.command(["/bin/bash", "-c", command], self.root)
        environment = {**clean_environment(os.environ, self.temp), "HOME": str(self.home)}
        return subprocess.run(
            argv, cwd=self.root, capture_output=True, text=True, timeout=20, check=False, env=environment
        )


@pytest.fixture
def seen() -> Iterator[Path]:
    """A folder that no sandbox replaces by one of its own, as bubblewrap does with `/tmp`."""
    folder = Path(tempfile.mkdtemp(prefix="unabridged-test-", dir="/var/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(params=list(KINDS), ids=str)
def held(request: pytest.FixtureRequest, seen: Path) -> Held:
    root, home, outside, temp = (seen / name for name in ("project", "person", "outside", "temp"))
    for folder in (root / ".git" / "hooks", home / ".ssh", outside, temp):
        folder.mkdir(parents=True)
    (home / ".ssh" / "id_rsa").write_text("PRIVATE")
    (home / ".netrc").write_text("PRIVATE")
    (home / "notes.txt").write_text("NOTES\n")
    (root / ".git" / "config").write_text("[core]\n")
    (root / ".env").write_text("PRIVATE")
    (outside / "precious").write_text("PRECIOUS")
    confinement = Confinement(writable=(root,), temp=temp, home=home)
    failure = fault(request.param, KINDS[request.param], confinement)
    if failure:
        pytest.skip(f"{request.param} does not work on this machine: {failure}")
    return Held(KINDS[request.param](confinement), root, home, outside, temp)


WRITES = [
    "touch {outside}/new",
    "echo x > {outside}/precious",
    "rm -rf {outside}/precious",
    "mv {outside}/precious {root}/",
    "ln -s {outside} link && echo x > link/precious",
    "ln {outside}/precious hard && echo x > hard",
    "cp /bin/ls {outside}/new",
    "cd / && touch ..{outside}/new",
    "truncate -s 0 {outside}/precious",
    "chmod 000 {outside}; touch {outside}/new",
    "python3 -c \"open('{outside}/new','w')\"",
    "git -c core.pager='touch {outside}/new' --paginate --version",
    "find {outside} -delete",
    "sed -i s/P/Q/ {outside}/precious",
    "echo {outside}/precious | xargs rm",
    "env LD_DEBUG_OUTPUT={outside}/new LD_DEBUG=all true",
    "tar cf {outside}/new .",
    "mount --bind {root} {outside} && touch {outside}/new",
    "unshare -Urm sh -c 'mount -o remount,rw / ; touch {outside}/new'",
    "nsenter -t 1 -m touch {outside}/new",
    "chroot /proc/1/root touch {outside}/new",
    "echo x > /proc/1/root{outside}/precious",
    "echo x > /proc/$PPID/root{outside}/precious",
    "(setsid sh -c 'sleep 0.2; touch {outside}/new' &) ; sleep 0.6",
    "trap 'touch {outside}/new' EXIT",
    "touch {home}/.bashrc",
    "mkdir -p {home}/.config/autostart",
]


@pytest.mark.parametrize("command", WRITES)
def test_nothing_outside_the_workspace_changes(held: Held, command: str) -> None:
    before = sorted(held.home.rglob("*"))
    held.run(command.format(outside=held.outside, root=held.root, home=held.home))

    assert [path.name for path in held.outside.iterdir()] == ["precious"]
    assert (held.outside / "precious").read_text() == "PRECIOUS"
    assert sorted(held.home.rglob("*")) == before


READS = [
    "cat {home}/.ssh/id_rsa",
    "cat ~/.ssh/id_rsa ~/.netrc",
    "ln -s {home}/.ssh keys; cat keys/id_rsa",
    "ln {home}/.netrc here; cat here",
    "cp -r {home}/.ssh copy; cat copy/*",
    "cd {home}/.ssh && cat *",
    "tar cf - {home} | strings",
    "grep -r PRIVATE {home}",
    "cat /proc/self/root{home}/.netrc",
    "cat /proc/1/root{home}/.netrc",
    "cat /proc/$PPID/root{home}/.netrc",
    "exec 3< {home}/.netrc; cat <&3",
    "mv {home}/.ssh {home}/other; cat {home}/other/id_rsa",
    "umount {home}/.ssh {home}/.netrc; cat {home}/.netrc {home}/.ssh/id_rsa",
    "python3 -c \"print(open('{home}/.netrc').read())\"",
]


@pytest.mark.parametrize("command", READS)
def test_secrets_of_the_home_cannot_be_read(held: Held, command: str) -> None:
    done = held.run(command.format(home=held.home))

    assert "PRIVATE" not in done.stdout + done.stderr


def test_a_link_in_the_home_is_no_way_around(held: Held) -> None:
    (held.home / "other").symlink_to(held.home / ".ssh")
    (held.home / "all").symlink_to(held.home)

    done = held.run(f"cat {held.home}/other/id_rsa {held.home}/all/.ssh/id_rsa {held.home}/all/.netrc")

    assert "PRIVATE" not in done.stdout


def test_a_folder_of_secrets_that_is_itself_a_link_is_hidden(held: Held) -> None:
    (held.home / "real").mkdir()
    (held.home / "real" / "token").write_text("PRIVATE")
    (held.home / ".aws").symlink_to(held.home / "real")

    assert "PRIVATE" not in held.run(f"cat {held.home}/.aws/token {held.home}/real/token").stdout


def test_the_rest_of_the_machine_can_be_read_and_the_workspace_written(held: Held) -> None:
    done = held.run(f"cat {held.home}/notes.txt && echo new > made && mkdir sub && mv made sub/ && cat sub/made && pwd")

    assert done.stdout.split() == ["NOTES", "new", str(held.root)]
    assert held.run("echo x > $TMPDIR/y && cat $TMPDIR/y && ls / > /dev/null && git --version").returncode == 0


def test_a_link_swapped_between_check_and_use_leads_nowhere(held: Held) -> None:
    """The permissions see a folder of the workspace; when the command writes, it is a link that leads out."""
    (held.root / "sub").mkdir()
    done = held.run(f"rmdir sub && ln -s {held.outside} sub && echo gone > sub/precious; echo x > sub/new")

    assert done.returncode != 0
    assert [path.name for path in held.outside.iterdir()] == ["precious"]
    assert (held.outside / "precious").read_text() == "PRECIOUS"


@pytest.fixture
def listening() -> Iterator[tuple[int, list[bytes]]]:
    """A server on loopback, and what it was sent."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        done = threading.Event()

        def serve() -> None:
            while not done.is_set():
                try:
                    client, _ = server.accept()
                except TimeoutError:
                    continue
                heard.append(b"connected")
                client.close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1], heard
        done.set()
        thread.join()


@pytest.mark.parametrize(
    "command",
    [
        "exec 3<>/dev/tcp/127.0.0.1/{port}",
        "echo x > /dev/tcp/127.0.0.1/{port}",
        PYTHON + " -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 2)\"",
        "unshare -n true; nsenter -t 1 -n bash -c 'echo x > /dev/tcp/127.0.0.1/{port}'",
    ],
)
def test_the_network_cannot_be_reached(held: Held, listening: tuple[int, list[bytes]], command: str) -> None:
    port, heard = listening
    done = held.run(command.format(port=port))
    time.sleep(0.05)

    assert done.returncode != 0
    assert heard == []


def test_datagrams_do_not_get_out(held: Held) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.3)
        port = server.getsockname()[1]
        held.run(f"echo x > /dev/udp/127.0.0.1/{port}")

        with pytest.raises(TimeoutError):
            server.recv(10)


def test_an_open_network_is_open(held: Held, listening: tuple[int, list[bytes]]) -> None:
    port, heard = listening
    confinement = Confinement(writable=(held.root,), temp=held.temp, home=held.home, network=True)
    open_one = msgspec.structs.replace(held, sandbox=KINDS[held.sandbox.level](confinement))

    assert open_one.run(f"echo x > /dev/tcp/127.0.0.1/{port}").returncode == 0
    time.sleep(0.3)
    assert heard == [b"connected"]
    assert "open" in open_one.sandbox.describe()


@pytest.mark.parametrize("name", ["/run/test.sock", "@abstract"])
def test_sockets_of_other_programs_cannot_be_reached(held: Held, name: str) -> None:
    address = "\0unabridged-" + str(os.getpid()) if name == "@abstract" else str(held.outside / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        if name != "@abstract" and held.sandbox.level is Level.BUBBLEWRAP:
            pytest.skip("sockets in ordinary folders can be reached; written down in docs/agent-safety.md")
        code = f"import socket; socket.socket(socket.AF_UNIX).connect({address!r})".replace("\0", "\\0")
        assert held.run(f'{PYTHON} -c "{code}"').returncode != 0


def test_other_programs_are_neither_read_nor_ended(held: Held) -> None:
    with subprocess.Popen(["sleep", "20"], env={"A_KEY": "PRIVATE", "PATH": os.environ["PATH"]}) as other:
        done = held.run(f"cat /proc/{other.pid}/environ; kill -9 {other.pid}")
        alive = other.poll() is None
        other.kill()

    assert "PRIVATE" not in done.stdout
    assert alive or (held.sandbox.level is Level.LANDLOCK and abi() < 6)


def test_settings_of_the_kernel_cannot_be_changed(held: Held) -> None:
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    # The same value again: where the sandbox fails, this machine is as it was.
    done = held.run(f"printf %s '{before.strip()}' > /proc/sys/kernel/core_pattern")

    assert done.returncode != 0


def test_bubblewrap_keeps_what_git_runs_and_hides_secrets_of_the_workspace(held: Held) -> None:
    if held.sandbox.level is not Level.BUBBLEWRAP:
        pytest.skip("only bubblewrap can; written down in docs/agent-safety.md")
    for command in [
        "echo evil > .git/hooks/pre-commit",
        "echo evil >> .git/config",
        "git config core.pager evil",
        "mv .git away && mkdir -p .git/hooks",
        "rm -rf .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
        "mv .git/hooks .git/x && mkdir .git/hooks",
    ]:
        held.run(command)
        assert not list((held.root / ".git" / "hooks").iterdir()), command
        assert (held.root / ".git" / "config").read_text() == "[core]\n", command

    assert "PRIVATE" not in held.run("cat .env; ln .env x; cat x; mv .env y; cat y").stdout
    assert held.run("echo x > .git/HEAD2 && cat .git/HEAD2").stdout == "x\n"


@pytest.mark.parametrize("link", [".git", ".git/hooks"])
def test_a_link_where_git_keeps_its_things_is_not_followed_out(held: Held, link: str) -> None:
    shutil.rmtree(held.root / ".git")
    held.run(f"mkdir -p $(dirname {link}); ln -s {os.path.relpath(held.outside, (held.root / link).parent)} {link}")
    held.run(f"touch {held.outside}/new; echo gone > {held.outside}/precious; touch {link}/new")

    assert [path.name for path in held.outside.iterdir()] == ["precious"]
    assert (held.outside / "precious").read_text() == "PRECIOUS"


def test_a_command_ends_with_the_one_who_started_it(held: Held) -> None:
    argv = held.sandbox.command(["/bin/sh", "-c", "sleep 1; touch late"], held.root)
    starter = (
        "import subprocess, sys, json; p = subprocess.Popen(json.loads(sys.argv[1]), cwd=sys.argv[2]); "
        "import time; time.sleep(0.4)"
    )
    if held.sandbox.level is Level.LANDLOCK:
        pytest.skip("the launcher knows its parent by number: the shell tool's tests cover it")
    subprocess.run(
        [sys.executable, "-c", starter, msgspec.json.encode(argv).decode(), str(held.root)], check=True, timeout=20
    )
    time.sleep(1.2)

    assert not (held.root / "late").exists()


def test_a_sandbox_that_cannot_be_made_runs_nothing(held: Held) -> None:
    if held.sandbox.level is not Level.LANDLOCK:
        pytest.skip("about the launcher")
    argv = held.sandbox.command(["touch", str(held.root / "ran")], held.root)
    broken = [each.replace('"reads":', '"reads_":') if each.startswith("{") else each for each in argv]
    done = subprocess.run(broken, capture_output=True, text=True, check=False, timeout=20)

    assert done.returncode == 126
    assert not (held.root / "ran").exists()


def test_the_level_is_said_and_what_it_does_not_stop(held: Held) -> None:
    said = held.sandbox.describe()

    assert said.startswith(f"sandbox: {held.sandbox.level}")
    assert "does not stop" in said
    assert str(held.root) in said


def test_without_a_sandbox_that_is_said_plainly(tmp_path: Path) -> None:
    sandbox = choose(Confinement(writable=(tmp_path,), temp=tmp_path), Wanted.NOTHING)

    assert sandbox.level is Level.NONE
    assert "Commands can read, change and send whatever the user can" in sandbox.describe()
    assert sandbox.command(["ls"], tmp_path) == ["ls"]


def test_a_sandbox_that_only_seems_to_hold_is_found_out(tmp_path: Path) -> None:
    class Sieve(Landlock):
        """Promises, and does nothing."""

        def command(self, argv: Sequence[str], folder: Path) -> list[str]:
            return list(argv)

    confinement = Confinement(writable=(tmp_path,), temp=tmp_path, home=tmp_path)
    assert fault(Level.LANDLOCK, Sieve, confinement) == "it does not hold files"


def test_a_named_sandbox_that_does_not_work_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unabridged.sandbox.choosing.bwrap", lambda: None)

    with pytest.raises(BadSetting, match="bwrap is not installed"):
        choose(Confinement(writable=(tmp_path,), temp=tmp_path), Wanted.BUBBLEWRAP)
