"""Where a user's own files lie, by the XDG base directory specification. Nothing is made here."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """Give the folder for what is to be kept: stores, weights of models."""
    return _home("XDG_DATA_HOME", ".local/share") / "unabridged"


def config_folder() -> Path:
    """Give the folder for what the user decided: settings, rules."""
    return _home("XDG_CONFIG_HOME", ".config") / "unabridged"


def state_folder() -> Path:
    """Give the folder for what was learned and may be forgotten: `UNABRIDGED_STATE`, else the user's own."""
    named = os.environ.get("UNABRIDGED_STATE")
    return Path(named) if named else _home("XDG_STATE_HOME", ".local/state") / "unabridged"


def models_folder() -> Path:
    """Give the folder for weights: `UNABRIDGED_MODELS`, else one among the user's data."""
    named = os.environ.get("UNABRIDGED_MODELS")
    return Path(named) if named else data_folder() / "models"


def _home(variable: str, usual: str) -> Path:
    home = os.environ.get(variable, "")
    # By the specification, a path that is not absolute counts as none.
    return Path(home) if os.path.isabs(home) else Path.home() / usual
