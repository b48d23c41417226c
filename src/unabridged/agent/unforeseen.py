"""Faults of ours, in one line: no person is shown a traceback."""

from __future__ import annotations

from pathlib import Path


def unforeseen(error: Exception) -> str:
    """Say that a fault is ours, where it came from, and what to do."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    place = f" at {Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at is not None else ""
    said = " ".join(str(error).split())
    return (
        f"this should not have happened ({type(error).__name__}{place}: {said}); the session is kept, please report it"
    )
