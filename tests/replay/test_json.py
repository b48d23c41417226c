"""`unabridged replay --json`: one object for each model call, for programs to read."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.replay.sessions import claude_lines, openai_request, output, write_json, write_lines
from unabridged.cli import application
from unabridged.testing.validity import violations

FIELDS = {
    "file",
    "conversation",
    "step",
    "messages",
    "dialect",
    "tokens",
    "budget",
    "window",
    "full",
    "cached",
    "model",
    "output",
    "summarized",
    "summary",
    "cost_cached",
    "cost_uncached",
    "report",
    "cannot_fit",
}


def records(*arguments: object) -> list[dict[str, Any]]:
    shown = CliRunner().invoke(application(), ["replay", *map(str, arguments), "--json"])
    assert shown.exit_code == 0, shown.stderr
    return [json.loads(line) for line in shown.stdout.splitlines()]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "session.jsonl", claude_lines(40))


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    return write_json(tmp_path / "request.json", openai_request(30))


def test_there_is_one_object_for_each_call_with_the_promised_fields(session: Path) -> None:
    found = records(session, "--window", "8k")

    assert [record["step"] for record in found] == list(range(1, 41))
    assert all(set(record) == FIELDS for record in found)
    assert {record["file"] for record in found} == {str(session)}
    assert {record["conversation"] for record in found} == {"session.jsonl"}
    assert {record["dialect"] for record in found} == {"anthropic"}
    assert {record["window"] for record in found} == {8_000}
    assert {record["budget"] for record in found} == {6_400}


def test_below_the_budget_there_is_no_report_and_the_request_is_the_whole_transcript(session: Path) -> None:
    found = records(session, "--window", "200k")

    assert all(record["report"] is None for record in found)
    assert all(record["tokens"] == record["full"] for record in found)


def test_over_the_budget_reports_say_what_was_done_and_every_request_fits(session: Path) -> None:
    found = records(session, "--window", "8k")

    assert all(record["tokens"] <= record["budget"] for record in found)
    assert found[-1]["full"] > 3 * found[-1]["window"]
    reports = [record["report"] for record in found if record["report"]]
    assert {report["reason"] for report in reports} == {"threshold_exceeded"}
    assert all(report["tokens_after"] < report["budget"] <= report["tokens_before"] for report in reports)


def test_between_two_fits_all_of_the_request_before_is_served_from_the_cache(session: Path) -> None:
    found = records(session, "--window", "8k")

    assert found[0]["cached"] == 0
    grown = [(before, now) for before, now in pairwise(found) if now["report"] is None]
    assert len(grown) > 20
    assert all(now["cached"] == before["tokens"] for before, now in grown)


def test_a_fit_keeps_less_in_the_cache_than_was_sent_before(session: Path) -> None:
    found = records(session, "--window", "8k")

    fits = [(before, now) for before, now in pairwise(found) if now["report"] is not None]
    assert fits
    assert all(now["cached"] < before["tokens"] for before, now in fits)


@pytest.mark.parametrize("window", ["8k", "200k"])
@pytest.mark.parametrize("name", ["session", "request_file"])
def test_each_payload_is_a_whole_request_that_its_provider_accepts(
    request: pytest.FixtureRequest, name: str, window: str
) -> None:
    found = records(request.getfixturevalue(name), "--window", window, "--payloads")

    assert found
    for record in found:
        assert set(record) == FIELDS | {"payload"}
        assert violations(record["dialect"], record["payload"]) == []


def test_below_the_budget_the_last_payload_is_the_request_that_was_read(request_file: Path) -> None:
    last = records(request_file, "--payloads")[-1]

    assert last["payload"] == json.loads(request_file.read_text())


def test_a_request_that_was_written_over_many_lines_is_still_one_line(tmp_path: Path) -> None:
    file = tmp_path / "request.json"
    file.write_text(json.dumps(openai_request(3), indent=2))

    found = records(file, "--payloads")

    assert len(found) == 3
    assert found[-1]["payload"] == openai_request(3)


def test_what_cannot_fit_has_numbers_and_no_payload(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "session.jsonl", claude_lines(3, task=output(1, 8_000)))

    found = records(file, "--window", "4k", "--payloads")

    assert len(found) == 3
    for record in found:
        assert record["tokens"] is None
        assert record["payload"] is None
        assert record["cannot_fit"]["floor"] > record["cannot_fit"]["limit"]
        assert record["cannot_fit"]["window"] == 4_000


def test_half_a_character_in_a_transcript_does_not_break_the_output(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "session.jsonl", claude_lines(2, task="Half a smile: \ud83d"))

    found = records(file, "--payloads")

    assert len(found) == 2
    assert found[0]["payload"]["messages"][0]["content"].startswith("Half a smile: ")


def test_several_conversations_are_told_apart(tmp_path: Path) -> None:
    lines = [*claude_lines(3), *claude_lines(2, agent="scout")]
    found = records(write_lines(tmp_path / "family.jsonl", lines))

    assert [(record["conversation"], record["step"]) for record in found] == [
        ("family.jsonl", 1),
        ("family.jsonl", 2),
        ("family.jsonl", 3),
        ("family.jsonl#scout", 1),
        ("family.jsonl#scout", 2),
    ]


def test_a_price_that_nobody_knows_is_null(session: Path) -> None:
    found = records(session, "--window", "8k")

    assert {record["model"] for record in found} == {"claude-test"}
    assert {(record["cost_cached"], record["cost_uncached"]) for record in found} == {(None, None)}


def test_with_a_model_that_has_prices_each_call_has_a_cost(session: Path) -> None:
    found = records(session, "--window", "8k", "--model", "claude-opus-4-6")

    assert all(record["cost_cached"] > 0 and record["cost_uncached"] > 0 for record in found)
    assert sum(record["cost_cached"] for record in found) < sum(record["cost_uncached"] for record in found)


def test_an_answer_that_the_file_does_not_measure_is_counted(session: Path) -> None:
    *others, last = records(session, "--window", "200k")

    assert all(5 < record["output"] < 60 for record in [*others, last])
    assert others[0]["output"] > last["output"]  # the last one makes no call


def test_a_summary_says_what_it_was_made_from_and_what_it_takes(session: Path) -> None:
    found = records(session, "--window", "8k", "--strategy", "summarize", "--fold-in-turn")

    made = [record for record in found if record["summary"]]
    assert made
    assert all(record["report"]["compacted"] and record["summarized"] > 2 * record["summary"] for record in made)
    assert all(record["summarized"] == 0 for record in found if not record["summary"])
