"""The archive on every engine that can hold it."""

from __future__ import annotations

from tests.store.conftest import lasting, place, postgres

__all__ = ["lasting", "place", "postgres"]
