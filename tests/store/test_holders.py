"""Whose worker is known to be dead."""

from __future__ import annotations

from unabridged.store.holders import holder_here, is_gone


def test_of_workers_elsewhere_nothing_is_known() -> None:
    here = holder_here()
    host, pid, began, place, unique = here.rsplit(":", 4)
    assert not is_gone(here)
    assert is_gone(":".join((host, pid, str(int(began) + 1), place, unique)))  # the number is used again
    assert is_gone(":".join((host, str(2**31 - 1), began, place, unique)))
    for elsewhere in ("", "other", f"{host}:{pid}:{unique}", ":".join((host, str(2**31 - 1), began, "other", unique))):
        assert not is_gone(elsewhere)
