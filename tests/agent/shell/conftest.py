from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.agent.shell.desk import Desk
from unabridged.sandbox.bubblewrap import Bubblewrap
from unabridged.sandbox.choosing import fault
from unabridged.sandbox.landlock import Landlock
from unabridged.sandbox.sandbox import Confinement, Level, Unconfined

KINDS = {Level.BUBBLEWRAP: Bubblewrap, Level.LANDLOCK: Landlock}


@pytest.fixture(params=list(Level), ids=str)
async def desk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Desk]:
    root, temp = tmp_path / "project", tmp_path / "temp"
    root.mkdir()
    temp.mkdir()
    confinement = Confinement(writable=(root,), temp=temp, home=tmp_path)
    sandbox = Unconfined()
    if request.param is not Level.NONE:
        failure = fault(request.param, KINDS[request.param], confinement)
        if failure:
            pytest.skip(f"{request.param} does not work on this machine: {failure}")
        sandbox = KINDS[request.param](confinement)
    desk = Desk(root, temp, sandbox, tmp_path / "outputs")
    yield desk
    await desk.jobs.close()
