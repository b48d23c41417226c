"""How the command behaves towards a terminal, a pipe and their encoding, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.replay.sessions import claude_lines, write_lines

COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-9]|4[0-9]|9[0-9])(?:;\d+)*m")
COMMAND = [sys.executable, "-c", "from unabridged.cli import main; main()", "replay"]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "session.jsonl", claude_lines(30, task="Résumé, 概要, \U0001f642"))


def replay(session: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}}
    return subprocess.run(
        [*COMMAND, str(session), "--window", "8k", *options],
        capture_output=True,
        env={**kept, "COLUMNS": "80", "TERM": "xterm-256color", **environment},
        check=False,
    )


def test_no_color_is_respected_where_colour_would_be_used(session: Path) -> None:
    coloured, plain = replay(session, FORCE_COLOR="1"), replay(session, FORCE_COLOR="1", NO_COLOR="1")

    assert COLOUR.search(coloured.stdout)
    assert not COLOUR.search(plain.stdout)
    assert "░".encode() in plain.stdout


@pytest.mark.parametrize("view", ["--compare", "--sweep"])
def test_no_color_is_respected_where_policies_are_compared(session: Path, view: str) -> None:
    coloured, plain = replay(session, view, FORCE_COLOR="1"), replay(session, view, FORCE_COLOR="1", NO_COLOR="1")

    assert COLOUR.search(coloured.stdout)
    assert not COLOUR.search(plain.stdout)
    assert b"*" in plain.stdout


def test_an_encoding_without_blocks_gets_ascii(session: Path) -> None:
    shown = replay(session, PYTHONIOENCODING="ascii")

    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.isascii()
    assert b"##" in shown.stdout
    assert b"->" in shown.stdout


def test_an_encoding_that_lacks_a_character_shows_its_number(session: Path) -> None:
    shown = replay(session, "--step", "1", PYTHONIOENCODING="ascii")

    assert shown.returncode == 0, shown.stderr
    assert rb"R\xe9sum\xe9, \u6982\u8981, \U0001f642" in shown.stdout


@pytest.mark.parametrize("options", [[], ["--json", "--payloads"], ["--step", "30"]])
def test_a_reader_that_leaves_early_is_no_error(session: Path, options: list[str]) -> None:
    writer = subprocess.Popen(
        [*COMMAND, *[str(session)] * 12, "--window", "8k", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert writer.stdout is not None
    writer.stdout.readline()
    writer.stdout.close()
    _, complaints = writer.communicate()

    assert complaints == b""


def test_nothing_but_complaints_goes_to_stderr_of_a_pipe(session: Path) -> None:
    assert replay(session).stderr == b""


# None stands for a package that is not installed.
WITHOUT_TOKENIZER = """
import sys
sys.modules["quicktok"] = None
from unabridged.cli import main
main()
"""


def test_without_the_tokenizer_it_says_once_that_counts_are_estimates(session: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_TOKENIZER, "replay", str(session), str(session), "--window", "8k"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)

    assert shown.returncode == 0, shown.stderr
    assert "all conversations" in shown.stdout
    (note,) = shown.stderr.splitlines()
    assert "estimates" in note
    assert "unabridged[tokens]" in note
