"""Whether a text has the form of a summary, or goes on with the conversation instead.

In a published run 24 of 28 distinct summaries were answers to the last message ("Lost in Compaction", 2026). An answer
gives itself away by what it lacks: the headings that were asked for, and the names that the span is about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unabridged.message import Message
from unabridged.summarizer.gathering.names import names_of
from unabridged.summarizer.languages import QUESTION, replying

ENOUGH_HEADINGS = 2
"""Of those asked for, how many make it plain that the question was understood."""
ENOUGH_NAMES = 6
"""Names that a span must have before their absence tells anything."""
LEAST_COVERED = 0.1
LAST_WORDS = 3
"""Messages at the end of a span that an answer would be about."""
OTHER_HEADINGS = 3
LONG = 1_200
"""Characters from which a text with headings of its own is no short answer."""

_EMPTY_LINE = re.compile(
    r"[#*_\s>|-]*(?:none|n/?a|nothing|not applicable|no \w+(?: \w+)?|empty|tbd|todo|unknown|\.{3}|…|-+|\[.*\]|<.*>"
    r"|\(.*\)|无|なし|없음|keine?|aucune?|ningun[oa]?|nessun[oa]?)?[.*_\s]*",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^\s{0,3}(?:#{1,6}\s+\S|\*\*[^*\n]{3,60}\*\*:?\s*$|\d{1,2}[.)]\s+\*{0,2}[A-Z][^\n]{2,60}:\*{0,2}\s*$)",
    re.MULTILINE,
)
_OPENS = re.compile(
    r"\s*(?:sure|certainly|of course|absolutely|great|perfect|got it|okay|ok\b|yes\b|no\b|thanks|thank you"
    r"|you're (?:right|welcome)|i'll|i will|i've|i have (?:just|now)?|i can|i need|i see|i understand|let me|let's|now "
    r"|next|first,|to do this|here(?:'s| is| are) (?:the|a|an|your|how|what) (?!.{0,30}summar)"
    r"|it (?:looks|seems|appears)|your |you |done\b|fixed\b|hello|hi\b|hey\b)",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"(?:would you like|do you want|shall i|should i|let me know|feel free|want me to|can i help|may i"
    r"|please (?:confirm|provide|share|specify|clarify|let me)|could you (?:please )?(?:confirm|provide|share|clarify)"
    r"|what would you|which (?:one|option)|how can i|anything else)[^\n]{0,160}$",
    re.IGNORECASE,
)
_ORNAMENT = re.compile(r"[#*_:\d.)\s]+")


def is_template(text: str) -> bool:
    """Tell whether a text is only the headings that were asked for, with nothing or `none` below them."""
    lines = [line for line in text.split("\n") if line.strip()]
    return all(_HEADING.match(line) or _EMPTY_LINE.fullmatch(line[:200]) for line in lines)


def is_answer(text: str, messages: Sequence[Message], headings: Sequence[str]) -> bool:
    """Tell whether a text answers the conversation instead of summing it up."""
    if headings and len(headings_in(text, headings)) >= min(ENOUGH_HEADINGS, len(headings)):
        return False
    covered = coverage(text, messages)
    if covered is not None and covered < LEAST_COVERED:
        return True
    opens = _OPENS.match(text) is not None or replying().match(text) is not None
    end = text.rstrip()[-300:]
    offers = _OFFERS.search(end) is not None or QUESTION.search(end) is not None
    structured = len(_HEADING.findall(text)) >= OTHER_HEADINGS and len(text) >= LONG
    return opens and offers if structured else opens or offers


def headings_in(text: str, headings: Sequence[str]) -> list[str]:
    """Give those of the headings that a text has, each on a line of its own."""
    lines = {_ORNAMENT.sub(" ", line).strip().lower() for line in text.split("\n") if len(line) < 120}
    return [heading for heading in headings if heading.lower() in lines]


def coverage(text: str, messages: Sequence[Message]) -> float | None:
    """Give the share of the names of a span, its end left out, that a text holds; None where there are too few."""
    names = [name.text for name in names_of(messages[:-LAST_WORDS], ())]
    if len(names) < ENOUGH_NAMES:
        return None
    return sum(name in text for name in names) / len(names)
