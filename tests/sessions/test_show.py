"""`unabridged show` from outside: the steps of a session, any request of the past, the fate of a message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sessions.stored import run, told, worked
from unabridged import Conversation
from unabridged.fitted import Fitted
from unabridged.log import Log
from unabridged.policy import Policy
from unabridged.store import open_store
from unabridged.testing.notation import say

STEPS = 34


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Fitted]]:
    path = tmp_path_factory.mktemp("show") / "sessions.db"
    with open_store(path) as store:
        project = store.project("default")
        sent = worked(project, "s", steps=STEPS)
        log = project.open("s").log
        talk = Conversation(model="gpt-5", window=8_000, log=log)
        talk.transcript.branch_from(talk.transcript.records[2].message.id, why="rewind")
        say(Conversation(model="gpt-5", window=8_000, log=log), "U:again A:done")
        project.create(id="empty")
    return path, sent


def show(stored: tuple[Path, list[Fitted]], *options: object, width: int = 80) -> str:
    said = run("show", "s", "--store", stored[0], *options, width=width)
    assert (said.exit_code, said.stderr) == (0, "")
    assert "\x1b" not in said.stdout
    return said.stdout


def test_the_overview_has_the_branches_and_a_line_for_each_step(stored: tuple[Path, list[Fitted]]) -> None:
    shown = show(stored, "--branch", "main", width=160)

    assert "Fix the build" in shown
    assert "branches: main; branch-1 (from main, entry " in shown
    assert f"branch main: {STEPS + 1} steps" in shown
    rows = [line.split() for line in shown.splitlines() if line.strip()[:1].isdigit()]
    assert [row[0] for row in rows] == [str(number) for number in range(1, STEPS + 2)]
    for row, fitted in zip(rows, stored[1], strict=False):
        price = fitted.sent.price
        assert row[2:5] == [f"{price:,}", f"{price // 2:,}", "20"]
        assert ("threshold" in row) == (fitted.report is not None and fitted.checkpoint is not None)
    assert rows[-1][2].startswith("~")
    assert "not answered" in shown


def test_the_newest_branch_is_shown_where_none_is_named(stored: tuple[Path, list[Fitted]]) -> None:
    assert "branch branch-1: 2 steps" in show(stored)


def test_everything_fits_a_terminal_of_80_columns(stored: tuple[Path, list[Fitted]]) -> None:
    assert max(map(len, show(stored, "--branch", "main").splitlines())) <= 80


def test_steps_are_listed_by_pages(stored: tuple[Path, list[Fitted]]) -> None:
    said = run("show", "s", "--store", stored[0], "--branch", "main", "--limit", "3", "--json")
    (record,) = told(said)
    assert [step["number"] for step in record["listed"]] == [STEPS - 1, STEPS, STEPS + 1]
    said = run("show", "s", "--store", stored[0], "--branch", "main", "--limit", "3", "--before", "19")
    assert said.stderr == "earlier steps: --before 16\n"


def test_the_overview_as_json(stored: tuple[Path, list[Fitted]]) -> None:
    (record,) = told(run("show", "s", "--store", stored[0], "--branch", "main", "--json"))

    assert (record["id"], record["title"], record["project"]) == ("s", "Fix the build", "default")
    assert [branch["name"] for branch in record["branches"]] == ["main", "branch-1"]
    assert (record["branch"], record["steps"]) == ("main", STEPS + 1)
    for step, fitted in zip(record["listed"], stored[1], strict=False):
        assert (step["tokens"], step["estimated"], step["model"]) == (fitted.sent.price, False, "gpt-5")
        assert len(step["reports"]) == (fitted.report is not None)
    assert record["listed"][-1]["answered"] is False


@pytest.mark.parametrize("number", [1, 12, STEPS])
def test_raw_is_the_request_that_went_out_byte_for_byte(stored: tuple[Path, list[Fitted]], number: int) -> None:
    said = run("show", "s", "--store", stored[0], "--branch", "main", "--step", number, "--raw")
    expected = "".join(f"{text}\n" for text in stored[1][number - 1].texts)
    assert said.stdout_bytes == expected.encode()


def test_a_step_shows_what_was_done_to_each_message_and_what_is_stored(stored: tuple[Path, list[Fitted]]) -> None:
    shown = show(stored, "--branch", "main", "--step", STEPS)

    fitted = stored[1][STEPS - 1]
    assert f"step {STEPS} of {STEPS + 1}: {fitted.sent.price:,} tokens" in shown.replace("\n", " ")
    assert "You are careful." in shown
    assert "kept (newest human)" in shown
    assert "truncated (old output)" in shown
    assert "stored, an old output: a command can be run again" in shown.replace("\n", " ")
    assert "not shown" in shown
    assert "dropped: it belongs to the oldest part" in shown.replace("\n", " ")
    assert "[context: shortened" in shown


def test_a_step_as_json_has_stored_beside_shown_where_they_differ(stored: tuple[Path, list[Fitted]]) -> None:
    (record,) = told(run("show", "s", "--store", stored[0], "--branch", "main", "--step", STEPS, "--json"))

    fitted = stored[1][STEPS - 1]
    assert (record["step"], record["of"], record["branch"]) == (STEPS, STEPS + 1, "main")
    assert record["fields"]["model"] == "gpt-5"
    assert [each["id"] for each in record["messages"]] == [item.message.id for item in fitted.items]
    for each, item in zip(record["messages"], fitted.items, strict=True):
        assert (each["stored"] is not None) == (item.changed and item.source is not None)
        if each["verdict"] == "truncate":
            assert each["stored"]["id"] == each["shown"]["id"]
            assert len(json.dumps(each["stored"])) > len(json.dumps(each["shown"]))
            assert each["why"]
    shown = {item.source for item in fitted.items if item.source is not None}
    gone = sum(each["count"] for each in record["gone"])
    assert gone + len(shown) == 1 + 2 * (STEPS - 1)
    assert {each["verdict"] for each in record["gone"]} == {"drop"}


def test_the_newest_step_is_minus_one(stored: tuple[Path, list[Fitted]]) -> None:
    (newest,) = told(run("show", "s", "--store", stored[0], "--branch", "main", "--step", "-1", "--json"))
    assert newest["step"] == STEPS + 1


@pytest.mark.parametrize("asked", ["3", "id"])
def test_why_tells_every_decision_on_a_message(stored: tuple[Path, list[Fitted]], asked: str) -> None:
    id = stored[1][5].items[2].source
    assert id is not None
    shown = show(stored, "--branch", "main", "--why", id if asked == "id" else asked)

    lines = " ".join(shown.split())
    assert f"message 3, tool ({id})" in lines
    assert "verdict dropped" in lines
    assert "truncated by trim: an old output" in lines
    assert "cut text of part 1, piece 1 of its result: characters 0-" in lines

    (record,) = told(
        run("show", "s", "--store", stored[0], "--branch", "main", "--why", asked if asked == "3" else id, "--json")
    )
    assert (record["id"], record["number"], record["verdict"]) == (id, 3, "dropped")
    assert [each["verdict"] for each in record["decisions"]][-1] == "drop"
    assert record["decisions"][0]["cuts"]


def test_why_of_a_message_that_nothing_happened_to(stored: tuple[Path, list[Fitted]]) -> None:
    lines = " ".join(show(stored, "--why", "1").split())
    assert "verdict kept why nothing had to go for it to stay" in lines


def test_an_empty_session_is_shown_as_that(stored: tuple[Path, list[Fitted]]) -> None:
    said = run("show", "empty", "--store", stored[0])
    assert said.exit_code == 0
    assert "branch main: 0 steps" in said.stdout


def test_a_summary_is_shown_with_what_it_stands_for(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with open_store(path) as store:
        log: Log = store.project("default").create(id="s").log
        policy = Policy(strategy="summarize")
        talk = Conversation(model="m", window=8_000, max_tokens=500, policy=policy, log=log)
        for number in range(24):
            talk.user(f"Question {number}")
            talk.fit()
            say(talk, f"A[c{number}] T(c{number}):500 A:well")
    shown = run("show", "s", "--store", path, "--step", "-2").stdout
    assert "the summary of checkpoint-" in shown
    assert "compacted" in shown
    assert "it stands in the summary" in " ".join(shown.split())


def test_the_beginning_of_an_id_is_enough_where_no_other_begins_so(stored: tuple[Path, list[Fitted]]) -> None:
    assert "session empty, " in run("show", "empt", "--store", stored[0]).stdout
    with open_store(stored[0]) as store:
        store.project("twins").create(id="abcd-1")
        store.project("twins").create(id="abcd-2")
    said = run("show", "abcd", "--project", "twins", "--store", stored[0], width=200)
    assert said.stderr == "2 sessions in project 'twins' begin with 'abcd': give more of the id\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nobody"], "no session 'nobody' in project 'default': `unabridged sessions` lists them"),
        (["s", "--project", "web"], "no session 's' in project 'web': `unabridged sessions` lists them"),
        (["s", "--branch", "x"], "no branch 'x' in session s: it has main, branch-1"),
        (["s", "--step", "99"], "no step 99 on branch branch-1 of session s: it has 2"),
        (["s", "--step", "-9"], "no step -9 on branch branch-1 of session s: it has 2"),
        (["s", "--why", "99"], "no message '99' on branch branch-1 of session s: it has 5, numbered from 1"),
        (["empty", "--why", "1"], "no message '1' on branch main of session empty: it is empty"),
    ],
)
def test_what_is_not_there_is_one_line(stored: tuple[Path, list[Fitted]], options: list[str], said: str) -> None:
    shown = run("show", *options, "--store", stored[0], width=200)
    assert (shown.exit_code, shown.stdout, shown.stderr) == (1, "", f"{said}\n")


@pytest.mark.parametrize(
    "options",
    [
        ["--step", "0"],
        ["--raw"],
        ["--step", "1", "--why", "1"],
        ["--step", "1", "--raw", "--json"],
        ["--limit", "0"],
    ],
)
def test_options_that_cannot_work_exit_with_2(stored: tuple[Path, list[Fitted]], options: list[str]) -> None:
    assert run("show", "s", "--store", stored[0], *options).exit_code == 2
