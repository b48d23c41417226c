"""An agent that works in a session without end, and says after each append how far the session is written."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from random import Random

from unabridged import Conversation, Usage
from unabridged.errors import StoreError
from unabridged.store import Session, open_store
from unabridged.store.recovery import recover, started
from unabridged.store.stored_log import StoredLog

PROJECT = "crashes"
WINDOW = 8_000
"""Small, so that requests have to be fitted every few steps."""
LEASE_S = 0.5
"""Whoever comes behind a killed agent waits no longer."""
WAIT_S = 60.0
OUTPUTS = (40, 400, 4_000, 40_000)
"""Characters of an output. The longest has a place of its own, beside its row."""

Tell = Callable[[int, str], None]
"""Is told the seq of an entry that was acknowledged, and its digest: that covers all before it."""


def work_for_ever(
    session: Session, chance: Random, tell: Tell, *, wait_s: float = WAIT_S, lease_s: float = LEASE_S
) -> None:
    """Take turn after turn. Raises what the store raises."""
    while True:
        take_turn(session, chance, tell, wait_s=wait_s, lease_s=lease_s)


def take_turn(
    session: Session, chance: Random, tell: Tell, *, wait_s: float = WAIT_S, lease_s: float = LEASE_S
) -> None:
    """Take one turn, of a few steps: a call is written before it runs, and its result after it."""
    with session.turn(wait_s=wait_s, lease_s=lease_s):
        talk = conversation(session.log)
        recover(talk)
        talk.user(f"Go on with part {chance.randrange(1_000)}.")
        acknowledge(session.log, tell)
        for _ in range(chance.randint(1, 4)):
            take_step(talk, session.log, chance, tell)
        talk.fit()
        talk.add({"role": "assistant", "content": "This part is done."})
        acknowledge(session.log, tell)


def take_step(talk: Conversation, log: StoredLog, chance: Random, tell: Tell) -> None:
    """Ask the model, and run what it calls."""
    fitted = talk.fit()
    acknowledge(log, tell)
    name = f"call_{chance.getrandbits(32):08x}"
    call = {"id": name, "type": "function", "function": {"name": "look", "arguments": json.dumps({"at": name})}}
    with log.step():
        talk.answered(Usage(input=fitted.sent.price))
        asking = talk.add({"role": "assistant", "content": None, "tool_calls": [call]})
        started(log, asking.id, name)
    acknowledge(log, tell)
    talk.result(name, chance.choice(("river stone ", "0x7f ", "naïve café ")) * (chance.choice(OUTPUTS) // 8))
    acknowledge(log, tell)


def conversation(log: StoredLog) -> Conversation:
    """Give the conversation of a session."""
    return Conversation(model="m", window=WINDOW, log=log, max_tokens=500)


def acknowledge(log: StoredLog, tell: Tell) -> None:
    """Say how far the log is written."""
    last = log.next_seq - 1
    tell(last, log.digest_at(last))


def child(place: str, name: str, seed: int, pipe: Connection) -> None:
    """Work in a session until this process is killed. Where the database goes away, begin another turn."""

    def tell(seq: int, digest: str) -> None:
        pipe.send((seq, digest))

    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # it says every attempt to connect
    with open_store(place) as store:
        session = store.project(PROJECT).open(name)
        chance = Random(seed)
        while True:
            with suppress(StoreError):
                work_for_ever(session, chance, tell)
