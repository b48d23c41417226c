"""`unabridged doctor`: what is damaged, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.archive.examining import examine_archive, examine_left_over
from unabridged.archive.renewing import renew, take_away_left_over
from unabridged.errors import UnabridgedError
from unabridged.replay import ink
from unabridged.replay.progress import Waiting
from unabridged.sessions.speaking import Speaker, counted, on_one_line
from unabridged.sessions.upkeep import known_projects
from unabridged.store.doctor import MEANINGS, REMEDIES, Damage, Finding, Health, examine, examine_engine
from unabridged.store.place import chosen_place, shown_place
from unabridged.store.sessions import Store
from unabridged.transfer.stores import read_store


class Told(msgspec.Struct, frozen=True):
    """One thing that is wrong, for `--json`."""

    damage: str
    meaning: str
    remedy: str
    project: str
    session: str
    seq: int | None
    detail: str


class Summary(msgspec.Struct, frozen=True):
    """What all of it came to, for `--json`; the last object."""

    store: str
    sessions: int
    entries: int
    whole: bool
    damages: int
    mended: int = 0
    """Of the damages, those that are mended now."""


def doctor(given: str | None, project: str | None, *, mend: bool = False, as_json: bool) -> bool:
    """Examine a store, and tell whether it is whole; `mend` makes damaged archives anew."""
    place, speaker = chosen_place(given), Speaker(as_json=as_json)
    sessions = entries = 0
    found: list[Finding] = []
    mended: list[Finding] = []
    with read_store(place) as store:
        for health in _examined(store, project, speaker):
            sessions, entries = sessions + 1, entries + health.entries
            archive = examine_archive(store.project(health.project), health.session)
            for finding in (*health.findings, *archive):
                _tell(speaker, finding)
            found += (*health.findings, *archive)
            if mend and archive and _mended(store, archive[0], speaker):
                mended += archive
        engine = (*examine_engine(store, project), *examine_left_over(store))
        for finding in engine:
            _tell(speaker, finding)
        left_over = [finding for finding in engine if finding.damage is Damage.ARCHIVE_LEFT]
        if mend and left_over:
            take_away_left_over(store)
            mended += left_over
    damages = sum(not finding.is_harmless for finding in (*found, *engine))
    whole = damages == len(mended)
    if as_json:
        speaker.json(Summary(shown_place(place), sessions, entries, whole, damages, len(mended)))
    else:
        came_to = counted(damages, "damage") if damages else "all whole"
        came_to += f", {len(mended):,} mended" if mended else ""
        speaker.line(f"{shown_place(place)}: {counted(sessions, 'session')}, entries: {entries:,}, {came_to}", "bold")
    return whole


def _mended(store: Store, finding: Finding, speaker: Speaker) -> bool:
    """Make the archive of a session anew, and tell whether it is whole now."""
    project = store.project(finding.project)
    try:
        renew(project.open(finding.session))
    except UnabridgedError as error:
        speaker.aside(f"{finding.project}/{finding.session}: its archive cannot be mended: {on_one_line(str(error))}")
        return False
    return not examine_archive(project, finding.session)


def _examined(store: Store, project: str | None, speaker: Speaker) -> Iterator[Health]:
    names = known_projects(store, project)
    total = sum(1 for name in names for _ in store.project(name).all())
    healths = (health for name in names for health in examine(store, name))
    return Waiting(speaker.err, shown=True).walking(healths, name="sessions", total=total)


def _tell(speaker: Speaker, finding: Finding) -> None:
    meaning, remedy = MEANINGS[finding.damage], REMEDIES[finding.damage]
    if speaker.as_json:
        told = Told(
            damage=finding.damage.value,
            meaning=meaning,
            remedy=remedy,
            project=finding.project,
            session=finding.session,
            seq=finding.seq,
            detail=finding.detail,
        )
        speaker.json(told)
        return
    where = [f"project {finding.project}"] if finding.project else []
    where += [f"session {finding.session}"] if finding.session else []
    where += [f"entry {finding.seq:,}"] if finding.seq is not None else []
    detail = f" ({finding.detail})" if finding.detail else ""
    speaker.line(f"{', '.join(where) or 'the database'}: {meaning}{detail}", "" if finding.is_harmless else ink.OVER)
    speaker.line(f"    {remedy}", ink.DIM)
