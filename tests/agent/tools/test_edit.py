"""What `edit` changes, what it keeps, and what it refuses."""

from __future__ import annotations

import asyncio
import os
import resource
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent.calling import as_anybody, call, preview, touched, tree
from unabridged.agent.access import Writes
from unabridged.agent.files.known import Known
from unabridged.agent.files.seen import ChangedSince, NotRead
from unabridged.agent.files.text import FileText
from unabridged.agent.tool import ToolError
from unabridged.agent.tools.edit import Edit
from unabridged.agent.tools.read import Read
from unabridged.agent.workspace import Workspace


@pytest.fixture
def edit(known: Known) -> Edit:
    return Edit(known)


async def change(known: Known, path: str, *pairs: tuple[str, str], every: bool = False) -> Any:
    await call(Read(known), path=path)
    return await call(Edit(known), path=path, edits=[{"old": old, "new": new, "all": every} for old, new in pairs])


async def test_the_only_place_is_replaced_and_the_lines_are_named(known: Known, root: Path) -> None:
    (root / "a.py").write_text("one\ntwo\nthree\nfour\n")
    output = await change(known, "a.py", ("two\nthree", "2\n2.5\n3"))
    assert (root / "a.py").read_text() == "one\n2\n2.5\n3\nfour\n"
    assert output.text == "a.py: changed lines 2-4 (+3 -2)"
    assert output.diff == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,5 @@\n one\n-two\n-three\n+2\n+2.5\n+3\n four\n"
    )  # what was given is not said again
    assert not output.is_error


async def test_a_preview_is_the_same_diff_and_writes_nothing(known: Known, root: Path) -> None:
    (root / "a").write_text("x = 1\n")
    await call(Read(known), path="a")
    arguments: dict[str, Any] = {"path": "a", "edits": [{"old": "1", "new": "2"}]}
    before = tree(root)
    shown = preview(Edit(known), **arguments)
    assert tree(root) == before
    assert (await call(Edit(known), **arguments)).diff == shown
    assert "-x = 1\n+x = 2\n" in shown


async def test_edits_build_on_each_other(known: Known, root: Path) -> None:
    (root / "a").write_text("a b c\n")
    await change(known, "a", ("a", "x y"), ("y b", "z"))
    assert (root / "a").read_text() == "x z c\n"


async def test_when_one_edit_fails_none_is_made(known: Known, root: Path) -> None:
    (root / "a").write_text("a b c\n")
    before = tree(root)
    with pytest.raises(ToolError, match=r"edit 2 of 3: `old` does not occur.*None was made"):
        await change(known, "a", ("a", "x"), ("never there", "y"), ("c", "z"))
    assert tree(root) == before


async def test_a_text_that_stands_twice_is_named_with_its_lines(known: Known, root: Path) -> None:
    (root / "a").write_text("x\ny\nx\n")
    with pytest.raises(ToolError, match="occurs 2 times, in lines 1, 3"):
        await change(known, "a", ("x", "z"))
    output = await change(known, "a", ("x", "z"), every=True)
    assert (root / "a").read_text() == "z\ny\nz\n"
    assert output.text == "a: changed lines 1, 3 (+2 -2)"


async def test_places_that_overlap_are_two_places(known: Known, root: Path) -> None:
    (root / "a").write_text("aaa\n")
    with pytest.raises(ToolError, match="occurs 2 times"):
        await change(known, "a", ("aa", "b"))


async def test_a_text_that_differs_in_white_space_is_found_and_shown(known: Known, root: Path) -> None:
    (root / "a.py").write_text("import os\n\ndef f():\n\tif x:\n\t\treturn 1\n")
    with pytest.raises(ToolError, match=r"differs in white space only, lines 4-5:\n4\t\tif x:\n5\t\t\treturn 1"):
        await change(known, "a.py", ("    if x:\n        return 1", "pass"))


