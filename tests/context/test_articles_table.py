"""docs/articles.md lists every test of a fragment, and no test that is not there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.shared import REPOSITORY

TABLE = (REPOSITORY / "docs" / "articles.md").read_text(encoding="utf-8")
MODULES = sorted(Path(__file__).parent.glob("test_articles_*.py"))


def test_every_test_of_a_fragment_is_in_the_table_once_and_the_other_way_round() -> None:
    written = [
        name
        for path in MODULES
        if path != Path(__file__)
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    listed = re.findall(r"^\|[^|]*\| `(test_\w+)` \|", TABLE, re.MULTILINE)
    assert len(written) > 60
    assert sorted(listed) == sorted(written)


def test_every_module_of_fragments_is_named() -> None:
    assert {path.name for path in MODULES if path != Path(__file__)} == set(
        re.findall(r"`(test_articles_\w+\.py)`", TABLE)
    )


def test_every_decision_against_the_articles_is_in_the_table_and_in_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in MODULES)
    for number in range(1, 10):
        assert f"\n| D{number} |" in TABLE
        assert f"docs/decisions/000{number}" in tests or f"and 000{number}" in tests
