"""What was typed, kept among the user's data and for nobody else to read."""

from __future__ import annotations

import os
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from unabridged.folders import data_folder

FILE = "agent_history"


class _Kept(FileHistory):
    """Goes on in memory where the disk is full."""

    def store_string(self, string: str) -> None:
        try:
            super().store_string(string.encode("utf-8", "replace").decode("utf-8"))
        except OSError:
            return


def recall() -> History:
    """Give the history of all sessions; one of this process alone where it cannot be kept."""
    path: Path = data_folder() / FILE
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        path.chmod(0o600)
    except OSError:
        return InMemoryHistory()
    return _Kept(str(path))
