"""How long a provider asks to wait, in seconds, wherever it says so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import cast

HEADERS = 200
"""Headers that are looked at."""
LONGEST = 366 * 86_400.0
"""A longer wait is no wait: some servers send a time stamp."""

LONGEST_TEXT = 60
"""Characters of the longest text that names a wait."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_ONE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?(ms|milli|s|m|h|d)?")
_TIME = r"\d{1,9}(?:\.\d{1,9})? ?(?:ms|milliseconds?|s|sec(?:onds?)?|m|min(?:utes?)?|h|hours?|d|days?)(?![a-z]),? ?"
_ASKED = re.compile(rf"\b(?:again in|retry in|after|wait(?: for)?) (?P<time>(?:{_TIME}){{1,4}})")


def seconds_of(value: object) -> float | None:
    """Read a wait: 20, "20", "1.5", "38s", "380ms", "7m12.5s"."""
    if isinstance(value, int | float):
        return _sane(value)
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_TEXT:
        return None
    parts = _ONE.findall(value.strip().lower())
    seconds = sum(float(number) * _UNITS["ms" if unit == "milli" else unit or "s"] for number, unit in parts)
    return _sane(seconds) if parts else None


def waiting_in_text(said: str) -> float | None:
    """Find "try again in 7m12.5s" and its kind in a text in lower case."""
    found = _ASKED.search(said)
    return seconds_of(found["time"]) if found else None


def waiting_in_headers(headers: object) -> float | None:
    """Read `retry-after-ms` and `retry-after`: seconds, or a date beside the header `date`."""
    if not isinstance(headers, Mapping):
        return None
    listed = islice(cast("Mapping[object, object]", headers).items(), HEADERS)
    named = {str(name).lower(): str(value)[:LONGEST_TEXT] for name, value in listed}
    exact = seconds_of(named.get("retry-after-ms"))
    if exact is not None:
        return exact / 1_000
    after = named.get("retry-after", "")
    return seconds_of(after) if re.fullmatch(r"[\d.]{1,12}\s*", after) else _until(after, named.get("date", ""))


def _until(after: str, sent: str) -> float | None:
    """Give the seconds between two dates, both the server's: no clock of ours is asked."""
    try:
        return _sane((parsedate_to_datetime(after) - parsedate_to_datetime(sent)).total_seconds())
    except (TypeError, ValueError):
        return None


def _sane(seconds: float) -> float | None:
    return float(seconds) if 0 <= seconds <= LONGEST else None
