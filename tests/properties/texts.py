"""Texts of every kind that conversations hold: those that users of the library draw from too."""

from __future__ import annotations

from unabridged.testing.passages import KINDS, passage

__all__ = ["KINDS", "passage"]
