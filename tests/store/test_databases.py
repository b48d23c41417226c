"""The server of the tests: who leaves it takes it from nobody else."""

from __future__ import annotations

import os

from tests.store.databases import own_server


def test_a_server_stays_until_its_last_user_in_this_process_leaves() -> None:
    name = f"shared-{os.getpid()}"
    with own_server(name) as outer:
        with own_server(name) as inner:
            inner.run("SELECT 1")
        outer.run("SELECT 1")
    assert not outer.folder.exists()
