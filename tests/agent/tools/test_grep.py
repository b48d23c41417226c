"""What `grep` finds, with ripgrep and without."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import msgspec
import pytest

from tests.agent.calling import call
from unabridged.agent.tool import ToolError
from unabridged.agent.tools.grep import WIDTH, Grep
from unabridged.agent.tools.searching import Searches
from unabridged.agent.workspace import Workspace


@pytest.fixture
def grep(root: Path, searches: Searches) -> Grep:
    return Grep(Workspace.at(root), searches)


def make(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())


async def test_lines_come_with_path_and_number(grep: Grep, root: Path) -> None:
    make(root, {"b.py": "x\nfoo(1)\n", "a/z.py": "foo()\n", "a.py": "no\n  foo\n"})
    output = await call(grep, pattern=r"foo\b")
    assert output.text == "a/z.py\n1: foo()\na.py\n2:   foo\nb.py\n2: foo(1)"
    assert output.headline == "3 matches"


async def test_lines_around_are_shown_and_gaps_marked(grep: Grep, root: Path) -> None:
    make(root, {"a": "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n"})
    output = await call(grep, pattern="hit", context=1)
    assert output.text == "a\n2- 2\n3: hit\n4- 4\n--\n7- 7\n8: hit\n9: hit\n10- 10"


async def test_capital_letters_count_unless_said_otherwise(grep: Grep, root: Path) -> None:
    make(root, {"a": "Foo\nfoo\nÄrger\n"})
    assert (await call(grep, pattern="foo")).text == "a\n2: foo"
    assert (await call(grep, pattern="foo|ärger", case_insensitive=True)).text == "a\n1: Foo\n2: foo\n3: Ärger"
    assert (await call(grep, pattern="FOO")).text == "(no line matches; capital letters count, hidden files do not)"


async def test_only_some_files_and_only_their_names(grep: Grep, root: Path) -> None:
    make(root, {"a.py": "x\nx\n", "src/b.py": "x\n", "src/c.ts": "x\n", "d.txt": "y\n"})
    assert (await call(grep, pattern="x", files_only=True)).text == "a.py\nsrc/b.py\nsrc/c.ts"
    assert (await call(grep, pattern="x", files_only=True, glob="*.py")).text == "a.py\nsrc/b.py"
    assert (await call(grep, pattern="x", files_only=True, glob="src/**/*.{py,ts}")).text == "src/b.py\nsrc/c.ts"
    assert (await call(grep, pattern="x", files_only=True, glob="./*.py")).text == "a.py"
    assert (await call(grep, pattern="x", files_only=True, path="src")).text == "src/b.py\nsrc/c.ts"
    assert (await call(grep, pattern="x", path="src/c.ts")).text == "src/c.ts\n1: x"


async def test_what_is_left_out_is_not_searched_unless_it_is_named(grep: Grep, root: Path, tmp_path: Path) -> None:
    make(root, {"a": "x\n", "b.log": "x\n", ".env": "x\n", "build/c": "x\n", ".gitignore": "*.log\nbuild\n!.env\n"})
    make(tmp_path, {"outside": "x\n"})
    (root / "link").symlink_to(tmp_path / "outside")
    assert (await call(grep, pattern="x", files_only=True)).text == "a"
    assert (await call(grep, pattern="x", files_only=True, hidden=True)).text == ".env\na"
    assert (await call(grep, pattern="x", files_only=True, glob="*.log")).text.startswith("(no line matches")
    for named in ("b.log", ".env", "build/c"):
        assert (await call(grep, pattern="x", path=named)).text == f"{named}\n1: x"
    assert (await call(grep, pattern="x", path="build")).text == "build/c\n1: x"


async def test_other_encodings_and_line_ends_are_searched(grep: Grep, root: Path) -> None:
    make(root, {"16": "\ufeffgrün\nrot\n".encode("utf-16-le"), "crlf": "grün\r\nrot\r\n", "mark": "\ufeffgrün\n"})
    assert (await call(grep, pattern="^grün$")).text == "16\n1: grün\ncrlf\n1: grün\nmark\n1: grün"
    make(root, {"latin": "gr\xfcn\nrot\n".encode("latin-1")})
    assert (await call(grep, pattern="^rot", path="latin")).text == "latin\n2: rot"


async def test_binary_files_are_passed_over(grep: Grep, root: Path) -> None:
    make(root, {"a.bin": b"hit\n" * 50_000 + b"\0\n", "b": "hit\n"})
    assert (await call(grep, pattern="hit")).text == "b\n1: hit"
    assert (await call(grep, pattern="hit", path="a.bin")).text.startswith("(no line matches")


async def test_a_long_line_is_shown_around_the_match(grep: Grep, root: Path) -> None:
    make(root, {"a.min.js": "é" * 100_000 + "needle" + "y" * 100_000 + "\n"})
    text = (await call(grep, pattern="needle")).text
    line = text.split("\n")[1]
    assert "needle" in line
    assert len(line) < WIDTH + 100
    assert line.startswith("1: …(99,900 characters) ééé")
    assert line.endswith("yyy (99,706 characters)…")


async def test_pages_say_how_many_more(grep: Grep, root: Path) -> None:
    make(root, {"a": "x\n" * 7, "b": "x\n" * 7})
    first = await call(grep, pattern="x", limit=5)
    assert first.text == "a\n" + "".join(f"{n}: x\n" for n in range(1, 6)) + (
        "(9 more matches: skip=5, or a narrower pattern, path or glob)"
    )
    assert first.headline == "14 matches"
    second = await call(grep, pattern="x", limit=5, skip=5)
    assert second.text.startswith("a\n6: x\n7: x\nb\n1: x\n2: x\n3: x\n(4 more")
    assert (await call(grep, pattern="x", limit=5, skip=10)).text == "b\n4: x\n5: x\n6: x\n7: x"
    assert (await call(grep, pattern="x", skip=14)).text == "(nothing behind 14 matches)"


async def test_endless_matches_are_not_all_counted(grep: Grep, root: Path) -> None:
    make(root, {"a": "x\n" * 300_000})
    output = await call(grep, pattern="x", limit=2, context=1)
    assert (
        output.text
        == "a\n1: x\n2: x\n3: x\n(more than 10,000 more matches: skip=2, or a narrower pattern, path or glob)"
    )


@pytest.mark.parametrize("pattern", [r"(?<=a)b", r"(a)\1"])
async def test_expressions_that_ripgrep_knows_only_by_another_engine_work(grep: Grep, root: Path, pattern: str) -> None:
    make(root, {"a": "aab\n"})
    assert (await call(grep, pattern=pattern)).text == "a\n1: aab"


async def test_a_pattern_that_is_none_is_refused_with_what_to_do(grep: Grep, root: Path) -> None:
    make(root, {"a": "foo(\n"})
    with pytest.raises(ToolError, match=r"the pattern cannot be read \(.+\): put \\ before"):
        await call(grep, pattern="foo(")
    assert (await call(grep, pattern=r"foo\(")).text == "a\n1: foo("
    for pattern in ("", "a\nb", r"a\nb"):
        with pytest.raises(ToolError, match=r"the pattern (is empty|has a line end)"):
            await call(grep, pattern=pattern)
    assert (await call(grep, pattern=r"a\\nb")).text.startswith("(no line matches")


async def test_a_pattern_that_begins_like_an_option_is_a_pattern(grep: Grep, root: Path) -> None:
    make(root, {"a": "--pre=touch hacked\n"})
    assert (await call(grep, pattern="--pre=touch")).text == "a\n1: --pre=touch hacked"


async def test_a_path_that_is_not_there_is_said(grep: Grep, root: Path) -> None:
    make(root, {"source/a": "x\n"})
    with pytest.raises(ToolError, match="Similar: source"):
        await call(grep, pattern="x", path="sourc")
    os.mkfifo(root / "pipe")
    with pytest.raises(ToolError, match="cannot be searched"):
        await call(grep, pattern="x", path="pipe")


async def test_a_pattern_without_end_is_stopped_and_what_was_found_is_given(root: Path) -> None:
    make(root, {"a": "bab\n", "b": "a" * 60 + "c\n"})
    worker = Grep(Workspace.at(root), Searches("", 2.0))
    began = time.monotonic()
    output = await call(worker, pattern=r"bab|^((a|a?|aa)+)+$")
    assert time.monotonic() - began < 10
    assert output.text.startswith("a\n1: bab\n(stopped after 2 s")
    assert _workers() == []


async def test_a_search_that_is_cancelled_leaves_nothing_running(root: Path) -> None:
    make(root, {"b": "a" * 60 + "c\n"})
    asked = asyncio.ensure_future(call(Grep(Workspace.at(root), Searches("", 60.0)), pattern=r"^((a|a?|aa)+)+$"))
    while not _workers():
        await asyncio.sleep(0.05)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert _workers() == []


async def test_a_module_in_the_workspace_does_not_run(root: Path) -> None:
    make(root, {"re.py": "import os\nos.mkdir('hacked')\n", "msgspec.py": "raise SystemExit\n", "a": "x\n"})
    assert (await call(Grep(Workspace.at(root), Searches("")), pattern="^x")).text == "a\n1: x"
    assert not (root / "hacked").exists()


def _workers() -> list[str]:
    """Give the processes of ours that search."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parts = (process / "stat").read_text().rpartition(")")[2].split()
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if int(parts[1]) == os.getpid() and parts[0] != "Z" and b"search_worker" in command:
            found.append(process.name)
    return found


def test_arguments_that_make_no_sense_are_refused_by_their_type() -> None:
    for wrong in ({"pattern": "x", "limit": 0}, {"pattern": "x", "context": -1}, {"path": "."}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, Grep.arguments)