async def test_the_most_similar_place_is_shown(known: Known, root: Path) -> None:
    (root / "a.py").write_text("".join(f"value_{n} = {n}\n" for n in range(500)) + "def total(items):\n    return 0\n")
    with pytest.raises(ToolError, match=r"most similar place, lines 501-502:\n501\tdef total\(items\):"):
        await change(known, "a.py", ("def total(item):\n    return 1", "pass"))
    with pytest.raises(ToolError, match="Nothing in the file is like it"):
        await change(known, "a.py", ("§§§§§", "pass"))


async def test_line_numbers_that_were_copied_are_noticed(known: Known, root: Path) -> None:
    (root / "a").write_text("one\ntwo\n")
    with pytest.raises(ToolError, match="Without the line numbers at its beginning it does"):
        await change(known, "a", ("1\tone\n2\ttwo", "x"))


@pytest.mark.parametrize(("old", "new", "said"), [("", "x", "`old` is empty"), ("one", "one", "are the same")])
async def test_edits_that_mean_nothing_are_refused(known: Known, root: Path, old: str, new: str, said: str) -> None:
    (root / "a").write_text("one\n")
    with pytest.raises(ToolError, match=said):
        await change(known, "a", (old, new))


async def test_edits_that_undo_each_other_are_refused(known: Known, root: Path) -> None:
    (root / "a").write_text("one\n")
    with pytest.raises(ToolError, match="change nothing"):
        await change(known, "a", ("one", "two"), ("two", "one"))


async def test_a_file_must_have_been_read(edit: Edit, root: Path) -> None:
    (root / "a").write_text("one\n")
    for ask in (call(edit, path="a", edits=[{"old": "one", "new": "two"}]),):
        with pytest.raises(NotRead, match="a was not read yet: read it first"):
            await ask
    with pytest.raises(NotRead):
        preview(edit, path="a", edits=[{"old": "one", "new": "two"}])
    assert (root / "a").read_text() == "one\n"


async def test_a_file_that_changed_since_must_be_read_again(known: Known, root: Path) -> None:
    (root / "a").write_text("one\n")
    await call(Read(known), path="a")
    state = (root / "a").stat()
    (root / "a").write_text("eno\n")
    os.utime(root / "a", ns=(state.st_atime_ns, state.st_mtime_ns))  # same size and time: only the content tells
    with pytest.raises(ChangedSince, match="a has changed since it was read, and not by you: read it again"):
        await call(Edit(known), path="a", edits=[{"old": "e", "new": "x"}])
    assert (root / "a").read_text() == "eno\n"
    await change(known, "a", ("e", "x"))
    assert (root / "a").read_text() == "xno\n"


async def test_what_was_edited_may_be_edited_again(known: Known, root: Path) -> None:
    (root / "a").write_text("one\n")
    await change(known, "a", ("one", "two"))
    await call(Edit(known), path="a", edits=[{"old": "two", "new": "three"}])
    assert (root / "a").read_text() == "three\n"


