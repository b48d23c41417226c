"""`unabridged replay` from outside: its table, its options, its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.replay.sessions import TASK, claude_lines, openai_request, output, write_json, write_lines
from unabridged.cli import application

WIDTH = {"COLUMNS": "80"}


def replay(*arguments: object) -> Result:
    return CliRunner().invoke(application(), ["replay", *map(str, arguments)], env=WIDTH)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "session.jsonl", claude_lines(40))


def total(shown: str, name: str) -> str:
    """The value of one line of totals, the last one of that name."""
    return [line for line in shown.splitlines() if line.startswith(name)][-1].removeprefix(name).strip()


def test_a_session_that_outgrows_the_window_shows_its_fits_and_where_it_would_have_died(session: Path) -> None:
    shown = replay(session, "--window", "8k")

    assert shown.exit_code == 0
    assert "threshold exceeded" in shown.stdout
    assert total(shown.stdout, "model calls") == "40"
    assert total(shown.stdout, "over budget") == "0"
    assert "dead at call 1" in total(shown.stdout, "without fitting")
    assert shown.stderr == ""


def test_a_session_that_fits_shows_that_nothing_had_to_go(session: Path) -> None:
    shown = replay(session, "--window", "200k")

    assert shown.exit_code == 0
    assert "threshold exceeded" not in shown.stdout
    assert total(shown.stdout, "fits") == "0"
    assert total(shown.stdout, "without fitting") == "the whole transcript stays within the window"


def test_everything_fits_a_terminal_of_80_columns(session: Path) -> None:
    shown = replay(session, "--window", "8k")

    assert max(len(line) for line in shown.stdout.splitlines()) <= 80


def test_without_a_terminal_there_are_no_escape_codes(session: Path) -> None:
    assert "\x1b" not in replay(session, "--window", "8k").stdout


def test_a_call_that_nobody_has_answered_yet_is_fitted_too(tmp_path: Path) -> None:
    file = write_json(tmp_path / "request.json", openai_request(30))

    shown = replay(file, "--window", "8k")

    assert shown.exit_code == 0
    assert total(shown.stdout, "model calls") == "30"


def test_the_strategy_none_changes_nothing_and_counts_what_is_over(session: Path) -> None:
    shown = replay(session, "--window", "8k", "--strategy", "none")

    assert shown.exit_code == 0
    assert total(shown.stdout, "fits") == "0"
    assert int(total(shown.stdout, "over budget")) > 20


def test_a_lower_target_leaves_more_room(session: Path) -> None:
    usual, lower = (
        [json.loads(line) for line in replay(session, "--window", "8k", "--json", *more).stdout.splitlines()]
        for more in ((), ("--target", "0.4"))
    )

    def smallest(records: list[dict[str, dict[str, int]]]) -> int:
        return min(record["report"]["tokens_after"] for record in records if record["report"])

    assert smallest(lower) < smallest(usual)


def records(*arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in replay(*arguments, "--json").stdout.splitlines()]


def test_the_order_decides_what_goes_first(session: Path) -> None:
    usual, oldest = (records(session, "--window", "8k", *more) for more in ((), ("--order", "oldest_first")))

    first = [next(record["report"] for record in found if record["report"]) for found in (usual, oldest)]
    assert (first[0]["truncated"] > 0, first[0].get("dropped", 0)) == (True, 0)
    assert first[1]["dropped"] > 0


def test_a_fit_frees_at_least_what_is_asked_for(session: Path) -> None:
    for record in records(session, "--window", "8k", "--min-reclaim", "3k"):
        report = record["report"]
        assert report is None or report["tokens_before"] - report["tokens_after"] >= 3_000


def test_a_model_that_is_named_gives_its_window(session: Path) -> None:
    assert {record["window"] for record in records(session, "--model", "gpt-4o")} == {128_000}
    assert {record["window"] for record in records(session, "--model", "claude-sonnet-4-5")} == {200_000}
    assert {record["window"] for record in records(session, "--model", "gpt-4o", "--window", "9k")} == {9_000}


def test_costs_are_told_with_and_without_a_cache_and_until_death_without_fitting(session: Path) -> None:
    shown = " ".join(replay(session, "--window", "8k", "--model", "gpt-4o").stdout.split())

    assert "with a prompt cache, $" in shown
    assert "until it is dead" in shown
    assert "gpt-4o by genai-prices" in shown


def test_where_no_price_is_known_it_says_what_to_do(session: Path) -> None:
    shown = replay(session, "--window", "8k").stdout

    assert total(shown, "cost") == "not known"
    assert "--model" in total(shown, "prices")


def test_what_cannot_fit_is_shown_and_the_walk_goes_on(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "session.jsonl", claude_lines(5, task=output(1, 8_000)))

    shown = replay(file, "--window", "4k")

    assert shown.exit_code == 0
    assert shown.stdout.count("at least") == 5
    assert total(shown.stdout, "cannot fit") == "5"


def test_a_step_shows_the_whole_request_and_how_each_message_was_treated(session: Path) -> None:
    shown = replay(session, "--window", "8k", "--step", "40").stdout

    assert "model: claude-test" in shown
    assert TASK in shown
    assert "0, user (human)" in shown
    assert "truncated (" in shown
    assert "[context: " in shown
    assert "messages dropped: 1-" in shown
    assert output(39, 400) in shown


def test_a_step_shows_the_system_text_and_the_tools_of_a_request(tmp_path: Path) -> None:
    file = write_json(tmp_path / "request.json", openai_request(3))

    shown = replay(file, "--step", "3").stdout

    assert "You are a careful engineer." in shown
    assert "tools: bash" in shown


def test_a_step_that_is_not_there_is_one_line(session: Path) -> None:
    shown = replay(session, "--step", "41")

    assert shown.exit_code == 1
    assert shown.stderr.splitlines() == [f"{session}: no call 41 in session.jsonl: it has 40"]


def test_control_characters_of_an_output_do_not_reach_the_terminal(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "session.jsonl", claude_lines(2, task="Colour: \x1b[31mred\x07"))

    shown = replay(file, "--step", "1").stdout

    assert "Colour: \\x1b[31mred\\x07" in shown


def test_why_says_that_the_task_is_always_kept(session: Path) -> None:
    shown = replay(session, "--window", "8k", "--why", "0").stdout

    assert total(shown, "verdict") == "kept"
    assert "always stays" in total(shown, "why")


def test_why_says_where_and_for_what_a_message_was_dropped(session: Path) -> None:
    shown = replay(session, "--window", "8k", "--why", "1").stdout

    assert total(shown, "verdict") == "dropped"
    assert "oldest" in total(shown, "why")
    assert total(shown, "decided").startswith("at call ")


def test_why_gives_the_ranges_that_are_left_of_an_output(session: Path) -> None:
    records = [json.loads(line) for line in replay(session, "--window", "8k", "--json").stdout.splitlines()]
    first = next(record["step"] for record in records if record["report"])

    shown = replay(session, "--window", "8k", "--step", first, "--why", "2").stdout

    assert total(shown, "verdict") == "truncated"
    assert total(shown, "cut").startswith("text of part 1, piece 1 of its result: characters 0-")
    assert f"of {len(output(1, 400)):,} stay" in shown


def test_why_takes_the_id_that_it_prints(session: Path) -> None:
    by_number = replay(session, "--window", "8k", "--why", "2").stdout
    id = by_number.partition("(")[2].partition(")")[0]

    assert replay(session, "--window", "8k", "--why", id).stdout == by_number


def test_why_of_a_message_that_comes_later_says_so(session: Path) -> None:
    assert "it comes after this call" in replay(session, "--why", "60", "--step", "2").stdout


def test_why_of_an_unknown_message_names_those_that_there_are(session: Path) -> None:
    shown = replay(session, "--why", "4000")

    assert shown.exit_code == 1
    assert shown.stderr.splitlines() == [f"{session}: no message '4000' in session.jsonl: its messages are 0 to 79"]


def test_bad_files_are_one_line_each_and_the_others_go_on(session: Path, tmp_path: Path) -> None:
    garbage, empty = tmp_path / "garbage.jsonl", tmp_path / "empty.jsonl"
    garbage.write_bytes(b"\x00\x01 this is no transcript")
    empty.write_bytes(b"")

    shown = replay(garbage, session, empty, tmp_path / "missing.jsonl", "--window", "8k")

    assert shown.exit_code == 1
    complaints = shown.stderr.splitlines()
    assert [line.partition(":")[0] for line in complaints] == ["garbage.jsonl", "empty.jsonl", "missing.jsonl"]
    assert total(shown.stdout, "model calls") == "40"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--window", "many"], "many"),
        (["--window", "10"], "window"),
        (["--target", "80"], "target"),
        (["--strategy", "hope"], "hope"),
        (["--order", "newest_first"], "newest_first"),
        (["--min-reclaim", "some"], "some"),
        (["--model", "no-such-model"], "no-such-model"),
        (["--step", "0"], "--step"),
        (["--payloads"], "--payloads"),
        (["--json", "--step", "1"], "--json"),
        (["--json", "--why", "1"], "--json"),
        (["--conversation", "nobody"], "nobody"),
    ],
)
def test_options_that_cannot_work_are_named_and_exit_with_2(session: Path, options: list[str], named: str) -> None:
    shown = replay(session, *options)

    assert shown.exit_code == 2
    assert named in shown.stderr
    assert shown.stdout == ""


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """A session and its two sub-agents in one file."""
    lines = [*claude_lines(40), *claude_lines(30, agent="scout"), *claude_lines(2, agent="short")]
    return write_lines(tmp_path / "family.jsonl", lines)


def test_several_conversations_get_a_section_each_and_a_grand_total(family: Path) -> None:
    shown = replay(family, "--window", "8k").stdout

    assert [line.split()[0] for line in shown.splitlines() if line.startswith("family")] == [
        "family.jsonl",
        "family.jsonl#scout",
        "family.jsonl#short:",
    ]
    assert total(shown, "conversations") == "3"
    assert total(shown, "model calls") == "72"
    assert total(shown, "without fitting") == "2 of 3 conversations dead"


def test_one_conversation_of_several_can_be_chosen(family: Path) -> None:
    for name in ("scout", "family.jsonl#scout"):
        shown = replay(family, "--window", "8k", "--conversation", name).stdout
        assert total(shown, "model calls") == "30"


def test_a_step_of_several_conversations_asks_which_is_meant(family: Path) -> None:
    shown = replay(family, "--step", "1")

    assert shown.exit_code == 1
    assert "--conversation" in shown.stderr
    assert "family.jsonl#scout" in shown.stderr
