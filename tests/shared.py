"""Where tests find the real transcripts that are too large, or not ours, to keep in the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
"""The root of this checkout."""

DATA = Path(os.environ.get("UNABRIDGED_DATA") or REPOSITORY.parent / "shared" / "data").resolve()
"""The folder of real transcripts: `UNABRIDGED_DATA`, else `shared/data` beside the checkout. It may not exist."""

needs_data = pytest.mark.skipif(
    not DATA.is_dir(),
    reason=f"needs real transcripts, and {DATA} is no folder: set UNABRIDGED_DATA to the folder that holds them",
)
"""Marks a test that reads `DATA`; without the folder it is skipped and says what is missing."""
