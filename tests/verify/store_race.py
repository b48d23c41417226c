"""Processes that race for the turns of the same sessions."""

from __future__ import annotations

import logging
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from random import Random

import msgspec

from tests.verify.store_agent import PROJECT, conversation
from unabridged.entry import Entry, MessageEntry
from unabridged.errors import Conflict, SessionBusy
from unabridged.message import Message, Role, Text
from unabridged.store import Session, open_store

RACERS = 8
SESSIONS = 4
WAIT_S = 300.0
OUTSIDE = 0.1
"""Share of the appends that are tried without a turn: they may come between two turns, and never into one."""


class Race(msgspec.Struct):
    """What came of a race."""

    turns: int = 0
    refused: int = 0
    """Appends without a turn that came while one ran, or after another append that they did not know of."""
    entries: int = 0
    interleaved: list[str] = []
    lost: list[str] = []
    doubled: list[str] = []
    gaps: list[str] = []
    failed: list[str] = []

    @property
    def breaches(self) -> list[str]:
        """All that is wrong."""
        return [*self.interleaved, *self.lost, *self.doubled, *self.gaps, *self.failed]

    def line(self, what: str, seconds: float) -> str:
        """Give all of it in one line."""
        made = f"{RACERS} processes, {SESSIONS} sessions, {self.turns:,} turns, {self.entries:,} entries"
        wrong = (
            f"{len(self.interleaved)} interleaved turns, {len(self.lost)} lost and {len(self.doubled)} doubled entries,"
            f" {len(self.gaps)} gaps in seq or broken chains, {len(self.failed)} processes that failed"
        )
        return f"{what}: {made}, {self.refused:,} appends refused beside a turn: {wrong} ({seconds:.0f} s)"


def race(place: str, seconds: float, seed: int) -> Race:
    """Let processes race, and look at what they wrote."""
    with open_store(place) as store:
        project = store.project(PROJECT)
        names = [project.create(id=f"race-{seed}-{nth}").id for nth in range(SESSIONS)]
        found, written = Race(), Counter[str]()
        for said in _raced(place, names, seconds, seed):
            found.failed += [said.failed] if said.failed else []
            found.turns += said.turns
            found.refused += said.refused
            written.update(said.written)
        held: Counter[str] = Counter()
        for name in names:
            _judge(project.open(name), found, held)
    found.lost = [f"{text}: {count} times instead of {written[text]}" for text, count in (written - held).items()]
    found.doubled = [f"{text}: {count} more than written" for text, count in (held - written).items()]
    return found


class Said(msgspec.Struct):
    """What a racer did."""

    turns: int = 0
    refused: int = 0
    written: dict[str, int] = {}
    failed: str = ""


def _raced(place: str, names: Sequence[str], seconds: float, seed: int) -> list[Said]:
    making = multiprocessing.get_context("forkserver")
    making.set_forkserver_preload(["tests.verify.store_warm"])
    racers: list[tuple[Connection, BaseProcess]] = []
    for nth in range(RACERS):
        pipe, given = making.Pipe(duplex=False)
        process = making.Process(target=run, args=(place, names, seconds, seed * RACERS + nth, given), daemon=True)
        process.start()
        given.close()
        racers.append((pipe, process))
    return [_last_words(*racer) for racer in racers]


def _last_words(pipe: Connection, process: BaseProcess) -> Said:
    try:
        return msgspec.json.decode(pipe.recv_bytes(), type=Said)
    except EOFError:
        return Said(failed="it ended without a word")
    finally:
        process.join()


def run(place: str, names: Sequence[str], seconds: float, seed: int, pipe: Connection) -> None:
    """Take turns of random sessions until the time is over."""
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # it says every transaction that is refused
    chance, said = Random(seed), Said()
    try:
        with open_store(place) as store:
            sessions = [store.project(PROJECT).open(name) for name in names]
            ends = time.monotonic() + seconds
            while time.monotonic() < ends:
                session = chance.choice(sessions)
                label = f"{seed}-{said.turns + said.refused}"
                if chance.random() < OUTSIDE:
                    _append_outside(session, label, said)
                else:
                    _take_turn(session, label, chance, said)
    except Exception as error:  # whatever it is, it is what the race is for
        said.failed = f"{type(error).__name__}: {error}"
    pipe.send_bytes(msgspec.json.encode(said))


def _take_turn(session: Session, label: str, chance: Random, said: Said) -> None:
    with session.turn(wait_s=WAIT_S):
        talk = conversation(session.log)
        for nth in range(chance.randint(1, 3)):
            talk.user(f"{label} asks {nth}")
            said.written[f"{label} asks {nth}"] = 1
            talk.fit()
            time.sleep(chance.uniform(0, 0.002))
            talk.add({"role": "assistant", "content": f"{label} answers {nth}"})
            said.written[f"{label} answers {nth}"] = 1
    said.turns += 1


def _append_outside(session: Session, label: str, said: Said) -> None:
    text = f"{label} outside 0"
    message = Message(id=text, role=Role.USER, parts=(Text(text),))
    try:
        session.log.append(MessageEntry(message))
        said.written[text] = 1
        said.turns += 1
    except (SessionBusy, Conflict):
        said.refused += 1


def _judge(session: Session, found: Race, held: Counter[str]) -> None:
    """Look whether each turn's entries stand together and in order, and nothing is missing."""
    entries = session.log.entries
    found.entries += len(entries)
    if [entry.seq for entry in entries] != list(range(len(entries))) or session.log.damaged():
        found.gaps.append(session.id)
    texts = list(_texts(entries))
    held.update(texts)
    labels = [text.split(" ")[0] for text in texts]
    runs = [label for at, label in enumerate(labels) if at == 0 or labels[at - 1] != label]
    found.interleaved += [f"{label}: in {count} pieces" for label, count in Counter(runs).items() if count > 1]
    for label in set(labels):
        numbers = [int(text.split(" ")[2]) for text in texts if text.startswith(f"{label} ")]
        if numbers != sorted(numbers):
            found.interleaved.append(f"{label}: out of order")


def _texts(entries: Sequence[Entry]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry.payload, MessageEntry):
            yield entry.payload.message.text