async def test_a_file_that_changes_while_it_is_edited_stays_as_the_other_left_it(
    known: Known, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("one\n")
    await call(Read(known), path="a")
    flush = os.fsync

    def somebody_writes(handle: int) -> None:
        flush(handle)
        (root / "a").write_text("theirs\n")

    monkeypatch.setattr(os, "fsync", somebody_writes)
    with pytest.raises(ChangedSince, match="was changed meanwhile"):
        await call(Edit(known), path="a", edits=[{"old": "one", "new": "two"}])
    assert tree(root) == {"a": ((root / "a").stat().st_mode & 0o7777, b"theirs\n")}


async def test_a_file_that_becomes_a_link_while_it_is_edited_is_not_followed(
    known: Known, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").write_text("one\n")
    (root / "a").write_text("one\n")
    await call(Read(known), path="a")
    flush = os.fsync

    def somebody_links(handle: int) -> None:
        flush(handle)
        (root / "a").unlink(missing_ok=True)
        (root / "a").symlink_to(tmp_path / "outside")

    monkeypatch.setattr(os, "fsync", somebody_links)
    with pytest.raises(ToolError):
        await call(Edit(known), path="a", edits=[{"old": "one", "new": "two"}])
    assert (tmp_path / "outside").read_text() == "one\n"
    assert sorted(each.name for each in root.iterdir()) == ["a"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\nthree", b"one\r\n2\r\n2\r\nthree"),
        ("one\ntwo\nthree\n".encode("utf-8-sig"), "one\n2\n2\nthree\n".encode("utf-8-sig")),
        ("one\ntwo\nthré\n".encode("utf-16"), "one\n2\n2\nthré\n".encode("utf-16")),
        ("one\r\ntwo\r\nthré".encode("utf-16"), "one\r\n2\r\n2\r\nthré".encode("utf-16")),
        ("one\ntwo\nthré\n".encode("latin-1"), "one\n2\n2\nthré\n".encode("latin-1")),
        (b"one\ntwo\r\nthree\nfour\r\n", b"one\n2\r\n2\r\nthree\nfour\r\n"),
        (b"one\rtwo\rthree\r", b"one\r2\r2\rthree\r"),
    ],
)
async def test_line_ends_marks_and_encoding_are_kept(known: Known, root: Path, before: bytes, after: bytes) -> None:
    (root / "a").write_bytes(before)
    await change(known, "a", ("two\nth", "2\n2\nth"))
    assert (root / "a").read_bytes() == after


async def test_a_character_that_the_encoding_does_not_have_is_named(known: Known, root: Path) -> None:
    data = "one\nthré\n".encode("latin-1")
    (root / "a").write_bytes(data)
    with pytest.raises(ToolError, match=r"U\+20AC in line 1 cannot be written in latin-1"):
        await change(known, "a", ("one", "€"))
    (root / "b").write_text("one\n")
    await call(Read(known), path="b")
    lone = '{"path":"b","edits":[{"old":"one","new":"\\ud800"}]}'
    with pytest.raises((ToolError, msgspec.DecodeError)):
        await Edit(known).run(msgspec.json.decode(lone, type=Edit.arguments), None)  # pyright: ignore[reportArgumentType]  # not used
    assert ((root / "a").read_bytes(), (root / "b").read_text()) == (data, "one\n")


async def test_mode_stays_and_nothing_else_is_left(known: Known, root: Path) -> None:
    (root / "run.sh").write_text("echo 1\n")
    (root / "run.sh").chmod(0o751)
    await change(known, "run.sh", ("1", "2"))
    assert tree(root) == {"run.sh": (0o751, b"echo 2\n")}


async def test_the_owner_stays(known: Known, root: Path) -> None:
    (root / "a").write_text("one\n")
    if os.geteuid() == 0:
        os.chown(root / "a", 1234, 2345)
    owner = (root / "a").stat()
    await change(known, "a", ("one", "two"))
    now = (root / "a").stat()
    assert (now.st_uid, now.st_gid) == (owner.st_uid, owner.st_gid)
    assert now.st_ino != owner.st_ino  # another file took its place: nobody ever saw half of it


async def test_a_link_stays_a_link_and_its_target_is_changed(known: Known, root: Path) -> None:
    (root / "real").write_text("one\n")
    (root / "link").symlink_to("real")
    output = await change(known, "link", ("one", "two"))
    assert (root / "link").is_symlink()
    assert (root / "real").read_text() == "two\n"
    assert output.text.startswith("real: ")


def test_a_write_through_a_link_that_leads_outside_is_reported_as_where_it_leads(
    edit: Edit, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").write_text("one\n")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "folder").symlink_to(tmp_path)
    outside = [Writes(str(tmp_path.resolve() / "outside"))]
    for path in ("link", "folder/outside", "../outside", str(tmp_path / "outside")):
        assert touched(edit, path=path, edits=[{"old": "a", "new": "b"}]) == outside


async def test_a_folder_that_may_not_be_written_is_said_and_nothing_changes() -> None:
    with as_anybody() as folder:
        known = Known.of(Workspace.at(folder))
        (folder / "in").mkdir()
        (folder / "in" / "a").write_text("one\n")
        await call(Read(known), path="in/a")
        (folder / "in").chmod(0o555)
        try:
            with pytest.raises(ToolError, match=r"cannot be written: permission denied.*Nothing was changed"):
                await call(Edit(known), path="in/a", edits=[{"old": "one", "new": "two"}])
            assert tree(folder) == {"in/a": ((folder / "in" / "a").stat().st_mode & 0o7777, b"one\n")}
        finally:
            (folder / "in").chmod(0o755)


async def test_when_there_is_no_room_nothing_changes(known: Known, root: Path) -> None:
    (root / "a").write_text("one\n")
    await call(Read(known), path="a")
    before = tree(root)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, limits[1]))
    try:
        with pytest.raises(ToolError, match=r"larger than is allowed here. Nothing was changed"):
            await call(Edit(known), path="a", edits=[{"old": "one", "new": "x" * 10_000}])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert tree(root) == before


