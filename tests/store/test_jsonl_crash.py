"""Processes that are killed in the middle of an append, and processes that append at the same time."""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.shared import REPOSITORY
from tests.store.appending import SESSION, entry_at
from tests.store.entries import TIME, said
from unabridged.entry import Entry
from unabridged.errors import Conflict
from unabridged.log import Log
from unabridged.store.jsonl import JsonlWriter, ProblemKind, read_log

LEFT_BY_A_CRASH = {ProblemKind.TORN_LAST_LINE, ProblemKind.NOT_JSON}


def killed_while_appending(path: Path, after: float) -> int:
    """Let a process append until it is killed. Returns the last position that it said the file has."""
    command = [sys.executable, "-m", "tests.store.appending", str(path)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said_so_far = [child.stdout.readline()]
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
        said_so_far += child.stdout.readlines()
    return int([line for line in said_so_far if line.endswith("\n")][-1])


def test_a_killed_process_loses_nothing_that_it_said_was_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    chance = random.Random(7)
    for _ in range(6):
        acknowledged = killed_while_appending(path, chance.uniform(0, 0.05))
        opened = read_log(path)

        assert len(opened.entries) > acknowledged
        assert [entry.payload for entry in opened.entries] == [entry_at(seq) for seq in range(len(opened.entries))]
        assert {problem.what for problem in opened.problems} <= LEFT_BY_A_CRASH

    log = Log.restore(SESSION, opened.entries, media={})
    with JsonlWriter(path, session=SESSION) as writer:
        writer.append(log.append(said("it goes on")))

    assert read_log(path).entries == log.entries
    assert log.damaged() == ()


@contextmanager
def largest_file(size: int) -> Generator[None]:
    """Let no file of this process grow beyond a size, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_keeps_what_fitted_and_the_next_append_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    written = Log(SESSION).append(said("short"), said("long" * 1_000), said("last"))
    with JsonlWriter(path, session=SESSION) as writer:
        with largest_file(path.stat().st_size + 2_000), pytest.raises(OSError, match="too large"):
            writer.append(written)
        torn = path.read_bytes()

        with pytest.raises(Conflict) as conflict:
            writer.append(written)
        writer.append(written[conflict.value.actual :])

    opened = read_log(path)
    assert conflict.value.actual == 1
    assert opened.entries == written
    assert [(problem.line, problem.what) for problem in opened.problems] == [(3, ProblemKind.NOT_JSON)]
    assert path.read_bytes().startswith(torn)


def test_two_writers_of_one_file_never_write_the_same_position(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with JsonlWriter(path, session=SESSION, fsync=False) as first, JsonlWriter(path, session=SESSION) as second:
        mine = Log(SESSION)
        theirs = Log(SESSION)
        second.append(theirs.append(said("theirs")))

        with pytest.raises(Conflict) as conflict:
            first.append(mine.append(said("mine")))

        assert (conflict.value.expected, conflict.value.actual) == (0, 1)
        again = Log.restore(SESSION, read_log(path).entries, media={})
        first.append(again.append(said("mine, again")))

    assert read_log(path).entries == again.entries
    assert read_log(path).problems == ()


def test_writers_at_the_same_time_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    start = threading.Barrier(4)

    def write(name: str) -> None:
        with JsonlWriter(path, session=SESSION, fsync=False) as writer:
            written = 0
            start.wait()
            while written < 25:
                text = f"{name} {written}" + "." * 5_000
                entry = Entry(seq=writer.next_seq, branch="main", time=TIME, payload=said(text), log_digest="")
                try:
                    writer.append([entry])
                except Conflict:
                    continue
                written += 1

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    opened = read_log(path)

    assert [entry.seq for entry in opened.entries] == list(range(100))
    assert {problem.what for problem in opened.problems} == {ProblemKind.BAD_DIGEST}
