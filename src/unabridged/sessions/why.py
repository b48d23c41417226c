"""`--why ID`: what every fit decided on one message, and what of it holds now."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.table import Table
from rich.text import Text

from unabridged.errors import BadInput
from unabridged.message import Message
from unabridged.plan import Cut, Reason, Verdict
from unabridged.replay import ink
from unabridged.replay.words import REASONS, VERDICTS, ranges_of
from unabridged.replay.words import place_of as cut_place_of
from unabridged.sessions.past import LEFT_OUT
from unabridged.sessions.speaking import Speaker
from unabridged.store.sessions import Session
from unabridged.store.steps import UNDO, Fate, Steps, place_of
from unabridged.transcript import Transcript

TAKEN_BACK = "all that was decided was taken back, and the view was planned again from the originals"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What one fit decided, for `--json`."""

    step: int
    seq: int
    strategy: str
    verdict: str
    reason: str
    why: str
    cuts: tuple[Cut, ...]


class FateOf(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a message, for `--json`."""

    session: str
    branch: str
    number: int
    """Its place in the transcript, from 1."""
    id: str
    verdict: str
    """What holds now."""
    why: str
    decisions: tuple[Decision, ...]
    """Oldest first."""
    message: Message


def print_fate(speaker: Speaker, session: Session, steps: Steps, asked: str) -> None:
    """Print what became of a message. Raises `BadInput` for one that the branch does not have."""
    transcript = Transcript(session.log, branch=steps.branch)
    place = place_of(transcript, asked)
    if place is None:
        count = len(transcript.records)
        known = f"it has {count:,}, numbered from 1" if count else "it is empty"
        raise BadInput(f"no message {asked!r} on branch {steps.branch} of session {session.id}: {known}")
    message = transcript.records[place].message
    fates = steps.fates(message.id)
    verdict, why = _now(steps, message, fates)
    if speaker.as_json:
        speaker.json(
            FateOf(
                session=session.id,
                branch=steps.branch,
                number=place + 1,
                id=message.id,
                verdict=verdict,
                why=why,
                decisions=tuple(_decision(fate) for fate in fates),
                message=message,
            )
        )
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(style=ink.DIM, no_wrap=True)
    table.add_column()
    facts = [
        ("message", f"{place + 1}, {message.role.value} ({message.id})"),
        ("origin", message.origin.value.replace("_", " ")),
        ("verdict", verdict),
        ("why", why),
        *_history(fates),
    ]
    for name, value in facts:
        table.add_row(name, Text(value, "bold" if name == "verdict" else ""))
    speaker.out.print(table)


def _now(steps: Steps, message: Message, fates: tuple[Fate, ...]) -> tuple[str, str]:
    """Give what holds for a message now, and why. What no fit decided may still be left out by a repair."""
    newest = fates[-1] if fates else None
    if newest is not None and newest.verdict in (Verdict.DROP, Verdict.COMPACT):
        return VERDICTS[newest.verdict], REASONS[newest.reason]
    reason = newest.reason if newest is not None else Reason.FITS
    if len(steps) and message.id not in {item.source for item in steps.step(-1).items}:
        last = steps.step(-1).transcript.position
        return ("left out", LEFT_OUT) if message.id in last else ("not sent yet", "no request was made since it came")
    return VERDICTS[newest.verdict if newest is not None else Verdict.KEEP], REASONS[reason]


def _history(fates: tuple[Fate, ...]) -> Iterator[tuple[str, str]]:
    """Give what was decided, the newest first; the same once more is not said again."""
    told: list[Fate] = []
    for fate in fates:
        if not told or _said(told[-1]) != _said(fate):
            told.append(fate)
    for fate in reversed(told):
        yield f"step {fate.step:,}", f"{VERDICTS[fate.verdict]} by {fate.strategy}: {_why(fate)}"
        for cut in fate.cuts:
            yield "cut", f"{cut_place_of(cut)}: {ranges_of(cut)}"


def _said(fate: Fate) -> tuple[object, ...]:
    return fate.verdict, fate.reason, fate.cuts, fate.strategy == UNDO


def _why(fate: Fate) -> str:
    return TAKEN_BACK if fate.strategy == UNDO else REASONS[fate.reason]


def _decision(fate: Fate) -> Decision:
    return Decision(
        step=fate.step,
        seq=fate.seq,
        strategy=fate.strategy,
        verdict=fate.verdict.value,
        reason=fate.reason.value,
        why=_why(fate),
        cuts=fate.cuts,
    )
