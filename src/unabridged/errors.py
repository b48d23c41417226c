"""Every error that the library raises on purpose.

    UnabridgedError
    ├── BadInput            what was given cannot be read; names the place and the remedy
    │   └── BadSetting      a setting that cannot work; names the setting and the remedy
    ├── CannotFit           the floor alone does not leave room for an answer; carries the numbers
    ├── Conflict            somebody else appended first; nothing was written
    ├── NotFound            an id that this log does not hold
    ├── StoreError          a store that cannot be read or written; `fault` says why
    ├── ModelError          a provider did not answer (`unabridged.models.model`); `meaning` says why
    ├── WebError            nothing could be read from an address (`unabridged.public_web`); `fault` says why
    ├── EmbeddingError      no vectors came from an embedder; names it and the remedy
    ├── SessionBusy         another turn of the session runs, and the time to wait for it is over
    └── LeaseLost           another turn took over; nothing was written

Expected outcomes (a fallback, a view at its floor) are values in a report, never errors.
"""

from __future__ import annotations

from enum import StrEnum


class UnabridgedError(Exception):
    """Base of all errors of this library. Catch it to catch them all."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle an error as it is, whatever its constructor takes: a pool of processes hands errors on that way."""
        return Exception.__new__, (type(self), *self.args), self.__dict__


class BadInput(UnabridgedError):
    """Something given from outside cannot be read. The message names the thing and what to change."""


class BadSetting(BadInput):
    """A setting, or a pair of them, that cannot work. Raised before anything is read or sent.

    `setting` is its name where it was given, `value` what it was given as, `remedy` says what to give instead.
    """

    def __init__(self, setting: str, value: object, remedy: str) -> None:
        super().__init__(f"setting `{setting}` is {value!r}: {remedy}")
        self.setting = setting
        self.value = value
        self.remedy = remedy


_MEANING = {"frame": " of system text and tools"}


class CannotFit(UnabridgedError):
    """What can never be taken away leaves no room for an answer. Raised before any call; the log is unchanged.

    `floor`, `limit` and `window` are tokens of the whole request by the one counter. `parts` says what the
    floor is made of, so that a reader knows what to make smaller.
    """

    def __init__(self, *, floor: int, limit: int, window: int, parts: tuple[tuple[str, int], ...]) -> None:
        made_of = ", ".join(f"{name} {tokens:,}{_MEANING.get(name, '')}" for name, tokens in parts if tokens)
        super().__init__(
            f"the request needs at least {floor:,} tokens and {limit:,} of the window of {window:,} can be used "
            f"({made_of}): use a model with a larger window, or make the largest of these smaller"
        )
        self.floor = floor
        self.limit = limit
        self.window = window
        self.parts = parts


class Conflict(UnabridgedError):
    """The log is longer than the writer believed. Read again, then decide; nothing was written."""

    def __init__(self, *, expected: int, actual: int) -> None:
        super().__init__(f"expected to append at {expected}, but the log continues at {actual}: read it again first")
        self.expected = expected
        self.actual = actual


class NotFound(UnabridgedError):
    """An id that this log does not hold, or that lies on another branch."""

    def __init__(self, what: str, id: str) -> None:
        super().__init__(f"no {what} with the id {id!r} on this branch")
        self.what = what
        self.id = id


class StoreFault(StrEnum):
    """What is wrong with a store."""

    FULL = "full"
    READ_ONLY = "read_only"
    BUSY = "busy"
    DAMAGED = "damaged"
    UNAVAILABLE = "unavailable"
    NEWER_SCHEMA = "newer_schema"


class StoreError(UnabridgedError):
    """A store cannot do what it was asked: nothing of it was written. The message says what to do."""

    def __init__(self, fault: StoreFault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


class EmbeddingError(UnabridgedError):
    """An embedder gave no vectors, or none that can be used. What is searched is found by its words meanwhile."""

    def __init__(self, embedder: str, message: str) -> None:
        super().__init__(message)
        self.embedder = embedder


class SessionBusy(UnabridgedError):
    """Another turn of this session runs, and the time to wait for it is over. Nothing was written."""

    def __init__(self, session: str, waited_s: float) -> None:
        super().__init__(f"session {session!r} has a running turn; waited {waited_s:g} s: try again, or wait longer")
        self.session = session
        self.waited_s = waited_s


class LeaseLost(UnabridgedError):
    """This turn took too long to show that it is alive, and another one began. Nothing was written: stop it."""

    def __init__(self, session: str) -> None:
        super().__init__(f"the turn of session {session!r} was taken over by another: stop, and open the session again")
        self.session = session
