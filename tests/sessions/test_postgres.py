"""The commands on PostgreSQL: the same words, and no password in any of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from tests.sessions.stored import run, told, worked
from tests.store.databases import server_of_run
from unabridged.store import open_store


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    run_of = os.environ.get("PYTEST_XDIST_TESTRUNUID") or f"process-{os.getpid()}"
    with server_of_run(run_of) as server, server.database() as database:
        yield database


def with_password(url: str) -> str:
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}:hunter2@{host}"))


def test_a_store_goes_there_and_back_and_every_command_works_on_it(url: str, tmp_path: Path) -> None:
    here, back, secret = tmp_path / "here.db", tmp_path / "back.db", with_password(url)
    with open_store(here) as store:
        sent = worked(store.project("default"), "s", steps=34)

    moved = run("move", secret, "--store", here)
    assert (moved.exit_code, moved.stderr) == (0, "")
    assert "1 of 1 session in postgresql://" in moved.stdout
    listed = told(run("sessions", "--store", secret, "--json"))
    assert [each["id"] for each in listed] == ["s"]
    assert run("sessions", "größe", "--store", secret).stdout.startswith("s  Fix the build")
    raw = run("show", "s", "--step", "30", "--raw", "--store", secret)
    assert raw.stdout_bytes == "".join(f"{text}\n" for text in sent[29].texts).encode()
    for options in (["--step", "30"], ["--why", "3"], []):
        there, at_home = (run("show", "s", *options, "--store", place) for place in (secret, here))
        assert there.exit_code == 0
        assert there.stdout == at_home.stdout
    examined = run("doctor", "--store", secret)
    assert (examined.exit_code, examined.stdout.rpartition(", ")[2]) == (0, "all whole\n")

    assert run("backup", tmp_path / "copy.db", "--store", secret).exit_code == 0
    assert run("move", back, "--store", secret).exit_code == 0
    logs = []
    for place in (here, secret, back, tmp_path / "copy.db"):
        out = tmp_path / f"log-{len(logs)}.jsonl"
        assert run("export", "s", "--from", place, "--to", "log", "-o", out).exit_code == 0
        logs.append(out.read_bytes())
    assert len(set(logs)) == 1

    erased = run("erase", "s", "--yes", "--store", secret)
    assert erased.exit_code == 0
    assert run("sessions", "--store", secret).stdout == ""
    for said in (moved, examined, erased, raw, run("sessions", "zebra", "--store", secret)):
        assert "hunter2" not in said.output
