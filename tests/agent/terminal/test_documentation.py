"""docs/agent.md names every command, every option's value and every way in which a turn ends."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.shared import REPOSITORY
from unabridged.agent.events import Ending
from unabridged.agent.headless import CODES, Result
from unabridged.agent.options import MODES
from unabridged.agent.settings import settings_of
from unabridged.agent.terminal.obeying import orders

PAGE = (REPOSITORY / "docs" / "agent.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [order.name for order in orders()])
def test_each_command_is_documented(name: str) -> None:
    assert re.search(rf"`/{name}[ `]", PAGE)


def test_each_ending_mode_and_field_is_documented() -> None:
    assert set(CODES) == set(Ending)
    endings = {ending.value for ending in Ending if ending is not Ending.GATE_BLOCKED}
    assert {name for name in (*endings, *MODES, *Result.__struct_fields__) if f"`{name}`" not in PAGE} == set()


def test_the_settings_of_the_page_are_settings(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "agent.toml").write_text(block)

    assert settings_of(tmp_path / "agent.toml").model == tomllib.loads(block)["model"]
