"""The pages of docs/decisions, and where the code points to them."""

from __future__ import annotations

import re

from tests.shared import REPOSITORY

FOLDER = REPOSITORY / "docs" / "decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
NAMED = re.compile(r"\b\d{4}-[a-z0-9-]+\.md")


def test_pages_are_numbered_without_gaps_and_each_is_in_the_index_once() -> None:
    assert [int(page.name[:4]) for page in PAGES] == list(range(1, len(PAGES) + 1))
    assert NAMED.findall((FOLDER / "README.md").read_text()) == [page.name for page in PAGES]


def test_every_page_says_why_what_and_at_what_price() -> None:
    for page in PAGES:
        headings = re.findall(r"^#+ .+$", page.read_text(), re.MULTILINE)
        assert headings[0].startswith(f"# {int(page.name[:4])}. "), page.name
        assert headings[1:] == ["## Context", "## Decision", "## Consequences"], page.name


def test_a_page_that_code_names_is_there() -> None:
    named = {
        name for path in (REPOSITORY / "src").rglob("*.py") for name in NAMED.findall(path.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= {page.name for page in PAGES}
