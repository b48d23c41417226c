"""`unabridged sessions` from outside: pages, searching, places, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sessions.stored import run, told, worked
from unabridged.store import open_store
from unabridged.store.place import chosen_place, shown_place


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    with open_store(path) as store:
        for number in range(5):
            store.project("default").create(id=f"s{number}", title=f"Session {number}")
        worked(store.project("default"), "busy", steps=2)
        store.project("web").create(id="elsewhere")
    return path


def ids(stdout: str) -> list[str]:
    return [line.split()[0] for line in stdout.splitlines()]


def test_the_newest_session_comes_first(place: Path) -> None:
    said = run("sessions", "--store", place)

    assert (said.exit_code, said.stderr) == (0, "")
    assert ids(said.stdout) == ["busy", "s4", "s3", "s2", "s1", "s0"]
    assert "Fix the build" in said.stdout.splitlines()[0]


def test_pages_follow_each_other(place: Path) -> None:
    first = run("sessions", "--store", place, "--limit", "2")
    assert ids(first.stdout) == ["busy", "s4"]
    assert first.stderr == "more: --after s4\n"
    second = run("sessions", "--store", place, "--limit", "4", "--after", "s4")
    assert ids(second.stdout) == ["s3", "s2", "s1", "s0"]
    assert second.stderr == ""


def test_json_is_one_object_a_session(place: Path) -> None:
    records = told(run("sessions", "--store", place, "--json"))
    assert [record["id"] for record in records] == ["busy", "s4", "s3", "s2", "s1", "s0"]
    assert records[-1] | {"created": "", "updated": ""} == {
        "project": "default",
        "id": "s0",
        "title": "Session 0",
        "created": "",
        "updated": "",
        "entries": 0,
    }
    assert records[0]["entries"] > 0


def test_a_project_has_its_own(place: Path) -> None:
    assert ids(run("sessions", "--store", place, "--project", "web").stdout) == ["elsewhere"]
    none = run("sessions", "--store", place, "--project", "nobody")
    assert (none.exit_code, none.stdout) == (0, "")
    assert none.stderr == "no sessions in project nobody: the store has default, web\n"


def test_words_are_searched_with_or_without_quotes(place: Path) -> None:
    for query in (["test", "groß"], ["test groß"], ["Fix the bui"]):
        said = run("sessions", *query, "--store", place)
        assert said.exit_code == 0
        assert ids(said.stdout)[0] == "busy"
    (message,) = told(run("sessions", "bitte", "--store", place, "--json"))
    assert (message["session"], message["seq"]) == ("busy", 0)
    assert "bitte mit Größe" in message["snippet"]
    assert run("sessions", "bitte", "--store", place, "--project", "web").stdout == ""


def test_what_is_nowhere_is_said(place: Path) -> None:
    said = run("sessions", "zebra", "--store", place)
    assert (said.exit_code, said.stdout) == (0, "")
    assert "nothing holds these words" in said.stderr


def test_a_title_cannot_draw_on_the_terminal(place: Path) -> None:
    with open_store(place) as store:
        store.project("default").rename("s0", "\x1b[31mred\nand more")
    line = run("sessions", "--store", place).stdout.splitlines()[-1]
    assert "\x1b" not in line
    assert line.endswith("and more")


@pytest.mark.parametrize("command", [["sessions"], ["show", "s0"], ["doctor"], ["erase", "s0", "--yes"]])
def test_where_no_store_is_none_is_made(tmp_path: Path, command: list[str]) -> None:
    missing = tmp_path / "deep" / "missing.db"
    said = run(*command, "--store", missing)

    assert (said.exit_code, said.stdout) == (1, "")
    assert len(said.stderr.splitlines()) == 1
    assert f"--into {missing}" in said.stderr
    assert not missing.parent.exists()


def test_a_file_that_is_no_store_is_one_line(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("Dear diary " * 100)
    said = run("sessions", "--store", other)

    assert (said.exit_code, said.stdout) == (1, "")
    assert len(said.stderr.splitlines()) == 1
    assert other.read_text() == "Dear diary " * 100


def test_a_session_to_go_on_behind_must_be_there(place: Path) -> None:
    said = run("sessions", "--store", place, "--after", "nobody")
    assert (said.exit_code, said.stderr) == (1, "no session 'nobody' in project 'default' to go on behind\n")


@pytest.mark.parametrize("options", [["--limit", "0"], ["words", "--after", "s1"], ["--limit", "x"]])
def test_options_that_cannot_work_exit_with_2(place: Path, options: list[str]) -> None:
    assert run("sessions", "--store", place, *options).exit_code == 2


def test_the_place_is_given_or_in_the_environment_or_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("UNABRIDGED_STORE", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert chosen_place() == f"{tmp_path}/.local/share/unabridged/sessions.db"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert chosen_place() == f"{tmp_path}/.local/share/unabridged/sessions.db"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert chosen_place("default") == f"{tmp_path}/data/unabridged/sessions.db"
    monkeypatch.setenv("UNABRIDGED_STORE", "elsewhere.db")
    assert chosen_place() == "elsewhere.db"
    assert chosen_place("here.db") == "here.db"


def test_the_environment_names_the_store(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNABRIDGED_STORE", str(place))
    assert len(run("sessions").stdout.splitlines()) == 6


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("postgresql://me:secret@host:5432/db", "postgresql://me@host:5432/db"),
        ("postgres://me:s%40cret@host/db", "postgres://me@host/db"),
        ("postgresql://host/db?user=me&password=secret&sslpassword=secret", "postgresql://host/db?user=me"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://me:secret@[bad/db", "postgresql://..."),
        ("folder/sessions.db", "folder/sessions.db"),
    ],
)
def test_no_place_is_shown_with_its_password(place: str, shown: str) -> None:
    assert shown_place(place) == shown


@pytest.mark.parametrize(
    "place",
    [
        "postgresql://me:hunter2@127.0.0.1:1/db?connect_timeout=1",
        "postgresql://me:hunter2@127.0.0.1:nan/db",
        "mysql://me:hunter2@host/db",
    ],
)
def test_a_database_that_is_not_there_is_one_line_without_the_password(place: str) -> None:
    said = run("sessions", "--store", place)

    assert (said.exit_code, said.stdout) == (1, "")
    assert len(said.stderr.splitlines()) == 1
    assert "hunter2" not in said.stderr


WITHOUT_DRIVER = """
import sys

class NoDriver:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"psycopg", "psycopg_pool"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoDriver())
from unabridged.cli import main
main()
"""


def test_sqlite_needs_no_driver_and_postgresql_says_what_to_install(place: Path) -> None:
    def without_driver(store: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", WITHOUT_DRIVER, "sessions", "--store", str(store)]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))

    assert without_driver(place).returncode == 0
    said = without_driver("postgresql://host/db")
    assert said.returncode == 1
    assert said.stderr == "PostgreSQL needs psycopg: pip install 'unabridged[postgres]'\n"
