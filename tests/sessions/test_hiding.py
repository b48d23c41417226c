"""`unabridged hide` from outside, and what each search says afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.stored import run, told
from unabridged import Conversation
from unabridged.store import open_store


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A session of four messages; the third is the one to hide."""
    path = tmp_path / "sessions.db"
    with open_store(path) as store:
        talk = Conversation(model="m", window=8_000, log=store.project("default").create(id="s-1").log)
        for text in ("The kite is red.", "And the sky?", "The boat is a secret of mine.", "Nothing else."):
            talk.user(text)
    return path


def ids(place: Path) -> list[str]:
    with open_store(place) as store:
        log = store.project("default").open("s-1").log
        return [record.message.id for record in Conversation(model="m", log=log).transcript.records]


def searched(place: Path, query: str, source: object = "s-1") -> str:
    return run("search", source, query, "--store", place, width=200).stdout


def test_no_search_finds_it_nor_shows_it_beside_a_hit(place: Path) -> None:
    boat = ids(place)[2]
    assert "secret" in searched(place, "secret boat")
    said = run("hide", "s-1", boat, "--store", place, width=200)

    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout == f"message {boat} is hidden on branch main: no search finds it, and the log keeps it\n"
    assert "secret" not in searched(place, "secret boat")
    assert "Nothing else." in searched(place, "nothing")
    assert "secret" not in searched(place, "nothing sky")
    assert run("sessions", "secret", "--store", place).stdout == ""
    numbers = [each["number"] for each in told(run("search", "s-1", "nothing", "--store", place, "--json"))]
    assert numbers[0] == 3


def test_undo_has_it_found_again(place: Path) -> None:
    boat = ids(place)[2]
    run("hide", "s-1", boat, "--store", place)
    said = run("hide", "s-1", boat, "--undo", "--store", place, width=200)

    assert said.stdout == f"message {boat} is found again on branch main\n"
    assert "secret" in searched(place, "secret boat")
    assert "secret" in run("sessions", "secret", "--store", place).stdout


def test_once_more_says_that_it_is_so(place: Path) -> None:
    boat, last = ids(place)[2:]
    run("hide", "s-1", boat, "--store", place)
    said = run("hide", "s-1", boat, last, "--store", place, width=200)
    assert said.stdout.splitlines()[0] == f"message {boat} is hidden already"
    assert said.stdout.splitlines()[1].startswith(f"message {last} is hidden on branch main")
    assert run("hide", "s-1", ids(place)[0], "--undo", "--store", place, width=200).stdout.endswith(" is not hidden\n")


def test_json_says_what_holds_and_what_is_news(place: Path) -> None:
    boat, last = ids(place)[2:]
    run("hide", "s-1", boat, "--store", place)
    records = told(run("hide", "s-1", boat, last, "--store", place, "--json"))
    common = {"project": "default", "session": "s-1", "branch": "main", "hidden": True}
    assert records == [common | {"message": boat, "changed": False}, common | {"message": last, "changed": True}]


def test_show_lists_what_is_hidden_and_shows_it_all_the_same(place: Path) -> None:
    boat = ids(place)[2]
    assert "hidden from searches" not in run("show", "s-1", "--store", place).stdout
    run("hide", "s-1", boat, "--store", place)

    assert f"hidden from searches: {boat}" in run("show", "s-1", "--store", place, width=200).stdout
    (record,) = told(run("show", "s-1", "--store", place, "--json"))
    assert record["hidden"] == [boat]
    assert run("show", "s-1", "--why", boat, "--store", place).exit_code == 0


def test_one_that_is_not_there_hides_nothing(place: Path) -> None:
    boat = ids(place)[2]
    said = run("hide", "s-1", boat, "nobody", "--store", place, width=200)

    assert (said.exit_code, said.stdout) == (1, "")
    where = "on branch main of session s-1"
    assert said.stderr == f"no message 'nobody' {where}: `unabridged search --json` gives ids\n"
    assert "secret" in searched(place, "secret boat")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["nobody", "m"], 1), (["s-1", "m", "--branch", "nowhere"], 1), (["s-1"], 2), (["s-1", "m", "--unknown"], 2)],
)
def test_what_cannot_work_is_said_by_the_exit_code(place: Path, arguments: list[str], code: int) -> None:
    said = run("hide", *arguments, "--store", place)
    assert (said.exit_code, said.stdout) == (code, "")
    assert code == 2 or len(said.stderr.splitlines()) == 1


def test_a_branch_can_be_named(place: Path) -> None:
    boat = ids(place)[2]
    with open_store(place) as store:
        log = store.project("default").open("s-1").log
        Conversation(model="m", log=log).transcript.branch_from(boat, why="fork")
    assert run("hide", "s-1", boat, "--branch", "main", "--store", place).exit_code == 0
    assert "secret" in searched(place, "secret boat")  # of the newest branch, which was there before
    assert run("hide", "s-1", boat, "--store", place).exit_code == 0
    assert "secret" not in searched(place, "secret boat")
    assert "kite" in searched(place, "kite")


def test_it_stays_hidden_in_a_file_and_in_another_store(place: Path, tmp_path: Path) -> None:
    boat = ids(place)[2]
    run("hide", "s-1", boat, "--store", place)
    log, other, back = tmp_path / "log.jsonl", tmp_path / "other.db", tmp_path / "back.db"
    assert run("export", "s-1", "--from", place, "--to", "log", "-o", log).exit_code == 0
    assert "secret of mine" in log.read_text()
    assert "secret" not in searched(place, "secret boat", log)
    assert "kite" in searched(place, "red kite", log)
    assert run("move", other, "--store", place).exit_code == 0
    assert run("import", log, "--into", back).exit_code == 0
    for there in (other, back):
        assert "secret" not in searched(there, "secret boat")
        assert run("sessions", "secret", "--store", there).stdout == ""
        assert run("doctor", "--store", there).exit_code == 0


def test_a_log_that_lost_a_line_is_imported_with_what_is_hidden_in_it(place: Path, tmp_path: Path) -> None:
    run("hide", "s-1", ids(place)[2], "--store", place)
    log, other = tmp_path / "log.jsonl", tmp_path / "other.db"
    assert run("export", "s-1", "--from", place, "--to", "log", "-o", log).exit_code == 0
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    assert run("import", log, "--into", other).exit_code == 0
    assert "kite" in searched(other, "red kite")
    assert "secret" not in searched(other, "secret boat")


def test_other_formats_still_hold_it(place: Path, tmp_path: Path) -> None:
    run("hide", "s-1", ids(place)[2], "--store", place)
    out = tmp_path / "rollout.jsonl"
    assert run("export", "s-1", "--from", place, "--to", "codex", "-o", out).exit_code == 0
    assert "secret of mine" in out.read_text()
