"""`unabridged import` and `unabridged export` from outside: places, counts, exit codes, what is said."""

from __future__ import annotations

import gzip
import io
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.importers.samples import SAMPLES
from tests.importers.sessions import shown
from unabridged.cli import application
from unabridged.exporters import EXPORTERS
from unabridged.importers import read_file
from unabridged.transfer import run as running
from unabridged.transfer.command import FORMATS

TWO = json.dumps([{"messages": [{"role": "user", "content": words}]} for words in ("One", "Two")])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "talk.jsonl").write_bytes(SAMPLES["Claude Code session"])
    (tmp_path / "two.json").write_text(TWO)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(application(), list(arguments))


def told(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"talk.jsonl", "two.json"}


class TestImport:
    def test_a_log_stands_beside_and_holds_the_conversation(self, here: Path) -> None:
        said = run("import", "talk.jsonl")

        assert (said.exit_code, said.stderr) == (0, "")
        assert said.stdout == "talk.jsonl: 4 messages, 0 usage reports, written to talk.unabridged.jsonl\n"
        (log,), (original,) = read_file(here / "talk.unabridged.jsonl"), read_file(here / "talk.jsonl")
        assert log.messages == original.messages

    def test_only_its_owner_may_read_it(self, here: Path) -> None:
        run("import", "talk.jsonl")

        assert stat.S_IMODE((here / "talk.unabridged.jsonl").stat().st_mode) == 0o600

    def test_o_names_a_file_or_a_folder_that_is_there(self, here: Path) -> None:
        (here / "logs").mkdir()

        assert run("import", "talk.jsonl", "-o", "deep/er/log.jsonl").exit_code == 0
        assert run("import", "talk.jsonl", "-o", "logs").exit_code == 0
        assert (here / "deep/er/log.jsonl").exists()
        assert files(here / "logs") == {"talk.unabridged.jsonl"}

    def test_several_conversations_or_files_go_into_a_folder(self, here: Path) -> None:
        assert run("import", "two.json", "talk.jsonl", "-o", "logs").exit_code == 0

        assert files(here / "logs") == {"two-1.unabridged.jsonl", "two-2.unabridged.jsonl", "talk.unabridged.jsonl"}

    @pytest.mark.parametrize("name", ["two.json#2", "2"])
    def test_one_conversation_of_several_can_be_chosen(self, here: Path, name: str) -> None:
        assert run("import", "two.json", "--conversation", name).exit_code == 0

        (log,) = read_file(here / "two.unabridged.jsonl")
        assert shown(log) == ["human: Two"]

    def test_a_conversation_that_is_not_there_is_one_line_with_those_that_are(self, here: Path) -> None:
        said = run("import", "two.json", "--conversation", "9")

        assert said.exit_code == 1
        assert said.stderr == "two.json: no conversation '9' in it: it holds two.json#1, two.json#2\n"

    def test_a_packed_file_loses_both_endings(self, here: Path) -> None:
        (here / "packed.jsonl.gz").write_bytes(gzip.compress(SAMPLES["Claude Code session"]))
        run("import", "packed.jsonl.gz")

        assert "packed.unabridged.jsonl" in files(here)

    def test_json_says_what_was_written(self, here: Path) -> None:
        (here / "talk.jsonl").write_bytes(SAMPLES["Claude Code session"] + b"{torn\n")
        (record,) = told(run("import", "talk.jsonl", "--json"))

        assert record | {"problems": None} == {
            "file": "talk.jsonl",
            "conversations": ["talk.jsonl"],
            "out": "talk.unabridged.jsonl",
            "messages": 4,
            "usage": 0,
            "problems": None,
            "losses": [],
        }
        assert len(record["problems"]) == 1

    def test_many_problems_are_cut_short(self, here: Path) -> None:
        (here / "talk.jsonl").write_bytes(SAMPLES["Claude Code session"] + b"{torn\n" * 6)
        said = run("import", "talk.jsonl")

        assert said.exit_code == 0
        assert len(said.stderr.splitlines()) == 4
        assert said.stderr.splitlines()[-1] == "  and 3 more like these"

    def test_a_bad_file_is_one_line_and_the_others_are_imported(self, here: Path) -> None:
        (here / "bad.txt").write_text("Dear diary\n\n")
        said = run("import", "bad.txt", "missing.jsonl", "talk.jsonl")

        assert said.exit_code == 1
        assert [line.partition(":")[0] for line in said.stderr.splitlines()] == ["bad.txt", "missing.jsonl"]
        assert files(here) == {"bad.txt", "talk.unabridged.jsonl"}

    def test_nothing_is_written_over(self, here: Path) -> None:
        run("import", "talk.jsonl")
        before = (here / "talk.unabridged.jsonl").read_bytes()
        said = run("import", "talk.jsonl")

        assert said.exit_code == 1
        assert said.stderr == "talk.unabridged.jsonl is already there: choose another place with -o\n"
        assert (here / "talk.unabridged.jsonl").read_bytes() == before

    def test_a_failure_leaves_no_half_of_a_file(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(*_: object) -> None:
            raise OSError("no space left on device")

        monkeypatch.setattr(running, "write_log", fails)
        said = run("import", "talk.jsonl")

        assert (said.exit_code, said.stderr) == (1, "talk.jsonl: no space left on device\n")
        assert files(here) == set()

    def test_a_log_does_not_go_to_the_terminal(self, here: Path) -> None:
        assert run("import", "talk.jsonl", "-o", "-").exit_code == 2


class TestExport:
    @pytest.mark.parametrize("to", FORMATS)
    def test_every_format_is_written_and_read_again(self, here: Path, to: str) -> None:
        assert run("import", "talk.jsonl", "-o", "log.jsonl").exit_code == 0
        said = run("export", "log.jsonl", "--to", to, "--json")

        assert said.exit_code == 0
        (record,) = told(said)
        (back,) = read_file(here / record["out"])
        assert next(message.text for message in back.messages if message.is_human) == "Which tests fail?"

    def test_the_formats_of_the_help_are_those_that_there_are(self) -> None:
        assert {each.name: each.about for each in EXPORTERS} == {
            name: about for name, about in FORMATS.items() if name != "log"
        }

    def test_a_log_gives_back_the_lines_that_were_imported(self, here: Path) -> None:
        (here / "rollout.jsonl").write_bytes(SAMPLES["Codex rollout"])
        run("import", "rollout.jsonl", "-o", "log.jsonl")
        said = run("export", "log.jsonl", "--to", "codex", "-o", "-")

        assert said.exit_code == 0
        items = [json.loads(line)["payload"] for line in said.stdout.splitlines() if '"response_item"' in line]
        original = [json.loads(line) for line in SAMPLES["Codex rollout"].splitlines()]
        assert items == [each["payload"] for each in original if each["type"] == "response_item"]

    def test_the_terminal_gets_the_text_alone_and_what_is_lost_goes_to_stderr(self, here: Path) -> None:
        said = run("export", "talk.jsonl", "--to", "sharegpt", "-o", "-")

        assert said.exit_code == 0
        assert json.loads(said.stdout)[0]["conversations"][0]["from"] == "human"
        assert "ids of calls are left out" in said.stderr

    def test_a_format_of_several_takes_them_into_one_file(self, here: Path) -> None:
        said = run("export", "two.json", "--to", "openai")

        assert said.stdout == "two.json (2 conversations): 2 messages, 0 usage reports, written to two.openai.json\n"
        assert [shown(each) for each in read_file(here / "two.openai.json")] == [["human: One"], ["human: Two"]]

    def test_a_format_of_one_gets_a_file_for_each(self, here: Path) -> None:
        run("export", "two.json", "--to", "codex", "-o", "out")

        assert files(here / "out") == {"two-1.codex.jsonl", "two-2.codex.jsonl"}

    def test_several_files_for_one_session_do_not_fit_the_terminal(self, here: Path) -> None:
        said = run("export", "two.json", "--to", "codex", "-o", "-")

        assert (said.exit_code, said.stdout) == (1, "")
        assert "choose, or name a folder" in said.stderr

    def test_an_unknown_format_names_the_known_ones(self, here: Path) -> None:
        said = run("export", "talk.jsonl", "--to", "word")

        assert said.exit_code == 2
        assert "'word' is none of log" in " ".join(said.stderr.split())

    @pytest.mark.parametrize("more", [["--to", "log"], ["--to", "openai", "--json"]])
    def test_what_goes_to_the_terminal_is_one_thing(self, here: Path, more: list[str]) -> None:
        assert run("export", "talk.jsonl", "-o", "-", *more).exit_code == 2


@pytest.mark.parametrize("command", ["import", "export"])
def test_the_help_fits_and_has_examples_and_exit_codes(command: str) -> None:
    said = CliRunner().invoke(application(), [command, "-h"], env={"COLUMNS": "80"})

    assert said.exit_code == 0
    assert max(map(len, said.stdout.splitlines())) <= 80
    for words in ("Example", "Exit code", "--conversation", "--json"):
        assert words in said.stdout


def test_streams_that_are_no_files_are_written_to_as_well(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert running.Transfer("log", None, conversation=None, as_json=False).all([here / "missing"])
