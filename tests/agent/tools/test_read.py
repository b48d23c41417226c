"""What `read` gives, and what it says where it gives nothing."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from tests.agent.calling import as_anybody, call, touched
from unabridged.agent.access import Reads
from unabridged.agent.files.known import Known
from unabridged.agent.files.opening import WHOLE
from unabridged.agent.tool import ToolError
from unabridged.agent.tools.read import LONG, LONGER, Read
from unabridged.agent.workspace import Workspace


@pytest.fixture
def read(known: Known) -> Read:
    return Read(known)


async def test_lines_come_numbered_and_as_they_are(read: Read, root: Path) -> None:
    (root / "a.py").write_text("import os\n\n\tprint(1)  \n")
    output = await call(read, path="a.py")
    assert output.text == "1\timport os\n2\t\n3\t\tprint(1)  "
    assert output.headline == "3 lines"


async def test_a_part_says_what_else_there_is(read: Read, root: Path) -> None:
    (root / "a").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    output = await call(read, path="a", first_line=4, lines=2)
    assert output.text == "4\tline 4\n5\tline 5\n(lines 4 to 5 of 10; read on with first_line=6)"
    last = await call(read, path="a", first_line=10)
    assert last.text == "10\tline 10\n(lines 10 to 10 of 10)"


async def test_a_line_behind_the_end_is_an_error_with_the_number_of_lines(read: Read, root: Path) -> None:
    (root / "a").write_text("one\ntwo\n")
    with pytest.raises(ToolError, match="a has 2 lines: there is no line 3"):
        await call(read, path="a", first_line=3)


async def test_more_lines_than_given_at_once_can_all_be_had(read: Read, root: Path) -> None:
    (root / "a").write_text("".join(f"{n}\n" for n in range(5_000)))
    first = await call(read, path="a")
    assert first.text.endswith("(lines 1 to 2,000 of 5,000; read on with first_line=2001)")
    whole = await call(read, path="a", lines=5_000)
    assert whole.text.endswith("5000\t4999")


async def test_only_real_line_ends_end_a_line(read: Read, root: Path) -> None:
    (root / "a").write_bytes("a\x0cb\u2028c\x85d\rf\n".encode())
    assert (await call(read, path="a")).text == "1\ta\x0cb\u2028c\x85d\rf"


async def test_an_empty_file_is_said_to_be_empty(read: Read, root: Path) -> None:
    (root / "a").touch()
    assert (await call(read, path="a")).text == "(a is empty)"


async def test_a_missing_line_end_is_said(read: Read, root: Path) -> None:
    (root / "a").write_text("x")
    assert (await call(read, path="a")).text == "1\tx\n(no line end behind the last line)"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("ü\n".encode("utf-8-sig"), "UTF-8 with byte order mark"),
        ("ü\n".encode("utf-16"), "UTF-16-LE with byte order mark"),
        (b"\xfe\xff" + "ü\n".encode("utf-16-be"), "UTF-16-BE with byte order mark"),
        ("ü\n".encode("utf-32"), "UTF-32-LE with byte order mark"),
        ("ü\n".encode("latin-1"), "Latin-1, as it is no valid UTF-8"),
        ("ü\r\n".encode(), "CRLF line ends"),
        ("ü\r\nv\n".encode(), "CRLF and LF line ends mixed"),
        ("ü\rv\r".encode(), "CR line ends"),
    ],
)
async def test_what_is_special_about_a_text_is_said(read: Read, root: Path, data: bytes, said: str) -> None:
    (root / "a").write_bytes(data)
    lines = (await call(read, path="a")).text.split("\n")
    assert lines[0] == "1\tü"
    assert lines[-1] == f"({said})"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 92, "PNG picture, 100 bytes"),
        (b"%PDF-1.7\nplain", "PDF document, 14 bytes"),
        (b"abc\0def", "binary file, 7 bytes"),
        (bytes(range(1, 32)) * 10, "binary file, 310 bytes"),
    ],
)
async def test_a_file_that_is_no_text_is_named_with_its_size(read: Read, root: Path, data: bytes, kind: str) -> None:
    (root / "a").write_bytes(data)
    with pytest.raises(ToolError, match=f"a is no text: {kind}"):
        await call(read, path="a")


async def test_a_terminals_colours_are_text(read: Read, root: Path) -> None:
    (root / "log").write_bytes(b"\x1b[31mred\x1b[0m\x08\n" * 3)
    assert "\x1b[31mred" in (await call(read, path="log")).text


async def test_a_very_long_line_can_be_read_piece_by_piece(read: Read, root: Path) -> None:
    line = "".join(f"{n:07}," for n in range(10_000))
    (root / "a").write_text(line + "\nshort\n")
    text = (await call(read, path="a")).text
    assert text.split("\n")[0] == (
        f"1\t{line[:LONG]}… (line 1 has 78,000 more characters: first_line=1, lines=1, column=2001)"
    )
    assert text.split("\n")[1] == "2\tshort"
    pieces, column = line[:LONG], LONG + 1
    while len(pieces) < len(line):
        row = (await call(read, path="a", first_line=1, lines=1, column=column)).text.split("\n")[0]
        pieces += row.removeprefix("1\t…").partition("…")[0]
        column += LONGER
    assert pieces == line


async def test_a_file_too_large_to_hold_is_read_in_parts(read: Read, root: Path) -> None:
    with (root / "big").open("wb") as file:
        file.write("".join(f"line {n} ü\n" for n in range(1, 100_000)).encode())
        file.write(b"x" * WHOLE + b"\nlast\n")
    with pytest.raises(ToolError, match="too many to read whole: give first_line and lines"):
        await call(read, path="big")
    part = await call(read, path="big", first_line=99_998, lines=2)
    assert part.text.startswith("99998\tline 99998 ü\n99999\tline 99999 ü\n(")
    long = await call(read, path="big", first_line=100_000, lines=2)
    assert len(long.text) < LONG + 500
    assert "100001\tlast" in long.text
    assert f"{WHOLE - LONG:,} more characters" in long.text
    with pytest.raises(ToolError, match="has no line 100,002"):
        await call(read, path="big", first_line=100_002, lines=1)


async def test_a_sparse_file_of_gigabytes_is_refused_at_once(read: Read, root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.truncate(50 * 1024**3)
    with pytest.raises(ToolError, match=r"no text: binary file, 53,687,091,200 bytes"):
        await call(read, path="huge")


async def test_a_folder_is_sent_to_glob(read: Read, root: Path) -> None:
    (root / "src").mkdir()
    with pytest.raises(ToolError, match='src is a folder: list it with glob, path "src"'):
        await call(read, path="src")
    with pytest.raises(ToolError, match="glob"):
        await call(read, path="/")


async def test_a_file_that_is_not_there_comes_with_names_like_it(read: Read, root: Path) -> None:
    (root / "src").mkdir()
    (root / "src" / "settings.py").touch()
    (root / "Readme.md").touch()
    with pytest.raises(ToolError, match=r"src/setting.py is not there. Similar: src/settings.py"):
        await call(read, path="src/setting.py")
    with pytest.raises(ToolError, match=r"Similar: Readme.md"):
        await call(read, path="README.md")
    with pytest.raises(ToolError, match=r"Similar: src/settings.py"):
        await call(read, path="lib/deep/settings.py")
    with pytest.raises(ToolError, match=r"of its folders, . is the last that is"):
        await call(read, path="lib/deep/other.py")


async def test_a_name_in_another_spelling_of_unicode_is_suggested(read: Read, root: Path) -> None:
    (root / "cafe\u0301.txt").write_text("x\n")
    with pytest.raises(ToolError, match="Similar: cafe\u0301\\.txt"):
        await call(read, path="caf\u00e9.txt")
    assert (await call(read, path="cafe\u0301.txt")).text == "1\tx"


async def test_a_pipe_is_not_waited_for(read: Read, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(ToolError, match="is a pipe, not a file"):
        await call(read, path="pipe")
    with pytest.raises(ToolError, match="is a device, not a file"):
        await call(read, path="/dev/zero")


async def test_a_file_under_a_file_is_said(read: Read, root: Path) -> None:
    (root / "a").write_text("x")
    with pytest.raises(ToolError, match="a part of the path is a file"):
        await call(read, path="a/b")
    with pytest.raises(ToolError, match="the name is too long"):
        await call(read, path="n" * 300)
    with pytest.raises(ToolError, match="is no path"):
        await call(read, path="")


async def test_a_file_that_may_not_be_read_is_said() -> None:
    with as_anybody() as folder:
        (folder / "a").write_text("x")
        (folder / "a").chmod(0)
        with pytest.raises(ToolError, match="a cannot be read: permission denied"):
            await call(Read(Known.of(Workspace.at(folder))), path="a")


def test_what_is_touched_is_where_links_lead(read: Read, root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (root / "link").symlink_to(tmp_path / "secret")
    assert touched(read, path="link") == [Reads(str((tmp_path / "secret").resolve()))]
    assert touched(read, path="../secret") == [Reads(str((tmp_path / "secret").resolve()))]


async def test_links_in_a_circle_are_said(read: Read, root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    with pytest.raises(ToolError):
        await call(read, path="a")


def test_arguments_that_make_no_sense_are_refused_by_their_type(read: Read) -> None:
    for wrong in ({"path": "a", "first_line": 0}, {"path": "a", "lines": 0}, {"path": "a", "limit": 3}, {}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, read.arguments)
