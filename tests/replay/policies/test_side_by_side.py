"""`--compare` and `--sweep`: policies side by side, and the one that costs least."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from tests.replay.sessions import claude_lines, output, write_lines
from unabridged.cli import application
from unabridged.policy import Policy

COMPARED = [
    "none",
    "trim tool_output_first",
    "trim oldest_first",
    "trim largest_first",
    "summarize",
    "summarize folding",
]


def replay(*arguments: object) -> Result:
    return CliRunner().invoke(application(), ["replay", *map(str, arguments)], env={"COLUMNS": "80"})


def rows(*arguments: object) -> list[dict[str, Any]]:
    shown = replay(*arguments, "--json")
    assert shown.exit_code == 0, shown.stderr
    return [json.loads(line) for line in shown.stdout.splitlines()]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "session.jsonl", claude_lines(40))


def test_every_policy_has_a_row_and_the_table_fits_80_columns(session: Path) -> None:
    shown = replay(session, "--window", "8k", "--compare", "--model", "claude-opus-4-6")

    lines = shown.stdout.splitlines()
    named = [line.strip(" *") for line in lines]
    assert shown.exit_code == 0
    assert all(any(line.startswith(name) for line in named) for name in COMPARED)
    assert max(map(len, lines[: lines.index("", 4)])) <= 80
    assert "\x1b" not in shown.stdout
    assert "claude-opus-4-6 by genai-prices" in shown.stdout


def test_without_fitting_costs_are_those_until_it_is_dead(session: Path) -> None:
    none, trim = rows(
        session, "--window", "8k", "--compare", "--policies", "none,trim:oldest_first", "--model", "gpt-4o"
    )

    assert (none["dead"], trim["dead"]) == (1, 0)
    assert none["answered"] == none["died_at"] - 1 < trim["answered"] == 40
    assert 0 < none["cost_cached"] < trim["cost_cached"] < trim["cost_uncached"]


def test_the_cheapest_is_one_that_answers_every_call(session: Path) -> None:
    found = rows(session, "--window", "8k", "--compare", "--model", "gpt-4o")

    (best,) = [row for row in found if row["cheapest"]]
    lives = [row for row in found if not row["dead"] and not row["over_budget"]]
    assert best["cost_cached"] == min(row["cost_cached"] for row in lives)
    assert best["policy"]["strategy"] != "none"


def test_each_row_is_the_replay_under_its_policy(session: Path) -> None:
    (row,) = rows(session, "--window", "8k", "--compare", "--policies", "trim:oldest_first", "--target", "0.5")
    calls = rows(session, "--window", "8k", "--order", "oldest_first", "--target", "0.5")

    assert row["policy"] == msgspec.to_builtins(Policy(trim_order="oldest_first", target=0.5))
    assert row["sent"] == sum(call["tokens"] for call in calls)
    assert row["cached"] == sum(call["cached"] for call in calls)
    assert row["fits"] == sum(bool(call["report"]) for call in calls)


def test_without_prices_tokens_are_weighed(session: Path) -> None:
    found = rows(session, "--window", "8k", "--compare", "--policies", "trim")

    assert len(found) == 3
    for row in found:
        assert row["cost_cached"] is None
        too_short_to_be_cached = row["weighed"] - (row["sent"] - 0.9 * row["cached"])
        assert 0 <= too_short_to_be_cached < row["fits"] * 1_024
    assert "weighed" in replay(session, "--window", "8k", "--compare", "--policies", "trim").stdout


def test_several_conversations_are_added_up(session: Path) -> None:
    once, twice = (
        rows(*files, "--window", "8k", "--compare", "--policies", "trim") for files in ([session], [session] * 2)
    )

    assert [row["sent"] for row in twice] == [2 * row["sent"] for row in once]
    assert {row["conversations"] for row in twice} == {2}


def test_what_cannot_fit_is_counted(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "session.jsonl", claude_lines(5, task=output(1, 8_000)))

    found = rows(file, "--window", "4k", "--compare", "--policies", "trim")
    assert all((row["refused"], row["dead"], row["died_at"]) == (5, 1, 1) for row in found)
    assert not any(row["cheapest"] for row in found)
    assert "cannot" in replay(file, "--window", "4k", "--compare").stdout


def test_a_sweep_recommends_a_policy_that_can_be_taken_over(session: Path) -> None:
    shown = replay(session, "--window", "8k", "--sweep", "--model", "gpt-4o")

    (written,) = [line for line in shown.stdout.splitlines() if line.startswith("{")]
    policy = msgspec.json.decode(written, type=Policy)
    best = next(row for row in rows(session, "--window", "8k", "--sweep", "--model", "gpt-4o") if row["cheapest"])
    assert msgspec.to_builtins(policy) == best["policy"]
    assert shown.stdout.count("* $") == 1
    assert max(map(len, shown.stdout.splitlines()[:9])) <= 80


def test_a_sweep_tries_every_target_with_every_order(session: Path) -> None:
    found = rows(session, "--window", "8k", "--sweep")

    tried = {(row["policy"]["target"], row["policy"]["trimOrder"]) for row in found}
    assert len(found) == len(tried) == 15
    assert (0.7, "tool_output_first") in tried


def test_a_sweep_where_nothing_has_to_go_says_so(session: Path) -> None:
    assert "nothing had to go" in replay(session, "--window", "200k", "--sweep").stdout


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--compare", "--policies", "hope"], "hope"),
        (["--compare", "--policies", ","], "policies"),
        (["--policies", "trim"], "--compare"),
        (["--compare", "--sweep"], "--sweep"),
        (["--compare", "--html", "page.html"], "--html"),
        (["--compare", "--json", "--payloads"], "--payloads"),
        (["--sweep", "--strategy", "none"], "none"),
        (["--sweep", "--step", "3"], "--step"),
    ],
)
def test_options_that_do_not_go_together_are_named(session: Path, options: list[str], named: str) -> None:
    shown = replay(session, *options)

    assert shown.exit_code == 2
    assert named in shown.stderr
    assert shown.stdout == ""
