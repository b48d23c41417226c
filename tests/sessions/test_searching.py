"""`unabridged search`: hits where they stand, from files and from stored sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sessions.stored import run, told
from unabridged import Conversation
from unabridged.store import open_store

LINES = (
    {"role": "user", "content": "Where does the bus to the lake stop?"},
    {"role": "assistant", "content": "At the green house."},
    {"role": "user", "content": "Thanks. Now fix read_file in src/app.py, please."},
    {"role": "assistant", "content": "Done."},
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(LINES))
    return path


def test_a_hit_is_shown_between_its_neighbours(file: Path) -> None:
    result = run("search", file, "green house", "--limit", 1)
    assert result.exit_code == 0
    lines = [line.strip() for line in result.stdout.splitlines() if line]
    assert lines[0].endswith("talk.json [1] assistant")
    assert lines[1] == "user: Where does the bus to the lake stop?"
    assert lines[2] == "At the green house."
    assert lines[3] == "user: Thanks. Now fix read_file in src/app.py, please."


@pytest.mark.parametrize("query", ["readFile", "app.py", "fixing files read"])
def test_names_and_files_are_found(file: Path, query: str) -> None:
    assert told(run("search", file, query, "--json", "--limit", 1))[0]["number"] == 2


def test_json_leads_back_to_the_exact_text(file: Path) -> None:
    (hit,) = told(run("search", file, "lake bus", "--json", "--limit", 1))
    assert hit["text"] == LINES[0]["content"][hit["start"] : hit["end"]]
    assert hit["source"] == str(file)
    assert hit["role"] == "user"


def test_a_stored_session_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with open_store(place) as store:
        talk = Conversation(model="m", log=store.project("default").create(id="abcdef").log)
        talk.user("The password rule is twelve signs.")
    (hit,) = told(run("search", "abcd", "password rules", "--store", place, "--json"))
    assert hit["source"] == "abcdef"
    assert hit["text"] == "The password rule is twelve signs."


def test_several_sources_are_ranked_together(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps([{"role": "user", "content": "A house by the lake."}]))
    assert {hit["source"] for hit in told(run("search", file, other, "house", "--json"))} == {str(file), str(other)}


def test_nothing_found_is_said_aside(file: Path) -> None:
    result = run("search", file, "gallimaufry")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "nothing found in 1 conversation" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("search", "words"), 2, "what to look for last"),
        (("search", "nowhere.json", "words"), 1, "nowhere.json: there is no such file"),
        (("search", "abcd", "words", "--store", "nowhere.db"), 1, "nowhere.db"),
    ],
)
def test_what_cannot_be_searched_is_named(arguments: tuple[str, ...], code: int, said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == code
    assert said in " ".join(result.stderr.replace("│", " ").split())


def test_what_was_meant_is_found_where_that_is_asked_for(file: Path) -> None:
    query = "Otobüs nerede duruyor?"
    assert told(run("search", file, query, "--json")) == []
    (hit,) = told(run("search", file, query, "--json", "--dense", "--limit", 1))
    assert hit["text"] == LINES[0]["content"]
