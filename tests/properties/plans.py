"""Checkpoints read a second time: what is hidden, what is cut, and whether a shown text is what its marker says."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from unabridged.checkpoint import Checkpoint
from unabridged.message import Message
from unabridged.plan import Cut, Verdict

DROPPED = re.compile(r"\[context: ([\d,]+) earlier messages? (?:is|are) not shown; [^\]]*\]")
SHORTENED = re.compile(
    r"\[context: shortened, showing the first ([\d,]+)(?: and the last ([\d,]+))? of ([\d,]+) characters; [^\]]*\]"
)
REMOVED = re.compile(r"\[context: (?:an image|a recording|a video|a document) was here \([^)]*\); [^\]]*\]")

Place = tuple[str, int, int | None, str | None]


Spans = list[tuple[int, int]]


def places_of(chain: Sequence[Checkpoint], messages: Sequence[Message], *verdicts: Verdict) -> set[int]:
    """Give the positions of the messages for which a chain of checkpoints has one of these verdicts."""
    at = {message.id: place for place, message in enumerate(messages)}
    return {
        place
        for checkpoint in chain
        for run in checkpoint.plan.runs
        if run.verdict in verdicts
        for place in range(at[run.first], at[run.last] + 1)
    }


def hidden_spans(chain: Sequence[Checkpoint], messages: Sequence[Message]) -> Spans:
    """Give the positions [start, end) that a chain of checkpoints hides, neighbours joined."""
    spans: Spans = []
    for place in sorted(places_of(chain, messages, Verdict.DROP, Verdict.COMPACT)):
        if spans and spans[-1][1] == place:
            spans[-1] = spans[-1][0], place + 1
        else:
            spans.append((place, place + 1))
    return spans


def summary_of(chain: Sequence[Checkpoint]) -> Checkpoint | None:
    """Give the checkpoint whose summary is in force. Cuts of what just arrived leave it; any other fit decides anew."""
    whole = next((checkpoint for checkpoint in chain if not checkpoint.step), None)
    return whole if whole is not None and whole.summary is not None else None


def cuts_of(chain: Sequence[Checkpoint]) -> dict[Place, Cut]:
    """Give every cut in force by its place; newer checkpoints overrule older ones."""
    cuts: dict[Place, Cut] = {}
    for checkpoint in reversed(chain):
        for cut in checkpoint.plan.cuts:
            cuts[cut.message, cut.part, cut.inner, cut.pointer] = cut
    return cuts


def number(text: str | None) -> int:
    """Read a number as markers write it."""
    return int((text or "0").replace(",", ""))


def is_shortened(was: str, now: str) -> bool:
    """Tell whether a text is a head, a marker that tells the truth, and a tail of another, cut where one may cut."""
    starts = (at.start() for at in re.finditer(re.escape("[context: "), now))  # a person's imitation may begin earlier
    return any(_fits(was, now, found) for start in starts if (found := SHORTENED.match(now, start)) is not None)


def _fits(was: str, now: str, found: re.Match[str]) -> bool:
    head, tail, total = (number(group) for group in found.groups())
    if total != len(was) or head + tail >= total:
        return False
    before, after = now[: found.start()], now[found.end() :]
    if before not in (was[:head], was[:head] + "\n") or (before != was[:head] and was[:head].endswith("\n")):
        return False
    return (
        after == ("\n" + was[total - tail :] if tail else "") and is_border(was, head) and is_border(was, total - tail)
    )


def is_border(text: str, at: int) -> bool:
    """Tell whether a text may be cut at a position without halving what a reader or a parser takes as one."""
    if at <= 0 or at >= len(text):
        return True
    return not (_halves_a_character(text, at) or _halves_an_escape(text, at))


def _halves_a_character(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    if unicodedata.category(after)[0] == "M" or "\u200d" in (before, after):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    flags = len(text[:at]) - len(text[:at].rstrip("".join(map(chr, range(0x1F1E6, 0x1F200)))))
    return flags % 2 == 1 and "\U0001f1e6" <= after <= "\U0001f1ff"


_INSIDE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\r\n|&(?:#\d{1,7}|[a-z]{2,8});|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")


def _halves_an_escape(text: str, at: int) -> bool:
    run = at
    while run > 0 and text[run - 1] == "\\":
        run -= 1
    if (at - run) % 2:
        return True
    for found in _INSIDE.finditer(text, max(0, at - 24), min(len(text), at + 24)):
        if found.start() < at < found.end():
            return not found[0].startswith("\\") or _is_escaping(text, found.start())
    return False


def _is_escaping(text: str, at: int) -> bool:
    """Tell whether the backslash at a position begins an escape: an even number of others stands before it."""
    run = at
    while run > 0 and text[run - 1] == "\\":
        run -= 1
    return (at - run) % 2 == 0


def same_shape(was: str, now: str) -> bool:
    """Tell whether arguments kept their keys, their order and their types, and only strings were shortened."""
    if was == now:
        return True
    try:
        return _same(json.loads(was, object_pairs_hook=tuple), json.loads(now, object_pairs_hook=tuple))
    except ValueError:
        return is_shortened(was, now)


def _same(was: object, now: object) -> bool:
    if isinstance(was, str) and isinstance(now, str):
        return was == now or is_shortened(was, now)
    if isinstance(was, list | tuple) and isinstance(now, list | tuple):
        return len(was) == len(now) and all(map(_same, was, now))
    return type(was) is type(now) and was == now
