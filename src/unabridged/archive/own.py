"""The names of the archive's own tools. What they answer is a copy of what is archived, and is not archived again."""

from __future__ import annotations

from unabridged.framing import SEARCH

__all__ = ["OWN", "READ", "SEARCH"]

READ = "read_history"
OWN = frozenset({SEARCH, READ})
