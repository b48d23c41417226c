"""Log lines: for people or as JSON, with the id of the request that they belong to, and without a secret.

Whatever is written goes through `cleaned`. What an exception says is left out, unless lines of DEBUG are wanted: it may
quote what a user wrote. Where it was raised is always said.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, TextIO, cast

import msgspec

from unabridged.errors import StoreError
from unabridged.models.model import ModelError
from unabridged.redact import GONE, redacted

OURS = "unabridged"
REQUEST: ContextVar[str] = ContextVar("request", default="")
"""The id of the request that is answered; a turn that it began keeps it."""
_OWN_KEY = re.compile(r"ub_[\w-]{6,}", re.ASCII)
_BEARER = re.compile(r"(\b(?:bearer|basic)\s+)[^\s\"',;]+", re.IGNORECASE)
_PASSWORD = re.compile(r"(://[^\s/@:\"'<>]*:)[^\s/@\"'<>]+(?=@)")
_QUIET = (StoreError, OSError)
"""Errors whose text is of the system, and never of a user."""


def cleaned(text: str) -> str:
    """Take keys, tokens and passwords out of what is about to be logged."""
    text = _BEARER.sub(rf"\1{GONE}", _OWN_KEY.sub(GONE, text))
    return redacted(_PASSWORD.sub(rf"\1{GONE}", text))


def reason_of(error: BaseException) -> str:
    """Give what may be logged of an error at any level: a provider's own words may quote what a user wrote."""
    if isinstance(error, ModelError):
        status = error.meaning.status
        return f"model error {error.meaning.kind.value}" + (f" (status {status})" if status is not None else "")
    return str(error) if isinstance(error, _QUIET) else type(error).__name__


def set_up(*, json: bool = False, level: str = "info", stream: TextIO | None = None) -> None:
    """Have all log lines of this process written in one form, to stderr. `level` is for our own; others warn."""
    written = logging.StreamHandler(stream or sys.stderr)
    written.setFormatter((JsonLines if json else Lines)(tells_all=level == "debug"))
    root = logging.getLogger()
    root.handlers[:] = [written]
    root.setLevel(logging.WARNING)
    logging.getLogger(OURS).setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):  # its own forms would say everything twice
        theirs = logging.getLogger(name)
        theirs.handlers[:], theirs.propagate = [], True
        theirs.setLevel(logging.WARNING)


class _Cleaning(logging.Formatter):
    """Makes what a record says free of secrets."""

    def __init__(self, *, tells_all: bool = False) -> None:
        super().__init__()
        self._tells_all = tells_all

    def said(self, record: logging.LogRecord) -> str:
        """Give a record's sentence."""
        return cleaned(record.getMessage())

    def fields(self, record: logging.LogRecord) -> dict[str, Any]:
        """Give what a record says beside its sentence, and the request that it belongs to."""
        given = cast("dict[str, Any]", getattr(record, "fields", {}))
        clean = {name: cleaned(value) if isinstance(value, str) else value for name, value in given.items()}
        request = REQUEST.get()
        return {**clean, "request": request} if request else clean

    def raised(self, record: logging.LogRecord) -> str:
        """Give where an exception was raised, and by what; "" where there is none."""
        if not record.exc_info or record.exc_info[1] is None:
            return ""
        return cleaned(_trace(record.exc_info[1], record.exc_info[2], tells_all=self._tells_all))


class Lines(_Cleaning):
    """Lines for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Give a record as a line, and the trace of an exception behind it."""
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        said = self.said(record)
        words = said.split()
        more = [f"{name}={value}" for name, value in self.fields(record).items() if str(value) not in words]
        line = "  ".join([f"{time} {record.levelname:<7} {said}", *([" ".join(more)] if more else [])])
        raised = self.raised(record)
        return f"{line}\n{raised}" if raised else line


class JsonLines(_Cleaning):
    """Lines for programs: one object each."""

    def format(self, record: logging.LogRecord) -> str:
        """Give a record as one line of JSON."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.said(record),
            **self.fields(record),
        }
        raised = self.raised(record)
        if raised:
            line["trace"] = raised
        return msgspec.json.encode(line, enc_hook=str).decode()


def _trace(error: BaseException, at: TracebackType | None, *, tells_all: bool) -> str:
    """Give an exception with the causes that it names, the first one first."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    told = [_trace(before, before.__traceback__, tells_all=tells_all)] if before is not None else []
    own = str(error) if tells_all or isinstance(error, _QUIET) else ""
    frames = "".join(traceback.format_tb(at)).rstrip("\n")
    told.append("\n".join(part for part in (frames, f"{type(error).__qualname__}: {own}".removesuffix(": ")) if part))
    return "\n".join(told)
