"""What the repository must not carry, and what its own records must agree on."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.architecture.sources import files
from tests.shared import REPOSITORY

# Patterns, written so that none of them finds itself.
MACHINE_PATH = re.compile(rb"(?<![\w.~/-])/(?:root|home|work)/[\w.]")
REGISTRY = re.compile(
    rb"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|yarnpkg\.com|crates\.io|proxy\.golang\.org|deb\.debian\.org"
)
LOCKS_WITH_ADDRESSES = {"uv.lock", "pylock.toml", "poetry.lock", "Pipfile.lock"}

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
REQUIREMENTS = sorted((REPOSITORY / "requirements").glob("*.txt"))
PIN = re.compile(r"^(?P<name>[a-z0-9][a-z0-9-]*)==(?P<version>[^\s;\\]+)", re.MULTILINE)


def found(pattern: re.Pattern[bytes]) -> list[str]:
    return [
        f"{path.relative_to(REPOSITORY)}:{number}"
        for path in files()
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1)
        if pattern.search(line)
    ]


def pins(name: str) -> set[tuple[str, str]]:
    text = (REPOSITORY / "requirements" / name).read_text()
    return {(match["name"], match["version"]) for match in PIN.finditer(text)}


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    assert found(MACHINE_PATH) == []


def test_no_file_names_a_package_registry() -> None:
    assert found(REGISTRY) == []


def test_there_is_no_lock_file_that_holds_addresses() -> None:
    assert [path.name for path in files() if path.name in LOCKS_WITH_ADDRESSES] == []


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_requirements_are_pinned_hashed_and_free_of_addresses(path: Path) -> None:
    text = path.read_text()
    requirements = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and line.strip()[0] != "#"]
    assert requirements
    unpinned = [line for line in requirements if not PIN.match(line) or "--hash=sha256:" not in line]
    assert unpinned == []
    assert not re.search(r"://|--(?:extra-)?index-url|--find-links|--trusted-host", text)


def test_the_demo_runs_on_the_versions_that_the_tests_ran_on() -> None:
    assert pins("demo.txt") <= pins("dev.txt")


def test_every_declared_dependency_is_pinned() -> None:
    groups = [*PROJECT["project"]["optional-dependencies"].values(), *PROJECT["dependency-groups"].values()]
    declared = [line for group in [PROJECT["project"]["dependencies"], *groups] for line in group]
    wanted = {re.split(r"[\[<>=!~; ]", line)[0] for line in declared if isinstance(line, str)} - {"unabridged"}
    pinned = {name for path in REQUIREMENTS for name, _ in pins(path.name)}
    assert wanted <= pinned


def test_the_changelog_speaks_of_the_version_being_built() -> None:
    version = PROJECT["project"]["version"]
    changelog = (REPOSITORY / "CHANGELOG.md").read_text()
    assert re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.]*\d)", changelog)
