"""What the page about projects says of settings is what the code does."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.shared import REPOSITORY
from unabridged.server.limits import SHOWN_DAYS
from unabridged.server.settings import Limits, ProjectSettings, written_settings

PAGE = (REPOSITORY / "docs" / "server-projects.md").read_text("utf-8")
ROW = re.compile(r"^\| `([A-Za-z.]+)` \| `([^`]+)` \| \S", re.MULTILINE)


def flat(value: dict[str, Any], before: str = "") -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, each in value.items():
        made |= flat(each, f"{before}{name}.") if isinstance(each, dict) and each else {f"{before}{name}": each}
    return made


def test_every_setting_is_on_the_page_with_its_default() -> None:
    told = {name: json.loads(default) for name, default in ROW.findall(PAGE)}

    assert told == flat(json.loads(written_settings(ProjectSettings())))


def test_every_limit_is_on_the_page() -> None:
    for field in Limits.__struct_encode_fields__:
        assert f"| `{field}` |" in PAGE
    assert f"kept for {SHOWN_DAYS} days" in PAGE
