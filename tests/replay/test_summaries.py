"""Summaries in `replay`: in the table, in a request, and in the answer to `--why`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.replay.sessions import claude_lines, output, write_lines
from unabridged.cli import application

SUMS_UP = ("--window", "8k", "--strategy", "summarize")


def replay(*arguments: object) -> Result:
    return CliRunner().invoke(application(), ["replay", *map(str, arguments)], env={"COLUMNS": "80"})


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "session.jsonl", claude_lines(40))


def fact(shown: str, name: str) -> str:
    lines = shown.splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith(name))
    more = next((place for place, line in enumerate(lines[at + 1 :], at + 1) if not line.startswith("  ")), len(lines))
    return " ".join(" ".join(lines[at:more]).removeprefix(name).split())


def test_the_table_counts_what_was_compacted_where_a_strategy_can(session: Path) -> None:
    summarized, trimmed = replay(session, *SUMS_UP, "--fold-in-turn").stdout, replay(session, "--window", "8k").stdout

    assert "comp." in summarized
    assert "summarize" in summarized
    assert "comp." not in trimmed


def test_a_summary_in_the_middle_of_a_turn_is_counted_as_such(session: Path) -> None:
    shown = replay(session, *SUMS_UP, "--fold-in-turn").stdout

    assert "all between steps" in fact(shown, "fits")


def test_the_table_says_which_way_a_strategy_gave_up(tmp_path: Path) -> None:
    first = claude_lines(1, task=output(1, 2_400))
    second = [line.replace("main", "later") for line in claude_lines(1, task=output(2, 2_400))]
    large = write_lines(tmp_path / "session.jsonl", [*first, *second])

    reports = [json.loads(line)["report"] for line in replay(large, *SUMS_UP, "--json").stdout.splitlines()]
    assert any(report and report.get("fallback") == "nothing_to_summarize" for report in reports)
    assert "nothing to sum up" in " ".join(replay(large, *SUMS_UP).stdout.split())


def test_a_step_shows_the_summary_and_what_it_stands_for(session: Path) -> None:
    shown = replay(session, *SUMS_UP, "--fold-in-turn", "--step", 40).stdout

    assert "## Archived History Summary" in shown
    (heading,) = [line for line in shown.splitlines() if "the summary of checkpoint-" in line]
    assert "stands for" in heading
    assert "compacted and stand in the summary: 1-" in shown


def test_why_says_in_which_summary_a_message_stands_and_where_that_is(session: Path) -> None:
    shown = replay(session, *SUMS_UP, "--fold-in-turn", "--why", 1).stdout

    assert fact(shown, "verdict") == "compacted"
    assert fact(shown, "summary").startswith("stands in that of checkpoint-")
    assert "message 2 of the" in fact(shown, "summary")
    assert "of call 40" in fact(shown, "summary")


def test_why_of_a_summary_says_what_it_stands_for_and_its_text(session: Path) -> None:
    stands = fact(replay(session, *SUMS_UP, "--fold-in-turn", "--why", 1).stdout, "summary")
    checkpoint = stands.removeprefix("stands in that of ").partition(":")[0]

    shown = replay(session, *SUMS_UP, "--fold-in-turn", "--why", f"summary-{checkpoint}").stdout
    assert fact(shown, "stands for").startswith(tuple("0123456789"))
    assert "tokens became" in fact(shown, "made")
    assert "Archived History Summary" in fact(shown, "text")


def test_why_of_a_summary_that_there_is_not_is_one_line(session: Path) -> None:
    shown = replay(session, *SUMS_UP, "--why", "summary-checkpoint-0")

    assert shown.exit_code == 1
    assert len(shown.stderr.splitlines()) == 1
