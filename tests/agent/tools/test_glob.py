"""What `glob` lists, with ripgrep and without."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.agent.calling import call, touched
from unabridged.agent.access import Reads
from unabridged.agent.tool import ToolError
from unabridged.agent.tools.glob import GlobFiles
from unabridged.agent.tools.searching import Searches
from unabridged.agent.workspace import Workspace


@pytest.fixture
def glob(root: Path, searches: Searches) -> GlobFiles:
    return GlobFiles(Workspace.at(root), searches)


def make(root: Path, *paths: str) -> None:
    for nth, path in enumerate(paths):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{path}\n")
        os.utime(root / path, (1_000 + nth, 1_000 + nth))


async def test_a_name_is_found_at_any_depth_the_newest_first(glob: GlobFiles, root: Path) -> None:
    make(root, "a.py", "src/deep/b.py", "src/c.py", "d.txt")
    assert (await call(glob, pattern="*.py")).text == "src/c.py\nsrc/deep/b.py\na.py"
    assert (await call(glob, pattern="*.py", path="src")).text == "src/c.py\nsrc/deep/b.py"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("./*", {"a.py", "src/", "b c.txt"}),
        ("src/*", {"src/x.ts", "src/y.tsx", "src/deep/"}),
        ("src/**", {"src/x.ts", "src/y.tsx", "src/deep/z.ts", "src/deep/er/q.js"}),
        ("src/**/*.ts", {"src/x.ts", "src/deep/z.ts"}),
        ("**/*.{ts,tsx}", {"src/x.ts", "src/y.tsx", "src/deep/z.ts"}),
        ("*.{ts,tsx}", {"src/x.ts", "src/y.tsx", "src/deep/z.ts"}),
        ("?.[pt]*", {"a.py", "src/x.ts", "src/y.tsx", "src/deep/z.ts"}),
        ("[!a]*.ts", {"src/x.ts", "src/deep/z.ts"}),
        ("b c.txt", {"b c.txt"}),
        ("*/deep/**/q.js", {"src/deep/er/q.js"}),
    ],
)
async def test_patterns_mean_what_they_say(glob: GlobFiles, root: Path, pattern: str, found: set[str]) -> None:
    make(root, "a.py", "src/x.ts", "src/y.tsx", "src/deep/z.ts", "src/deep/er/q.js", "b c.txt")
    assert set((await call(glob, pattern=pattern)).text.split("\n")) == found


async def test_what_gitignore_leaves_out_is_not_listed_unless_it_is_asked_for(glob: GlobFiles, root: Path) -> None:
    make(root, "a.py", "build/b.py", "src/c.log", "src/keep.log", "src/sub/d.py", "node_modules/x/e.py")
    (root / ".gitignore").write_text("build/\n*.log\n!keep.log\n/node_modules\n")
    (root / "src" / ".gitignore").write_text("sub/*\n")
    assert (await call(glob, pattern="**")).text == "src/keep.log\na.py"
    assert (await call(glob, pattern="*.py", path="build")).text == "build/b.py"
    assert (await call(glob, pattern="*.py", path="node_modules/x")).text == "node_modules/x/e.py"
    assert (await call(glob, pattern="*.log", path="src")).text == "src/keep.log"


async def test_the_rules_of_a_repository_above_count(tmp_path: Path, searches: Searches) -> None:
    repository = tmp_path.resolve() / "repository"
    make(repository, "part/a.py", "part/b.log")
    (repository / ".git").mkdir()
    (repository / ".gitignore").write_text("*.log\n")
    inside = GlobFiles(Workspace.at(repository / "part"), searches)
    assert (await call(inside, pattern="**")).text == "a.py"
    (repository / "part" / ".git").mkdir()
    assert set((await call(inside, pattern="**")).text.split("\n")) == {"a.py", "b.log"}


async def test_hidden_files_come_only_when_asked_for(glob: GlobFiles, root: Path) -> None:
    make(root, ".env", ".github/ci.yml", "a.yml", ".git/config", ".gitignore.yml")
    (root / ".gitignore").write_text("!.github\n!.env\n")
    assert (await call(glob, pattern="**")).text == "a.yml"
    assert set((await call(glob, pattern="*.yml", hidden=True)).text.split("\n")) == {
        ".gitignore.yml",
        "a.yml",
        ".github/ci.yml",
    }
    assert (await call(glob, pattern=".github/**")).text == ".github/ci.yml"
    assert (await call(glob, pattern=".env*")).text == ".env"
    assert "hidden files are listed with hidden=true" in (await call(glob, pattern="config")).text


async def test_links_are_not_followed(glob: GlobFiles, root: Path, tmp_path: Path) -> None:
    make(tmp_path, "outside/secret.py")
    make(root, "a.py")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    (root / "secret.py").symlink_to(tmp_path / "outside" / "secret.py")
    assert (await call(glob, pattern="**/*.py")).text == "a.py"
    assert touched(glob, pattern="*", path="out") == [Reads(str(tmp_path.resolve() / "outside"))]


async def test_pages_say_how_many_more(glob: GlobFiles, root: Path) -> None:
    make(root, *(f"f{n:02}" for n in range(25)))
    first = await call(glob, pattern="f*", limit=10)
    assert first.text.split("\n")[0] == "f24"
    assert first.text.endswith("(15 more: skip=10, or a narrower pattern)")
    last = await call(glob, pattern="f*", limit=10, skip=20)
    assert last.text == "f04\nf03\nf02\nf01\nf00"
    assert (await call(glob, pattern="f*", skip=25)).text == "(nothing behind 25 files)"


async def test_names_of_any_kind_are_listed(glob: GlobFiles, root: Path) -> None:
    names = {"日本語.py", "a b.py", "-x.py", "é.py", "'q\".py"}
    make(root, *names)
    assert set((await call(glob, pattern="*.py")).text.split("\n")) == names
    (root / os.fsdecode(b"bad\xff.py")).touch()
    assert "bad\ufffd.py" in (await call(glob, pattern="bad*")).text


@pytest.mark.parametrize("pattern", ["", "/", "../*.py", "/etc/*", "src/../../*", "a\0b"])
async def test_patterns_that_lead_elsewhere_are_refused(glob: GlobFiles, pattern: str) -> None:
    with pytest.raises(ToolError):
        await call(glob, pattern=pattern)


async def test_a_folder_that_is_not_there_is_said(glob: GlobFiles, root: Path) -> None:
    make(root, "source/a.py")
    with pytest.raises(ToolError, match="sources is not there. Similar: source"):  # noqa: RUF043 (any sign will do)
        await call(glob, pattern="*", path="sources")
    with pytest.raises(ToolError, match="is no folder"):
        await call(glob, pattern="*", path="source/a.py")


async def test_many_stars_take_no_time(glob: GlobFiles, root: Path) -> None:
    make(root, "a" * 200)
    assert "no file matches" in (await call(glob, pattern="*a" * 60 + "*b")).text
    assert (await call(glob, pattern="*a" * 60)).text == "a" * 200


def test_a_ripgrep_inside_the_workspace_is_not_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "rg").write_text("#!/bin/sh\ntouch hacked\n")
    (root / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", str(root))
    assert Searches.found(Workspace.at(root)).ripgrep == ""
    assert Searches.found(Workspace.at(root / "other")).ripgrep == str(root / "rg")
