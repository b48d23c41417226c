"""ripgrep and the worker that stands in for it give the same answers."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.calling import call
from unabridged.agent.tools.glob import GlobFiles
from unabridged.agent.tools.grep import Grep
from unabridged.agent.tools.searching import Searches
from unabridged.agent.workspace import Workspace

RIPGREP = shutil.which("rg")
pytestmark = pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed")

names = st.sampled_from(["a.py", "b.py", "src/a.py", "src/c.txt", "src/in/b.py", ".hidden/a.py", "out/d.py", "é.txt"])
lines = st.sampled_from(["foo", "Foo bar", "", "  x = 1", "grün", "foo foo", "end\r", "日本 foo", "x" * 600 + "foo"])
texts = st.lists(lines, max_size=8).map("\n".join)
contents = st.builds(
    lambda text, end, encoding: (text + end).encode(encoding),
    texts,
    st.sampled_from(["", "\n"]),
    st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16"]),
) | st.just(b"foo\n\0\n")
ignores = st.sampled_from(["", "out/\n", "*.txt\n!c.txt\n", "*\n!*/\n!*.py\n", "!.hidden\n", "/src/*\n!/src/a.py\n"])
greps = st.fixed_dictionaries(
    {
        "pattern": st.sampled_from(["foo", "^foo", "foo$", r"\bx\b", "ü", r"o{2}.*b", "[^f]oo", r"^\s*$", "(?i)FOO"]),
        "glob": st.sampled_from(["", "*.py", "src/**", "./*.py", "**/*.{py,txt}", "*.{py,txt}"]),
        "context": st.integers(0, 2),
        "limit": st.sampled_from([1, 3, 100]),
        "skip": st.sampled_from([0, 0, 2]),
        "case_insensitive": st.booleans(),
        "files_only": st.booleans(),
        "hidden": st.booleans(),
        "path": st.sampled_from([".", ".", "src", "out"]),
    }
)


@settings(max_examples=20)
@given(
    files=st.dictionaries(names, contents, min_size=1, max_size=6),
    top=ignores,
    inner=ignores,
    asked=greps,
    in_repository=st.booleans(),
)
def test_both_engines_find_and_list_the_same(
    files: dict[str, bytes], top: str, inner: str, asked: dict[str, Any], in_repository: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        for folder in ("src", "out"):
            (root / folder).mkdir()
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
            os.utime(root / path, (1, 1))
        (root / ".gitignore").write_text(top)
        (root / "src" / ".gitignore").write_text(inner)
        if in_repository:
            (root / ".git").mkdir()
        workspace = Workspace.at(root)
        engines = (Searches(RIPGREP or ""), Searches(""))
        found = [asyncio.run(call(Grep(workspace, each), **asked)) for each in engines]
        assert found[0] == found[1]
        wanted = {"pattern": asked["glob"] or "**", "path": asked["path"], "hidden": asked["hidden"]}
        listed = [asyncio.run(call(GlobFiles(workspace, each), **wanted)) for each in engines]
        assert listed[0] == listed[1]
