"""Whether the local toy can run here."""

from __future__ import annotations

import importlib.util

import pytest

from unabridged.models.local.weights import SMOLLM2

needs_toy = pytest.mark.skipif(
    not SMOLLM2.is_there or importlib.util.find_spec("xllamacpp") is None,
    reason=f"needs the local model: `unabridged models add {SMOLLM2.name}`, and the extra `local`",
)
"""Marks a test of the real model; without its weights and its runtime it is skipped and says what is missing."""
