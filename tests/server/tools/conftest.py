"""Sessions that run commands, in each sandbox; stores on each engine."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.tools.commanding import Commands, works
from tests.store.conftest import place, postgres, store
from unabridged.sandbox.sandbox import Level

__all__ = ["place", "postgres", "store"]


@pytest.fixture
def data() -> Iterator[Path]:
    """A server's data, where no sandbox puts something of its own, as bubblewrap does with `/tmp`."""
    folder = Path(tempfile.mkdtemp(prefix="unabridged-test-", dir="/var/tmp")).resolve()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=[Level.BUBBLEWRAP, Level.LANDLOCK], ids=str)
def commands(request: pytest.FixtureRequest, data: Path) -> Commands:
    return Commands(data, works(request.param))
