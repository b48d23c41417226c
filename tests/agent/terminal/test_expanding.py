"""`@file` in what a person types."""

from __future__ import annotations

from pathlib import Path

import pytest

from unabridged.agent.terminal.expanding import expanded
from unabridged.agent.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.py").write_text("x = 1\n")
    (tmp_path / "in" / "two words.md").write_text("```\ncode\n```\n")
    (tmp_path / "in" / "long.txt").write_text("line\n" * 3_000)
    (tmp_path / "in" / "picture.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "secret").write_text("outside")
    return Workspace.at(tmp_path / "in")


def test_a_short_file_is_put_in(workspace: Workspace) -> None:
    found = expanded("Look at @a.py, please.", workspace)

    assert found.text == "Look at @a.py, please.\n\n[context: the file a.py, 1 line, as it is now]\n```\nx = 1\n```"
    assert found.notes == ("@a.py: 1 line put in",)


def test_a_name_with_spaces_is_quoted_and_a_fence_is_longer_than_those_inside(workspace: Workspace) -> None:
    assert expanded('See @"two words.md"', workspace).text.endswith("\n````\n```\ncode\n```\n````")


@pytest.mark.parametrize(("name", "words"), [("long.txt", "3,000 lines"), ("picture.png", "picture.png]")])
def test_what_is_too_long_or_no_text_is_only_named(workspace: Workspace, name: str, words: str) -> None:
    found = expanded(f"See @{name}", workspace)

    assert found.text.endswith("]")
    assert words in found.text
    assert "named" in found.notes[0]


@pytest.mark.parametrize("text", ["mail me@example.org", "@nowhere.py", "@../secret", "a decorator: @property", "@"])
def test_what_names_no_file_of_the_workspace_stays_as_it_is(workspace: Workspace, text: str) -> None:
    assert expanded(text, workspace).text == text
