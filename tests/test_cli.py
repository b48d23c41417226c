"""The command line as a whole: what it says of itself, and what it needs to say it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import unabridged
from unabridged.cli import application

# Runs the command line with some modules missing, or says what it imported.
WITHOUT_EXTRAS = """
import sys

class NoExtras:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"typer", "rich"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoExtras())
from unabridged.cli import main
main()
"""
IMPORTED = """
import json, sys
from unabridged.cli import main
try:
    main()
except SystemExit:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_it_says_its_version() -> None:
    said = CliRunner().invoke(application(), ["--version"])

    assert (said.exit_code, said.stdout) == (0, f"unabridged {unabridged.__version__}\n")


def test_the_help_names_the_commands() -> None:
    said = CliRunner().invoke(application(), ["--help"], env={"COLUMNS": "80"})

    assert said.exit_code == 0
    for command in ("replay", "import", "export", "sessions", "show", "doctor", "backup", "move", "erase", "models"):
        assert command in said.stdout
    assert max(len(line) for line in said.stdout.splitlines()) <= 80


def test_the_help_of_replay_has_examples_and_exit_codes() -> None:
    said = CliRunner().invoke(application(), ["replay", "-h"], env={"COLUMNS": "80"})

    assert said.exit_code == 0
    for words in ("--window", "--strategy", "--why", "Examples", "unabridged replay session.jsonl", "Exit code"):
        assert words in said.stdout


def test_an_unknown_command_exits_with_2() -> None:
    said = CliRunner().invoke(application(), ["replya"])

    assert said.exit_code == 2
    assert "replya" in said.stderr


@pytest.mark.parametrize(
    "command", ["replay", "import", "export", "sessions", "show", "doctor", "move", "erase", "models", "agent"]
)
def test_help_needs_neither_the_engine_nor_a_tokenizer_nor_an_sdk(command: str) -> None:
    said = python(IMPORTED, command, "--help")

    modules = set(json.loads(said.stderr))
    assert (
        modules
        & {"unabridged.engine", "unabridged.importers", "unabridged.store", "msgspec", "quicktok", "psycopg", "openai"}
        == set()
    )


def test_without_its_extra_it_says_in_one_line_what_to_install() -> None:
    said = python(WITHOUT_EXTRAS, "--help")

    assert said.returncode == 1
    assert said.stdout == ""
    assert said.stderr == "The command line needs the extra `cli`: pip install 'unabridged[cli]'\n"


def test_the_help_of_the_agent_is_there_before_anything_heavy_is_imported() -> None:
    said = python(IMPORTED, "agent", "--help")

    assert "Exit code: 0 completed" in said.stdout
    assert {"prompt_toolkit", "pydantic", "unabridged.replay"}.isdisjoint(json.loads(said.stderr))
