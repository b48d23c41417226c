"""The seeded generators of transcripts that the figures are made with; they lie beside the shared data."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from typing import Any

from tests.shared import DATA

FILE = DATA.parent / "workloads" / "perf_transcripts.py"

Message = dict[str, Any]


class Workloads:
    """OpenAI-style messages: a history of any length, runs step by step, one result larger than a window."""

    def __init__(self) -> None:
        if not FILE.is_file():
            raise SystemExit(
                "no workloads beside the shared data: set UNABRIDGED_DATA to the folder that holds the data"
            )
        spec = importlib.util.spec_from_file_location("perf_transcripts", FILE)
        assert spec is not None
        assert spec.loader is not None
        self._module = importlib.util.module_from_spec(spec)
        sys.modules["perf_transcripts"] = self._module
        spec.loader.exec_module(self._module)

    def history(self, messages: int, profile: str = "std") -> tuple[list[Message], Any]:
        """Give a history, and the generator positioned behind it."""
        return self._module.history(messages, 7, profile)

    def run(self, steps: int, *, user_every: int | None = 10, profile: str = "std") -> Iterator[list[Message]]:
        """Give the new messages of each model call."""
        return self._module.agent_run(steps, user_every=user_every, profile=profile)

    def huge(self, where: str) -> tuple[list[Message], Any]:
        """Give a short transcript with one result of 800,000 characters, `last` or in the `middle`."""
        return self._module.huge(where)
