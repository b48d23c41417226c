"""One text of a provider, and what has to be read from it."""

from __future__ import annotations

from typing import NamedTuple

from unabridged.models.overflow import ErrorKind


class Row(NamedTuple):
    """What a provider answered, in its own words; sources stand with each table."""

    provider: str
    status: int
    type: str
    code: str | int | None
    text: str
    kind: ErrorKind = ErrorKind.OVERFLOW
    limit: int | None = None
    requested: int | None = None
    output: int | None = None
    allowed: int | None = None
    shared: tuple[str, ...] = ()
    """Providers whose servers say the very same."""

    @property
    def id(self) -> str:
        return f"{self.provider}: {self.text[:60]}"

    @property
    def numbers(self) -> tuple[int | None, ...]:
        """Limit, requested, output asked for, output allowed."""
        return self.limit, self.requested, self.output, self.allowed

    @property
    def guesses(self) -> set[str]:
        """Providers that it may be taken for; a guess may also fail."""
        return {self.provider, *self.shared, ""}
