"""Going back to how files were, exactly, and back again."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.calling import call, tree
from unabridged.agent.files.checkpoints import Checkpoints
from unabridged.agent.files.known import Known
from unabridged.agent.files.restoring import changes_in, changes_since, restore
from unabridged.agent.tool import ToolError
from unabridged.agent.tools.edit import Edit
from unabridged.agent.tools.read import Read
from unabridged.agent.tools.write import Write
from unabridged.agent.workspace import Workspace
from unabridged.errors import NotFound


@pytest.fixture
def checkpoints(tmp_path: Path) -> Checkpoints:
    return Checkpoints(tmp_path / "data")


def folders(root: Path) -> set[Path]:
    return {path for path in root.rglob("*") if path.is_dir()}


def said(changes: Any) -> dict[str, tuple[str, int, int]]:
    return {each.path.name: (each.verb, each.added, each.removed) for each in changes}


async def test_what_a_turn_changed_is_listed_and_taken_back(checkpoints: Checkpoints, root: Path) -> None:
    known = Known.of(Workspace.at(root), checkpoints.keep)
    (root / "a").write_text("one\n")
    (root / "a").chmod(0o750)
    before = tree(root)
    checkpoints.begin("t1")
    await call(Read(known), path="a")
    await call(Edit(known), path="a", edits=[{"old": "one", "new": "two"}])
    checkpoints.begin("t2")
    await call(Edit(known), path="a", edits=[{"old": "two", "new": "three\nfour"}])
    await call(Write(known), path="new/b", content="x\ny\n")
    assert said(changes_in(checkpoints, "t1")) == {"a": ("changed", 1, 1)}
    assert said(changes_in(checkpoints, "t2")) == {"a": ("changed", 2, 1), "b": ("made", 2, 0)}
    assert said(changes_since(checkpoints, "t1")) == {"a": ("changed", 2, 1), "b": ("made", 2, 0)}
    after = tree(root)
    assert tree(root) == after  # looking changes nothing
    outcome = restore(checkpoints, "t1")
    assert (tree(root), folders(root), outcome.left) == (before, set(), ())
    assert said(outcome.changes) == {"a": ("changed", 1, 2), "b": ("removed", 0, 2)}
    back = restore(checkpoints, outcome.undo)
    assert tree(root) == after
    restore(checkpoints, back.undo)
    assert tree(root) == before


async def test_a_file_is_kept_once_a_turn_and_only_when_it_is_changed(checkpoints: Checkpoints, root: Path) -> None:
    checkpoints.begin("t1")
    (root / "a").write_text("one\n")
    assert checkpoints.keep(root / "a") is not None
    (root / "a").write_text("two\n")
    assert checkpoints.keep(root / "a") is None
    assert set(checkpoints.since("t1")) == {root / "a"}
    restore(checkpoints, "t1")
    assert (root / "a").read_text() == "one\n"


def test_checkpoints_outlive_the_process(checkpoints: Checkpoints, root: Path, tmp_path: Path) -> None:
    checkpoints.begin("t1")
    (root / "a").write_bytes(b"\0\xff")
    checkpoints.keep(root / "a")
    again = Checkpoints(tmp_path / "data")
    again.begin("t1")  # the same turn goes on
    assert again.turns == ("t1",)
    assert again.keep(root / "a") is None
    (root / "a").unlink()
    restore(again, "t1")
    assert (root / "a").read_bytes() == b"\0\xff"


def test_a_line_that_was_torn_is_passed_over(checkpoints: Checkpoints, root: Path, tmp_path: Path) -> None:
    checkpoints.begin("t1")
    (root / "a").write_text("one\n")
    checkpoints.keep(root / "a")
    index = tmp_path / "data" / "index.jsonl"
    whole = index.read_bytes()
    for cut in range(len(whole) - 40, len(whole)):
        index.write_bytes(whole[:cut])
        (root / "a").write_text("one\n")
        torn = Checkpoints(tmp_path / "data")
        torn.begin("t2")
        torn.keep(root / "a")
        (root / "a").write_text("two\n")
        again = Checkpoints(tmp_path / "data")
        assert again.turns == ("t1", "t2")
        restore(again, "t2")
        assert (root / "a").read_text() == "one\n"


def test_a_large_file_is_said_not_to_be_kept(root: Path, tmp_path: Path) -> None:
    small = Checkpoints(tmp_path / "data", largest=100)
    (root / "big").write_bytes(b"x" * 101)
    (root / "a").write_bytes(b"x" * 100)
    small.begin("t1")
    for name in ("big", "a"):
        small.keep(root / name)
        (root / name).write_bytes(b"changed")
    (change,) = (each for each in changes_since(small, "t1") if each.path.name == "big")
    assert change.before.why == "it has more than 100 bytes"
    outcome = restore(small, "t1")
    assert outcome.left == ((root / "big", "its earlier content was not kept: it has more than 100 bytes"),)
    assert ((root / "big").read_bytes(), (root / "a").read_bytes()) == (b"changed", b"x" * 100)


def test_what_cannot_be_kept_is_not_overwritten(root: Path, tmp_path: Path) -> None:
    small = Checkpoints(tmp_path / "data", largest=100)
    small.begin("t1")
    (root / "a").write_bytes(b"x")
    (root / "b").write_bytes(b"x")
    for name in ("a", "b"):
        small.keep(root / name)
        (root / name).unlink()
    (root / "a").write_bytes(b"y" * 101)
    (root / "b").mkdir()
    outcome = restore(small, "t1")
    assert dict(outcome.left) == {
        root / "a": "what is there now cannot be kept: it has more than 100 bytes",
        root / "b": "what is there now cannot be kept: it is no file",
    }
    assert (root / "a").stat().st_size == 101


def test_links_are_put_back_as_links_and_never_followed(checkpoints: Checkpoints, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("theirs\n")
    (root / "link").symlink_to("../outside")
    (root / "file").write_text("mine\n")
    (root / "gone").write_text("gone\n")
    before = tree(root)
    checkpoints.begin("t1")
    for name in ("link", "file", "gone", "new"):
        checkpoints.keep(root / name)
    (root / "link").unlink()
    (root / "link").write_text("a file now\n")
    (root / "file").unlink()
    (root / "file").symlink_to("../outside")
    (root / "new").symlink_to("../outside")
    (root / "gone").unlink()
    after = tree(root)
    outcome = restore(checkpoints, "t1")
    assert tree(root) == before
    restore(checkpoints, outcome.undo)
    assert tree(root) == after
    assert (tmp_path / "outside").read_text() == "theirs\n"


def test_a_folder_that_became_a_link_is_not_followed(checkpoints: Checkpoints, root: Path, tmp_path: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "a").write_text("one\n")
    checkpoints.begin("t1")
    checkpoints.keep(root / "sub" / "a")
    (root / "sub" / "a").unlink()
    (root / "sub").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (root / "sub").symlink_to(tmp_path / "elsewhere")
    outcome = restore(checkpoints, "t1")
    assert [path for path, _ in outcome.left] == [root / "sub" / "a"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_content_that_was_damaged_is_not_put_back(checkpoints: Checkpoints, root: Path, tmp_path: Path) -> None:
    (root / "a").write_text("one\n")
    checkpoints.begin("t1")
    checkpoints.keep(root / "a")
    (root / "a").write_text("two\n")
    (content,) = (path for path in (tmp_path / "data" / "contents").rglob("*") if path.is_file())
    content.write_text("eno\n")
    outcome = restore(checkpoints, "t1")
    assert outcome.left == ((root / "a", "what was kept of it is damaged"),)
    assert (root / "a").read_text() == "two\n"


def test_where_nothing_can_be_kept_nothing_is_changed(checkpoints: Checkpoints, root: Path) -> None:
    (root / "a").write_bytes(b"x" * 10_000)
    checkpoints.begin("t1")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, limits[1]))
    try:
        with pytest.raises(ToolError, match="a cannot be kept for going back"):
            checkpoints.keep(root / "a")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert checkpoints.keep(root / "a") is not None


def test_a_turn_that_is_not_known_is_not_found(checkpoints: Checkpoints) -> None:
    with pytest.raises(NotFound):
        restore(checkpoints, "never")


def test_names_that_are_no_text_are_kept_too(checkpoints: Checkpoints, root: Path, tmp_path: Path) -> None:
    path = root / os.fsdecode(b"bad\xff\n name")
    path.write_text("one\n")
    checkpoints.begin("t1")
    checkpoints.keep(path)
    path.unlink()
    restore(Checkpoints(tmp_path / "data"), "t1")
    assert path.read_text() == "one\n"


NAMES = ["a", "b", "d/a", "d/e/b", "f/c"]
ops = st.tuples(st.sampled_from(NAMES), st.sampled_from(["write", "remove", "mode", "link"]), st.binary(max_size=6))


@settings(max_examples=30)
@given(turns=st.lists(st.lists(ops, max_size=5), min_size=1, max_size=4), data=st.data())
def test_a_restore_gives_back_exact_bytes_and_modes(
    turns: list[list[tuple[str, str, bytes]]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve() / "root"
        root.mkdir()
        checkpoints = Checkpoints(Path(name) / "data")
        states = []
        for nth, turn in enumerate(turns):
            checkpoints.begin(f"t{nth}")
            states.append((tree(root), folders(root)))
            for path, what, content in turn:
                checkpoints.keep(root / path)
                _do(root / path, what, content)
        for _ in range(2):
            chosen = data.draw(st.integers(0, len(turns) - 1))
            before = tree(root)
            outcome = restore(checkpoints, f"t{chosen}")
            assert outcome.left == ()
            assert (tree(root), folders(root) <= states[chosen][1]) == (states[chosen][0], True)
            restore(Checkpoints(Path(name) / "data"), outcome.undo)
            assert tree(root) == before
            restore(checkpoints := Checkpoints(Path(name) / "data"), f"t{chosen}")


def _do(path: Path, what: str, content: bytes) -> None:
    if what in ("remove", "link"):
        path.unlink(missing_ok=True)
    if what == "mode" and path.is_file() and not path.is_symlink():
        path.chmod(0o600 | len(content))
    if what in ("write", "link"):
        path.parent.mkdir(parents=True, exist_ok=True)
    if what == "link":
        path.symlink_to(content.hex() or "nowhere")
    if what == "write":
        path.unlink(missing_ok=True)
        path.write_bytes(content)


RESTORES = """
import sys
from pathlib import Path
from unabridged.agent.files.checkpoints import Checkpoints
from unabridged.agent.files.restoring import restore
checkpoints = Checkpoints(Path(sys.argv[1]))
restore(checkpoints, "t1")
"""


def test_a_restore_that_is_killed_is_completed_by_the_next(root: Path, tmp_path: Path) -> None:
    files = 120
    checkpoints = Checkpoints(tmp_path / "data")
    checkpoints.begin("t1")
    old, new = {}, {}
    for nth in range(files):
        path = root / f"{nth % 7}" / f"{nth}"
        path.parent.mkdir(exist_ok=True)
        if nth % 3:
            path.write_text(f"old {nth}\n" * 50)
            old[path] = path.read_bytes()
        checkpoints.keep(path)
        path.write_text(f"new {nth}\n" * 50)
        new[path] = path.read_bytes()
    for least in (1, 30, 70):
        child = subprocess.Popen([sys.executable, "-c", RESTORES, str(tmp_path / "data")])
        while child.poll() is None and _put_back(new) < least:
            time.sleep(0.001)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert least <= _put_back(new) < files  # in the middle of it
        for path in new:
            assert _content(path) in (old.get(path), new[path])
        assert Checkpoints(tmp_path / "data").unfinished == "t1"
    again = Checkpoints(tmp_path / "data")
    outcome = restore(again, "t1")
    assert {path: path.read_bytes() for path in new if path.exists()} == old
    assert Checkpoints(tmp_path / "data").unfinished is None
    restore(again, outcome.undo)
    assert {path: path.read_bytes() for path in new} == new


def _put_back(new: dict[Path, bytes]) -> int:
    return sum(_content(path) != content for path, content in new.items())


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
