"""The archive on every engine that can hold it."""

from __future__ import annotations

from tests.store.conftest import place, postgres

__all__ = ["place", "postgres"]
