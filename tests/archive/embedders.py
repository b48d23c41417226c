"""An embedder for tests that knows a few meanings, each in many languages, and counts what it was asked for."""

from __future__ import annotations

from collections.abc import Sequence

MEANINGS = (
    ("car", "auto", "araba", "vehicle", "汽车"),
    ("dog", "hund", "köpek", "puppy", "狗"),
    ("meeting", "besprechung", "toplantı", "appointment", "会议"),
    ("rain", "regen", "yağmur", "downpour", "雨"),
)


class Meanings:
    """One number for each meaning, and a small one for all else."""

    def __init__(self, name: str = "meanings", *, error: Exception | None = None) -> None:
        self.name = name
        self.error = error
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self.error is not None:
            raise self.error
        self.asked += texts
        return [[*(float(any(word in text.lower() for word in words)) for words in MEANINGS), 0.01] for text in texts]
