"""Counts the examples of each property, and lets the runner of `make verify-promises` read what its stories held."""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path

import pytest

from tests.properties.tally import TALLY


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have every property count its examples; hypothesis lets its inner test be replaced for such ends."""
    for item in items:
        property_ = getattr(getattr(item, "obj", None), "hypothesis", None)
        if property_ is not None and not hasattr(property_.inner_test, "__wrapped__"):
            property_.inner_test = _counting(item.name, property_.inner_test)


def _counting(name: str, test: object) -> object:
    @functools.wraps(test)  # type: ignore[arg-type]  # hypothesis does not say what its inner test is
    def counting(*args: object, **kwargs: object) -> object:
        TALLY.counts["examples", name] += 1
        return test(*args, **kwargs)  # type: ignore[operator]  # see above

    return counting


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave the counts of this process where the runner looks for them."""
    del session
    folder = os.environ.get("UNABRIDGED_TALLY")
    if folder:
        counts = [[kind, name, count] for (kind, name), count in TALLY.counts.items()]
        Path(folder, f"{os.getpid()}.json").write_text(json.dumps(counts), "utf-8")
