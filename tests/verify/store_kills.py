"""Agents that are killed at random moments, and servers that are stopped without a warning, again and again."""

from __future__ import annotations

import multiprocessing
import sys
import time
from multiprocessing.connection import Connection
from random import Random

import msgspec

from tests.store.databases import OwnServer
from tests.verify.store_agent import PROJECT, child
from tests.verify.store_checks import Breach, Kind, Tally, look_at
from unabridged.store import Store, open_store

PER_SESSION = 12
"""Crashes that one session goes through before another one is begun."""
EARLY = 0.1
"""Share of the kills that come while the process still opens its session."""
AGENTS = 3
"""Agents at work while a server is stopped, each in its own session."""


class Agent:
    """An agent in a process of its own, and what it acknowledged."""

    def __init__(self, place: str, name: str, seed: int) -> None:
        # A process made from a clean one: forking this one would carry its connections along.
        making = multiprocessing.get_context("forkserver")
        making.set_forkserver_preload(["tests.verify.store_warm"])
        self._pipe, given = making.Pipe(duplex=False)
        self._process = making.Process(target=child, args=(place, name, seed, given), daemon=True)
        self._process.start()
        given.close()
        self.name = name
        self.acknowledged: dict[int, str] = {}

    def listen(self, count: int, seconds: float = 60.0) -> None:
        """Take in acknowledgements until there are so many more."""
        ends = time.monotonic() + seconds
        while count > 0 and self._pipe.poll(max(0.0, ends - time.monotonic())):
            if not self._take():
                return
            count -= 1

    def kill(self) -> None:
        """Kill the process, and take in what it had said before."""
        self._process.kill()
        while self._take():
            pass
        self._process.join()
        self._pipe.close()

    def goes_on(self, seconds: float = 60.0) -> bool:
        """Take in what was said until now; tell whether an entry is acknowledged that comes later."""
        while self._pipe.poll(0):
            if not self._take():
                return False
        newest, ends = self._newest(), time.monotonic() + seconds
        while self._newest() <= newest:
            if not self._pipe.poll(max(0.0, ends - time.monotonic())) or not self._take():
                return False
        return True

    def _newest(self) -> int:
        return max(self.acknowledged, default=-1)

    def _take(self) -> bool:
        said = _received(self._pipe)
        if said is not None:
            self.acknowledged[said[0]] = said[1]
        return said is not None


def _received(pipe: Connection) -> tuple[int, str] | None:
    try:
        return pipe.recv()
    except (EOFError, OSError):  # the end, or half an acknowledgement: that is none
        return None


class Life(msgspec.Struct):
    """A session through all its crashes."""

    name: str
    acknowledged: dict[int, str] = {}


def kill_agents(place: str, times: int, seed: int) -> Tally:
    """Kill an agent so many times, and look at its session after each."""
    chance, tally = Random(seed), Tally()
    with open_store(place) as store:
        life = Life("")
        for nth in range(times):
            if nth % PER_SESSION == 0:
                life = Life(store.project(PROJECT).create(id=f"kill-{seed}-{nth}").id)
            agent = Agent(place, life.name, chance.getrandbits(32))
            if chance.random() < EARLY:
                time.sleep(chance.uniform(0, 0.2))
            else:
                agent.listen(chance.randint(1, 12))
                time.sleep(chance.uniform(0, 0.02))
            agent.kill()
            note(tally, store, life, agent, chance)
            progress(f"kill {nth + 1} of {times}")
    return tally


def stop_server(server: OwnServer, times: int, seed: int) -> Tally:
    """Stop a server without a warning while agents append, start it again, and look at their sessions."""
    chance, tally = Random(seed), Tally()
    with server.database() as place, open_store(place) as store:
        lives: list[Life] = []
        for nth in range(times):
            if nth % PER_SESSION == 0:
                lives = [Life(store.project(PROJECT).create(id=f"stop-{nth}-{at}").id) for at in range(AGENTS)]
            agents = [Agent(place, life.name, chance.getrandbits(32)) for life in lives]
            for agent in agents:
                agent.listen(chance.randint(1, 4))
            time.sleep(chance.uniform(0, 0.05))
            server.stop("immediate")
            server.start()
            for life, agent in zip(lives, agents, strict=True):
                if not agent.goes_on():
                    said = Breach(Kind.STUCK, f"{life.name}: its agent did not go on")
                    tally.breaches.append(said)
                    sys.stderr.write(f"\n{said.kind.value}: {said.says}\n")
                agent.kill()
                note(tally, store, life, agent, chance)
            tally.crashes = nth + 1  # not one for each agent
            progress(f"stop {nth + 1} of {times}")
    return tally


def note(tally: Tally, store: Store, life: Life, agent: Agent, chance: Random) -> None:
    """Look at a session behind a crash, and count."""
    before = max(life.acknowledged, default=-1)
    life.acknowledged |= agent.acknowledged
    newest = max(life.acknowledged, default=-1)
    length, breaches = look_at(store, life.name, life.acknowledged, chance.getrandbits(32))
    tally.crashes += 1
    tally.acknowledged += newest - before
    tally.beyond += bool(agent.acknowledged) and length > newest + 1
    tally.breaches += breaches
    session = store.project(PROJECT).open(life.name)
    life.acknowledged = {session.log.next_seq - 1: session.log.digest_at(session.log.next_seq - 1)}
    for breach in breaches:
        sys.stderr.write(f"\n{breach.kind.value}: {breach.says}\n")


def progress(text: str) -> None:
    """Say on stderr how far it is."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}   ")
        sys.stderr.flush()
