"""A short quote of what a provider said, without anything that opens a door."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unabridged.models.refusal.body_text import beginning
from unabridged.redact import quotable

LONGEST = 240
"""Characters of a quote."""
READ = 2_000
"""Characters of a text that a quote is taken from."""


def quote_of(texts: Sequence[str], pattern: re.Pattern[str] | None) -> str:
    """Quote the text that the pattern is found in, or else the first one, from its beginning."""
    found = next((text for text in texts if pattern is not None and pattern.search(text.lower())), None)
    text = found if found is not None else next(iter(texts), "")
    spoken = " ".join(quotable(beginning(text, READ)).split())
    return spoken if len(spoken) <= LONGEST else f"{spoken[: LONGEST - 1]}…"
