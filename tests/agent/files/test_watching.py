"""What a command changed can be listed and taken back, though nobody knew of it beforehand."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.agent.calling import tree
from unabridged.agent.files.checkpoints import Checkpoints
from unabridged.agent.files.restoring import changes_since, restore
from unabridged.agent.files.watching import EACH, Watcher
from unabridged.agent.workspace import Workspace


@pytest.fixture
def checkpoints(tmp_path: Path) -> Checkpoints:
    return Checkpoints(tmp_path / "data")


def run(root: Path, command: str) -> None:
    subprocess.run(["sh", "-c", command], cwd=root, check=True)


def test_what_a_command_changes_makes_and_removes_is_taken_back(checkpoints: Checkpoints, root: Path) -> None:
    for name in ("a", "b", "c", ".env", "d"):
        (root / name).write_text(f"{name}\n")
    before = tree(root)
    watcher = Watcher(Workspace.at(root), checkpoints)
    checkpoints.begin("t1")
    watch = watcher.before()
    assert watch is not None
    run(root, "echo more >> a; rm b; mkdir -p x/y; echo new > x/y/z; mv c e; chmod 700 d; echo KEY > .env")
    after = tree(root)
    assert {path.relative_to(root).as_posix() for path in watcher.after(watch)} == {
        "a", "b", "c", "e", "d", "x/y/z", ".env",
    }  # fmt: skip
    assert {each.path.name: each.verb for each in changes_since(checkpoints, "t1")} == {
        "a": "changed", "b": "removed", "c": "removed", "e": "made", "d": "changed", "z": "made", ".env": "changed",
    }  # fmt: skip
    outcome = restore(checkpoints, "t1")
    assert (outcome.left, tree(root)) == ((), before)
    restore(checkpoints, outcome.undo)
    assert tree(root) == after


def test_a_command_that_changes_nothing_leaves_no_record(checkpoints: Checkpoints, root: Path) -> None:
    (root / "a").write_text("a\n")
    watcher = Watcher(Workspace.at(root), checkpoints)
    checkpoints.begin("t1")
    watch = watcher.before()
    assert watch is not None
    run(root, "cat a > /dev/null")
    assert watcher.after(watch) == []
    assert checkpoints.since("t1") == {}


def test_what_was_kept_before_the_command_stays_as_it_was_kept(checkpoints: Checkpoints, root: Path) -> None:
    (root / "a").write_text("one\n")
    watcher = Watcher(Workspace.at(root), checkpoints)
    checkpoints.begin("t1")
    checkpoints.keep(root / "a")
    (root / "a").write_text("two\n")
    watch = watcher.before()
    assert watch is not None
    run(root, "echo three > a")
    watcher.after(watch)
    restore(checkpoints, "t1")
    assert (root / "a").read_text() == "one\n"


def test_what_is_left_out_or_too_large_is_not_kept_and_said(checkpoints: Checkpoints, root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n")
    (root / "x.log").write_text("x\n")
    (root / "big").write_bytes(b"x" * (EACH + 1))
    watcher = Watcher(Workspace.at(root), checkpoints)
    checkpoints.begin("t1")
    watch = watcher.before()
    assert watch is not None
    run(root, "echo y > x.log; echo y > big")
    assert [path.name for path in watcher.after(watch)] == ["big"]
    outcome = restore(checkpoints, "t1")
    assert outcome.left == (
        (root / "big", "its earlier content was not kept: it was changed by a command, and is too large"),
    )


def test_a_workspace_with_too_many_files_is_not_watched(checkpoints: Checkpoints, root: Path) -> None:
    for nth in range(11):
        (root / str(nth)).touch()
    assert Watcher(Workspace.at(root), checkpoints, files=10).before() is None
    assert Watcher(Workspace.at(root), checkpoints, files=11).before() is not None


def test_when_there_is_no_room_the_rest_is_only_noted(checkpoints: Checkpoints, root: Path) -> None:
    (root / "a").write_text("x" * 60)
    (root / "b").write_text("x" * 60)
    watcher = Watcher(Workspace.at(root), checkpoints, altogether=100)
    checkpoints.begin("t1")
    watch = watcher.before()
    assert watch is not None
    run(root, "rm a b")
    watcher.after(watch)
    outcome = restore(checkpoints, "t1")
    assert (root / "a").read_text() == "x" * 60
    assert outcome.left == ((root / "b", "its earlier content was not kept: there was no more room"),)
