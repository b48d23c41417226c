"""Both ways to search: ripgrep, and the worker that stands in for it."""

from __future__ import annotations

import shutil

import pytest

from unabridged.agent.tools.searching import Searches


@pytest.fixture(params=["ripgrep", "worker"])
def searches(request: pytest.FixtureRequest) -> Searches:
    program = shutil.which("rg") if request.param == "ripgrep" else ""
    if program is None:
        pytest.skip("ripgrep is not installed")
    return Searches(program, 60.0)
