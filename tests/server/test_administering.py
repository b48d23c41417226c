"""`unabridged keys` and `unabridged projects`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.server.scene import scene
from unabridged.cli import application
from unabridged.store import open_store
from unabridged.testing import FakeProvider, Scripted


class Shell:
    """Types commands for one database."""

    def __init__(self, place: str) -> None:
        self._place = place

    def types(self, *words: str, stdin: str = "") -> Result:
        return CliRunner().invoke(application(), [*words, "--database", self._place], input=stdin)

    def says(self, *words: str, stdin: str = "") -> str:
        said = self.types(*words, stdin=stdin)
        assert said.exit_code == 0, said.output
        return said.stdout

    def fails(self, *words: str, stdin: str = "") -> str:
        said = self.types(*words, stdin=stdin)
        assert (said.exit_code, said.stdout) == (1, "")
        assert len(said.stderr.splitlines()) == 1
        return said.stderr


@pytest.fixture
def shell(place: str) -> Shell:
    made = Shell(place)
    made.says("projects", "create", "shop")
    return made


def test_a_key_stands_alone_on_stdout_and_works_until_it_is_revoked(place: str, shell: Shell) -> None:
    made = shell.types("keys", "create", "--project", "shop", "--owner", "bob", "--label", "phone")
    key = made.stdout.strip()
    assert key.startswith("ub_")
    assert key not in made.stderr
    (listed,) = map(json.loads, shell.says("keys", "list", "--project", "shop", "--json").splitlines())
    assert (listed["owner"], listed["label"]) == ("bob", "phone")
    assert key not in shell.says("keys", "list", "--project", "shop")

    provider = FakeProvider(Scripted(["Fine."]))
    with open_store(place) as store, scene(store, provider) as served, served.client(key) as client:
        before = client.post("/chat", json={"message": "Hello", "stream": False}).status_code
        shell.says("keys", "revoke", listed["id"])
        after = client.post("/chat", json={"message": "Hello"}).status_code

    assert (before, after) == (200, 401)
    assert shell.says("keys", "list", "--project", "shop") == ""
    assert "ended" in shell.says("keys", "list", "--project", "shop", "--expired")


def test_a_key_is_replaced_with_its_limits(shell: Shell) -> None:
    limits = ("--turns-per-minute", "3", "--spend-per-day", "0.5")
    old = json.loads(shell.says("keys", "create", "--project", "shop", "--days", "2", *limits, "--json"))

    new = json.loads(shell.says("keys", "rotate", old["id"], "--overlap", "60", "--json"))

    assert new["key"] != old["key"]
    assert new["limits"] == {"turnsPerMinute": 3, "spendPerDay": 0.5}
    assert new["expires"] == old["expires"]


def test_an_admins_keys_are_listed_apart(shell: Shell) -> None:
    shell.says("keys", "create", "--admin")

    assert " admin" in shell.says("keys", "list", "--admin")
    assert shell.says("keys", "list", "--project", "shop") == ""
    assert "end user" in shell.fails("keys", "create", "--admin", "--owner", "bob")


def test_settings_are_shown_changed_and_restored(shell: Shell, tmp_path: Path) -> None:
    change = tmp_path / "change.json"
    change.write_text('{"policy": {"strategy": "summarize"}}')
    first = json.loads(shell.says("projects", "settings", "shop"))

    merged = json.loads(shell.says("projects", "settings", "shop", "--merge", str(change), "--seen", "1"))
    replaced = json.loads(shell.says("projects", "settings", "shop", "--replace", "-", stdin='{"waitS": 3}'))
    stale = shell.fails("projects", "settings", "shop", "--merge", str(change), "--seen", "1")
    restored = json.loads(shell.says("projects", "settings", "shop", "--restore", "1"))

    assert (merged["policy"]["strategy"], merged["waitS"]) == ("summarize", 60.0)
    assert (replaced["policy"]["strategy"], replaced["waitS"]) == ("trim", 3.0)
    assert "version 3" in stale
    assert restored == first
    assert json.loads(shell.says("projects", "settings", "shop", "--version", "2")) == merged
    versions = [json.loads(line) for line in shell.says("projects", "versions", "shop", "--json").splitlines()]
    assert [(each["version"], each["made_by"]) for each in versions] == [(n, "command line") for n in (4, 3, 2, 1)]


def test_what_cannot_work_is_said_in_a_line(shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    config.write_text('[models.chat]\nmodel = "m"\n')

    def merged(text: str) -> str:
        return shell.fails("projects", "settings", "shop", "--merge", "-", "--config", str(config), stdin=text)

    assert "`model`" in merged('{"model": "other"}')
    assert "`threshold`" in merged('{"policy": {"threshold": 80}}')
    assert "no JSON" in merged("{")
    assert "nowhere" in shell.fails("keys", "create", "--project", "nowhere")
    assert "already" in shell.fails("projects", "create", "shop")
    assert "no key" in shell.fails("keys", "revoke", "0")
    assert shell.types("projects", "settings", "shop", "--version", "1", "--restore", "1").exit_code == 2


def test_a_project_is_closed_by_who_is_sure(shell: Shell) -> None:
    assert shell.types("projects", "close", "shop", stdin="n\n").exit_code == 1
    assert "shop" in shell.says("projects", "list")

    shell.says("projects", "close", "shop", stdin="y\n")

    assert shell.says("projects", "list") == ""
    assert "shop" in shell.fails("projects", "settings", "shop")


def test_who_only_looks_makes_no_database(tmp_path: Path) -> None:
    assert "no database" in Shell(str(tmp_path / "none.db")).fails("projects", "list")
    assert list(tmp_path.iterdir()) == []
