"""What is left out, by the judgement of git and ripgrep."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.agent.files.ignoring import Ignored, walk

NAMES = ["a", "b", "a.py", "b.log", "ab", "#c", "!d", "e f"]
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)
pieces = st.sampled_from(
    [*NAMES, "*", "**", "*.py", "a*", "?", "[ab]", "[!a]*", "[a-b].py", "\\#c", "\\!d", "e\\ f", "a**b", "*b*"]
)
patterns = st.builds(
    lambda back, front, parts, behind: back + front + "/".join(parts) + behind,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(pieces, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "  ", "\r"]),
)
rules = st.lists(patterns, max_size=5).map("\n".join)


def make(root: Path, files: list[str]) -> None:
    for each in files:
        path = root / each
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except OSError:  # a file stands where a folder would be
            continue


def by_git(root: Path) -> set[str]:
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    command = ["git", "-c", "core.excludesFile=", "ls-files", "-o", "-z", "--exclude-per-directory=.gitignore"]
    found = subprocess.run(command, cwd=root, capture_output=True, check=True)
    return {each for each in found.stdout.decode().split("\0") if each}


@settings(max_examples=60)
@given(files=st.lists(paths, max_size=12), top=rules, inner=rules)
def test_a_walk_finds_what_git_finds(files: list[str], top: str, inner: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        make(root, files)
        (root / ".gitignore").write_bytes(top.encode())
        if (root / "a").is_dir():
            (root / "a" / ".gitignore").write_bytes(inner.encode())
        assert set(walk(root, Ignored(root), hidden=True)) == by_git(root)


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ("*\n!*/\n!*.py\n", {"a.py", "src/b.py"}),
        ("/*\n!/src\n", {"src/b.py", "src/c.txt"}),
        ("src\n!src/b.py\n", {"a.py", "d.txt"}),
        ("src/*\n!src/b.py\n", {"a.py", "d.txt", "src/b.py"}),
        ("\ufeff*.txt\n", {"a.py", "src/b.py"}),
        ("*.txt\r\n# comment\r\n", {"a.py", "src/b.py"}),
    ],
)
def test_lists_of_what_is_wanted_work_as_in_git(tmp_path: Path, lines: str, kept: set[str]) -> None:
    make(tmp_path, ["a.py", "src/b.py", "src/c.txt", "d.txt"])
    (tmp_path / ".gitignore").write_bytes(lines.encode())
    found = set(walk(tmp_path, None, hidden=True)) - {".gitignore"}
    assert found == kept == by_git(tmp_path) - {".gitignore"}


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
def test_a_walk_goes_in_the_order_of_ripgrep(tmp_path: Path) -> None:
    make(tmp_path, ["b/x", "b.py", "a/z/q", "a/b", "B", "é", "z", "a-b/c", "a.txt"])
    command = ["rg", "--no-config", "--files", "--sort", "path"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert list(walk(tmp_path, None, hidden=False)) == found.stdout.split("\n")[:-1]
