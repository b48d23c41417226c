"""The examples of docs/sessions.md, run as they stand, one after the other; the model stands in for itself here."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.sessions.stored import run
from tests.shared import REPOSITORY
from unabridged.store.doctor import Damage

PAGE = (REPOSITORY / "docs" / "sessions.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^\$ unabridged (\S+)(.*?)(?: {2,}#.*)?$", PAGE, re.MULTILINE)


def ask(request: dict[str, Any]) -> dict[str, Any]:
    assert request["messages"][-1]["content"] == "Fix the failing test."
    function = {"name": "run", "arguments": '{"command": "pytest"}'}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNABRIDGED_STORE", str(tmp_path / "own.db"))
    return tmp_path


def test_the_examples_do_what_they_say(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"ask": ask, "run": lambda call: f"ran {call.name}"}
    for block in BLOCKS:
        exec(block, names)

    said = capsys.readouterr().out
    assert "Fix the failing test." in said
    assert "input=1200" in said
    assert (here / "sessions.db").exists()
    names["store"].close()
    assert run("doctor", "--store", "sessions.db").exit_code == 0


def test_a_worker_that_dies_before_its_tool_ends_is_told_of_by_the_next(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Killed(Exception):
        pass

    def killed(call: object) -> str:
        raise Killed

    names: dict[str, Any] = {"ask": ask, "run": killed}
    exec(BLOCKS[0], names)
    with pytest.raises(Killed):
        exec(BLOCKS[1], names)
    exec(BLOCKS[2], names)

    assert capsys.readouterr().out == "run interrupted\n"
    assert "outcome is uncertain" in "".join(names["fitted"].texts)
    names["store"].close()


@pytest.mark.parametrize(("command", "rest"), COMMANDS)
def test_every_command_of_the_page_is_one(command: str, rest: str, here: Path) -> None:
    said = run(
        command, *shlex.split(rest), "--store" if command not in ("import", "export") else "--project", "none.db"
    )
    # The store, the file or the session is not there; the options are.
    assert said.exit_code == 1, said.stderr


def test_the_page_names_every_damage() -> None:
    assert [damage for damage in Damage if f"`{damage.value}`" not in PAGE] == []
