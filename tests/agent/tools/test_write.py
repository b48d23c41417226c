"""What `write` makes, and what it refuses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.agent.calling import call, preview, touched, tree
from unabridged.agent.access import Writes
from unabridged.agent.files.known import Known
from unabridged.agent.files.seen import ChangedSince, NotRead
from unabridged.agent.tool import ToolError
from unabridged.agent.tools.read import Read
from unabridged.agent.tools.write import Write


@pytest.fixture
def write(known: Known) -> Write:
    return Write(known)


async def test_a_new_file_gets_its_folders_and_the_usual_mode(write: Write, root: Path) -> None:
    output = await call(write, path="src/deep/a.py", content="x = 1\ny = 2\n")
    (root / "plain").touch()
    usual = (root / "plain").stat().st_mode & 0o7777
    (root / "plain").unlink()
    assert tree(root) == {"src/deep/a.py": (usual, b"x = 1\ny = 2\n")}
    assert output.text == "src/deep/a.py: new, 2 lines"
    assert output.diff == "--- /dev/null\n+++ b/src/deep/a.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n"


async def test_a_file_that_is_there_must_have_been_read(write: Write, known: Known, root: Path) -> None:
    (root / "a").write_text("one\n")
    with pytest.raises(NotRead):
        await call(write, path="a", content="two\n")
    with pytest.raises(NotRead):
        preview(write, path="a", content="two\n")
    await call(Read(known), path="a")
    (root / "a").write_text("changed\n")
    with pytest.raises(ChangedSince):
        await call(write, path="a", content="two\n")
    await call(Read(known), path="a")
    output = await call(write, path="a", content="two\n")
    assert (root / "a").read_text() == "two\n"
    assert output.text == "a: changed line 1 (+1 -1)"


async def test_what_was_written_may_be_written_again(write: Write, root: Path) -> None:
    await call(write, path="a", content="one\n")
    await call(write, path="a", content="two\n")
    assert (root / "a").read_text() == "two\n"


async def test_what_is_there_already_is_not_written(write: Write, root: Path) -> None:
    await call(write, path="a", content="one\n")
    inode = (root / "a").stat().st_ino
    output = await call(write, path="a", content="one\n")
    assert output.text == "a already holds exactly this: nothing was written"
    assert (root / "a").stat().st_ino == inode


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "c\nd\n", b"c\r\nd\r\n"),
        (b"a\r\nb\r\n", "c\r\nd\n", b"c\r\nd\n"),
        ("é\n".encode("utf-16"), "ü\n", "ü\n".encode("utf-16")),
        ("é\n".encode("utf-8-sig"), "ü\n", "ü\n".encode("utf-8-sig")),
        ("é\n".encode("latin-1"), "ü\n", "ü\n".encode("latin-1")),
        ("é\n".encode("latin-1"), "€\n", "€\n".encode()),
    ],
)
async def test_a_file_keeps_its_manner(known: Known, root: Path, before: bytes, content: str, after: bytes) -> None:
    (root / "a").write_bytes(before)
    await call(Read(known), path="a")
    await call(Write(known), path="a", content=content)
    assert (root / "a").read_bytes() == after


async def test_a_file_that_appears_meanwhile_is_not_overwritten(
    write: Write, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush = os.fsync

    def somebody_writes(handle: int) -> None:
        flush(handle)
        (root / "a").write_text("theirs\n")

    monkeypatch.setattr(os, "fsync", somebody_writes)
    with pytest.raises(ChangedSince, match="has come into being meanwhile"):
        await call(write, path="a", content="ours\n")
    assert [path.name for path in root.iterdir()] == ["a"]
    assert (root / "a").read_text() == "theirs\n"


async def test_folders_that_were_made_for_nothing_are_taken_away(
    write: Write, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, data: bytes) -> int:
        del handle, data
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ToolError, match=r"the disk is full. Nothing was changed"):
        await call(write, path="new/deep/a", content="x\n")
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("path", ["src", "src/", "new/"])
async def test_a_folder_is_no_file(write: Write, root: Path, path: str) -> None:
    (root / "src").mkdir()
    with pytest.raises(ToolError, match="is a folder"):
        await call(write, path=path, content="x")


async def test_a_path_through_a_file_is_said(write: Write, root: Path) -> None:
    (root / "a").write_text("x")
    with pytest.raises(ToolError, match="a part of the path is a file"):
        await call(write, path="a/b", content="x")


async def test_a_binary_file_is_not_replaced_by_text(write: Write, root: Path) -> None:
    (root / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    with pytest.raises(ToolError, match=r"a.png is no text"):
        await call(write, path="a.png", content="x")


async def test_a_link_to_nowhere_is_made_where_it_leads(write: Write, root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to(tmp_path / "elsewhere")
    elsewhere = tmp_path.resolve() / "elsewhere"
    assert touched(write, path="link", content="x") == [Writes(str(elsewhere))]
    output = await call(write, path="link", content="x\n")
    assert output.text == f"{elsewhere}: new, 1 lines"
    assert (root / "link").is_symlink()