async def test_a_refusal_to_keep_the_file_stops_the_change(root: Path) -> None:
    def refuses(path: Path) -> None:
        raise ToolError(f"{path.name} cannot be kept")

    known = Known.of(Workspace.at(root), refuses)
    (root / "a").write_text("one\n")
    with pytest.raises(ToolError, match="a cannot be kept"):
        await change(known, "a", ("one", "two"))
    assert (root / "a").read_text() == "one\n"


async def test_names_in_any_script_work(known: Known, root: Path) -> None:
    for name in ("日本語.txt", "a b'\"$.txt", "é.txt", "e\u0301.txt", "-rf", "new\nline"):
        (root / name).write_text("one\n")
        await change(known, name, ("one", "two"))
        assert (root / name).read_text() == "two\n"


async def test_a_long_file_with_few_changes_is_quick_to_compare(known: Known, root: Path) -> None:
    lines = [f"line {n % 977} of {n}\n" for n in range(100_000)]
    (root / "a").write_text("".join(lines))
    output = await change(known, "a", ("line 0 of 0\n", "first\n"), (lines[-1], "last\n"))
    assert output.text == "a: changed lines 1, 100000 (+2 -2)"
    assert output.diff.count("\n") == 2 + 2 * 6


async def test_an_error_about_a_long_file_of_similar_lines_comes_soon(known: Known, root: Path) -> None:
    (root / "a").write_text("".join(f"    value_{n} = compute({n % 7}, other)\n" for n in range(50_000)))
    wanted = "".join(f"    value = compute({n % 7}, another)\n" for n in range(400))
    began = time.monotonic()
    with pytest.raises(ToolError, match="most similar place"):
        await change(known, "a", (wanted, "x"))
    assert time.monotonic() - began < 20


async def test_an_edit_that_is_cancelled_has_ended_when_the_caller_hears_of_it(
    known: Known, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("one\n")
    await call(Read(known), path="a")
    flushing, go_on = threading.Event(), threading.Event()

    def slow(handle: int) -> None:
        flushing.set()
        go_on.wait(10)

    monkeypatch.setattr(os, "fsync", slow)
    running = asyncio.ensure_future(call(Edit(known), path="a", edits=[{"old": "one", "new": "two"}]))
    while not flushing.is_set():
        await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.sleep(0.05)
    assert not running.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [path.name for path in root.iterdir()] == ["a"]
    assert (root / "a").read_text() == "two\n"


texts = st.text(st.sampled_from("ab\n\u00e9\U0001f600"), max_size=60)
pieces = st.text(st.sampled_from("ab\n\u00e9"), min_size=1, max_size=4)


@given(text=texts, edits=st.lists(st.tuples(pieces, texts, st.booleans()), min_size=1, max_size=4), crlf=st.booleans())
def test_edits_do_what_replacing_in_the_text_does(text: str, edits: list[tuple[str, str, bool]], crlf: bool) -> None:
    from unabridged.agent.files.replacing import replaced

    file = FileText(text.replace("\n", "\r\n") if crlf and "\n" in text else text)
    expected = text
    for old, new, every in edits:
        overlapping = sum(expected.startswith(old, at) for at in range(len(expected)))
        if old == new or not overlapping or (overlapping > 1 and not every):
            with pytest.raises(ToolError):
                replaced(file, old, new, every)
            continue
        file, expected = replaced(file, old, new, every), expected.replace(old, new)
        assert file.plain == expected
        if crlf and "\n" in text and "\r\n" in file.text:
            assert file.text.count("\r\n") == file.text.count("\n")
