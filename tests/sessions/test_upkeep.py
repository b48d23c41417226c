"""`unabridged doctor`, `backup`, `move` and `erase` from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.stored import damage, run, told, worked
from unabridged.store import open_store


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    with open_store(path) as store:
        worked(store.project("default"), "a", steps=4)
        worked(store.project("default"), "b", steps=1)
        worked(store.project("web"), "a", steps=2)
    return path


def entries(place: Path, project: str, session: str) -> object:
    with open_store(place) as store:
        return store.project(project).open(session).log.entries


class TestDoctor:
    def test_a_whole_store_exits_with_0(self, place: Path) -> None:
        said = run("doctor", "--store", place)

        assert (said.exit_code, said.stderr) == (0, "")
        assert said.stdout.startswith(f"{place}: 3 sessions, entries: ")
        assert said.stdout.endswith(", all whole\n")

    def test_damage_is_named_with_its_place_and_what_to_do(self, place: Path) -> None:
        damage(place, "entries", "UPDATE entries SET payload = '{' WHERE session = 3 AND seq = 2")
        said = run("doctor", "--store", place, width=200)

        assert (said.exit_code, said.stderr) == (1, "")
        first, remedy, last = said.stdout.splitlines()
        assert first.startswith("project web, session a, entry 2: an entry cannot be read")
        assert remedy.strip() == "export the session to keep what can be read, and bring it back from a backup"
        assert last.endswith("1 damage")

    def test_json_names_each_damage_and_ends_with_what_it_came_to(self, place: Path) -> None:
        damage(place, "entries", "DELETE FROM entries WHERE session = 1 AND seq = 2")
        said = run("doctor", "--store", place, "--json")

        assert said.exit_code == 1
        found, summary = told(said)
        assert (found["damage"], found["project"], found["session"], found["seq"]) == ("gap", "default", "a", 2)
        assert found["meaning"]
        assert found["remedy"]
        assert (summary["sessions"], summary["whole"], summary["damages"]) == (3, False, 1)

    def test_bytes_that_nobody_uses_are_named_and_no_damage(self, place: Path) -> None:
        damage(place, "blobs", "INSERT INTO blobs (project, digest, data) VALUES ('web', x'aa', x'bb')")
        said = run("doctor", "--store", place)

        assert said.exit_code == 0
        assert "they take room and do no harm" in said.stdout

    def test_one_project_can_be_examined(self, place: Path) -> None:
        damage(place, "entries", "DELETE FROM entries WHERE session = 1 AND seq = 2")

        assert run("doctor", "--store", place, "--project", "web").exit_code == 0
        assert run("doctor", "--store", place, "--project", "default").exit_code == 1
        said = run("doctor", "--store", place, "--project", "nobody", width=200)
        assert (said.exit_code, said.stdout) == (1, "")
        assert said.stderr == "the store has no session in project 'nobody': it has default, web\n"

    def test_show_of_a_damaged_session_is_one_line(self, place: Path) -> None:
        damage(place, "entries", "UPDATE entries SET payload = '{' WHERE session = 1 AND seq = 2")
        said = run("show", "a", "--store", place)

        assert (said.exit_code, said.stdout) == (1, "")
        assert len(said.stderr.splitlines()) == 1
        assert "unabridged doctor" in said.stderr


class TestMend:
    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        path = tmp_path / "sessions.db"
        with open_store(path) as store:
            for id in ("a", "b"):
                worked(store.project("default"), id, archived=True)
        return path

    def test_a_damaged_archive_is_named_and_left_as_it_is(self, place: Path) -> None:
        assert run("doctor", "--store", place).exit_code == 0
        damage(place, "entries", "DELETE FROM archived WHERE session = 2")
        said = run("doctor", "--store", place, width=200)

        assert said.exit_code == 1
        first, remedy = said.stdout.splitlines()[:2]
        assert first.startswith("project default, session b, entry ")
        assert "the archive is damaged, or does not agree with the log, which it is made from (segment " in first
        assert remedy.strip() == "`unabridged doctor --mend` makes it anew from the log"
        assert run("doctor", "--store", place, width=200).stdout == said.stdout

    def test_mend_makes_it_anew_and_touches_nothing_else(self, place: Path) -> None:
        before = [entries(place, "default", id) for id in ("a", "b")]
        damage(place, "entries", "DELETE FROM archive_segments WHERE session = 2")
        *found, summary = told(run("doctor", "--mend", "--store", place, "--json"))

        assert {each["damage"] for each in found} == {"archive", "archive_left"}
        assert summary["whole"]
        assert summary["damages"] == summary["mended"] == len(found)
        said = run("doctor", "--store", place)
        assert (said.exit_code, said.stdout.rpartition(", ")[2]) == (0, "all whole\n")
        assert [entries(place, "default", id) for id in ("a", "b")] == before

    def test_what_is_not_of_the_archive_is_not_mended(self, place: Path) -> None:
        damage(place, "entries", "UPDATE entries SET payload = '{' WHERE session = 1 AND seq = 2")
        damage(place, "entries", "DELETE FROM archived WHERE session = 1")
        assert run("doctor", "--mend", "--store", place).exit_code == 1

        *found, summary = told(run("doctor", "--store", place, "--json"))
        assert [each["damage"] for each in found] == ["unreadable"]
        assert (summary["whole"], summary["damages"], summary["mended"]) == (False, 1, 0)


class TestBackup:
    def test_it_is_a_store_of_its_own(self, place: Path, tmp_path: Path) -> None:
        copy = tmp_path / "backup.db"
        said = run("backup", copy, "--store", place)

        assert (said.exit_code, said.stderr) == (0, "")
        assert said.stdout == f"{copy}: 3 sessions, {copy.stat().st_size:,} bytes\n"
        assert entries(copy, "web", "a") == entries(place, "web", "a")
        assert run("doctor", "--store", copy).exit_code == 0

    def test_json_says_what_was_written(self, place: Path, tmp_path: Path) -> None:
        copy = tmp_path / "backup.db"
        (record,) = told(run("backup", copy, "--store", place, "--json"))
        assert record == {"store": str(place), "file": str(copy), "sessions": 3, "bytes": copy.stat().st_size}

    def test_nothing_is_written_over(self, place: Path) -> None:
        said = run("backup", place, "--store", place, width=200)
        assert (said.exit_code, said.stdout) == (1, "")
        assert said.stderr == f"{place} is there already: a backup goes into a new file\n"

    def test_a_folder_that_is_not_there_is_one_line(self, place: Path, tmp_path: Path) -> None:
        said = run("backup", tmp_path / "no" / "b.db", "--store", place)
        assert said.exit_code == 1
        assert len(said.stderr.splitlines()) == 1


class TestMove:
    def test_every_session_is_in_the_other_store_and_in_this_one(self, place: Path, tmp_path: Path) -> None:
        other = tmp_path / "deep" / "other.db"
        said = run("move", other, "--store", place)

        assert (said.exit_code, said.stderr) == (0, "")
        assert [line.partition(":")[0] for line in said.stdout.splitlines()[:3]] == ["default/a", "default/b", "web/a"]
        assert f"3 of 3 sessions in {other}, digests as they were; entries copied just now: " in said.stdout
        for project, session in (("default", "a"), ("default", "b"), ("web", "a")):
            assert entries(other, project, session) == entries(place, project, session)

    def test_once_more_brings_only_what_is_new(self, place: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.db"
        run("move", other, "--store", place)
        records = told(run("move", other, "--store", place, "--json"))

        assert [(record["session"], record["copied"], record["problem"]) for record in records] == [
            ("a", 0, ""),
            ("b", 0, ""),
            ("a", 0, ""),
        ]

    def test_a_session_that_cannot_be_copied_stops_no_other(self, place: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.db"
        with open_store(other) as store:
            worked(store.project("default"), "a", steps=1)
        said = run("move", other, "--store", place, width=200)

        assert said.exit_code == 1
        (problem,) = said.stderr.splitlines()
        assert problem.startswith("default/a: session 'a' is in the target already, and is another there")
        assert "2 of 3 sessions" in said.stdout
        assert entries(other, "web", "a") == entries(place, "web", "a")

    def test_one_project_can_be_moved(self, place: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.db"
        assert run("move", other, "--store", place, "--project", "web").exit_code == 0
        with open_store(other) as store:
            assert store.projects() == ["web"]

    def test_a_store_does_not_go_into_itself(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(place.parent)
        said = run("move", place.name, "--store", place, width=200)
        assert (said.exit_code, said.stderr) == (1, f"{place.name} is the store itself: name another\n")


class TestErase:
    def test_it_asks_and_erases_on_a_yes(self, place: Path) -> None:
        said = run("erase", "b", "--store", place, typed="y\n")

        assert said.exit_code == 0
        assert "Erase session b (Fix the build, " in said.stderr
        assert "erased b (Fix the build, " in said.stdout
        assert "no session 'b'" in run("show", "b", "--store", place).stderr

    @pytest.mark.parametrize("typed", ["n\n", "\n", ""])
    def test_anything_else_erases_nothing(self, place: Path, typed: str) -> None:
        before = entries(place, "default", "a")
        said = run("erase", "a", "--store", place, typed=typed)

        assert said.exit_code == 1
        assert "erased a" not in said.stdout
        assert entries(place, "default", "a") == before

    def test_with_yes_nobody_is_asked(self, place: Path) -> None:
        (record,) = told(run("erase", "a", "--store", place, "--project", "web", "--yes", "--json"))

        assert (record["project"], record["session"]) == ("web", "a")
        with open_store(place) as store:
            assert store.projects() == ["default"]
            assert store.project("default").has("a")

    def test_unasked_the_whole_id_is_needed(self, place: Path) -> None:
        with open_store(place) as store:
            store.project("default").create(id="abcdef")
        said = run("erase", "abcd", "--yes", "--store", place, width=200)

        assert said.exit_code == 1
        assert said.stderr == "the session is abcdef: whoever is not asked gives the whole id\n"
        assert run("erase", "abcd", "--store", place, typed="y\n").exit_code == 0

    def test_a_session_that_is_not_there_is_one_line(self, place: Path) -> None:
        said = run("erase", "nobody", "--yes", "--store", place, width=200)
        assert (said.exit_code, said.stdout) == (1, "")
        assert said.stderr == "no session 'nobody' in project 'default': `unabridged sessions` lists them\n"


@pytest.mark.parametrize("command", ["sessions", "show", "hide", "doctor", "backup", "move", "erase"])
def test_the_help_fits_and_names_the_exit_codes(command: str) -> None:
    said = run(command, "--help")

    assert said.exit_code == 0
    assert max(map(len, said.stdout.splitlines())) <= 80
    for words in ("--store", "--json", "Exit code"):
        assert words in said.stdout
