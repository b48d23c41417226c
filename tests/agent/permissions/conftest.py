from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.permissions.place import Place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place.under(tmp_path)
    monkeypatch.setenv("HOME", str(place.home))
    return place
