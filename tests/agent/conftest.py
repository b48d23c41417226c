"""A workspace in a real folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from unabridged.agent.files.known import Known
from unabridged.agent.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder.resolve()


@pytest.fixture
def known(root: Path) -> Known:
    return Known.of(Workspace.at(root))
