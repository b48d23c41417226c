"""A process that takes the turn of a session and keeps it, or waits for it, until it is told something else or killed.

It says `began`, and then answers each line that it is given: `append TEXT` with what came of it, `end` with `ended`.
"""

from __future__ import annotations

import sys

from tests.store.entries import said
from unabridged.errors import UnabridgedError
from unabridged.store import Session, leases, open_store

PROJECT = "turns"


def tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def what_came_of(session: Session, text: str) -> str:
    try:
        (entry,) = session.log.append(said(text))
    except UnabridgedError as error:
        return type(error).__name__
    return str(entry.seq)


def take_a_turn(place: str, name: str, lease_s: float, seen_s: float) -> None:
    leases.SEEN_S = seen_s
    with open_store(place) as store:
        session = store.project(PROJECT).open(name)
        with session.turn(wait_s=60, lease_s=lease_s) as lease:
            tell("began")
            for line in sys.stdin:
                word, _, text = line.strip().partition(" ")
                if word == "end":
                    break
                tell(what_came_of(session, text))
        tell("lost" if lease.is_lost else "ended")


if __name__ == "__main__":
    take_a_turn(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
