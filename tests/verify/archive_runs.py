"""Long conversations whose facts have left the view, and attacks that ask for what is somebody else's."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.store.databases import own_server
from tests.verify.talking import Worker, converse, fake_model, talk_to
from unabridged.archive import Archive, StoredShelf, answer
from unabridged.message import Message, Role, Text
from unabridged.store import Store, open_store
from unabridged.testing import FakeProvider
from unabridged.testing.models import Working
from unabridged.testing.passages import passage
from unabridged.transcript import Transcript

TURNS = 1_000
EVERY = 10
WINDOW = 8_000
TOP = 3
PROMISED = 0.95
NAMES = (
    "Ayşe", "Bruno", "Chiara", "Dmitri", "Eleni", "Farid", "Greta", "Hiroshi", "Ines", "Jamal", "Katya", "Leila",
    "Marek", "Nadia", "Otto", "Priya", "Quentin", "Rosa", "Stefan", "Tomoko",
)  # fmt: skip
FACTS = (
    ("By the way, {name} keeps the spare keys in the {value} drawer.", "Where does {name} keep the spare keys?"),
    ("{name} told me that the project ships on the {value} of May.", "When does {name}'s project ship?"),
    ("We moved the backups of {name} to the bucket named {value}.", "Which bucket are {name}'s backups in?"),
    ("{name} is allergic to {value}, remember that for the dinner.", "What is {name} allergic to?"),
    ("The dentist of {name} has his office in {value} street.", "In which street is the dentist of {name}?"),
)


class Planted(NamedTuple):
    """A fact, and how somebody would ask for it."""

    said: str
    question: str


def planted(number: int) -> Planted:
    """Give a fact; each of a hundred is another."""
    name, (said, question) = NAMES[number % len(NAMES)], FACTS[number // len(NAMES) % len(FACTS)]
    return Planted(said.format(name=name, value=f"amber{number * 37 % 101}"), question.format(name=name))


class Forgetful(Worker):
    """Says a fact every now and then, and much else."""

    def _question(self, number: int) -> str:
        if number % EVERY == 0:
            return f"{planted(number // EVERY).said} And what does this say? {passage('words', 60, number)}"
        return f"Question {number}: what does this say? {passage('words', 20 + number * 7 % 150, number)}"


@contextmanager
def stores() -> Iterator[dict[str, Store]]:
    """Give an empty store of each engine that lasts."""
    with ExitStack() as after:
        folder = after.enter_context(TemporaryDirectory())
        url = after.enter_context(after.enter_context(own_server("verify-archive")).database())
        places = {"SQLite": str(Path(folder, "sessions.db")), "PostgreSQL": url}
        yield {name: after.enter_context(open_store(place)) for name, place in places.items()}


def remembered(name: str, store: Store, turns: int) -> bool:
    """Hold a long conversation, then ask for every fact that has left; tell whether enough are found."""
    session = store.project("talks").create()
    archive = Archive(StoredShelf(session.database, session.key))

    async def live() -> Worker:
        provider = FakeProvider(Working(2, 1), window=WINDOW, ratio=1.2, overhead=350, keep=1)
        async with fake_model(provider, "openai_chat") as model:
            talk = talk_to(model, window=WINDOW, log=session.log)
            talk.archive = archive
            worker = Forgetful(talk, model, seed=1, most=2_000, own_calls=False)
            await converse(worker, turns, lambda _: None)
            return worker

    worker = asyncio.run(live())
    transcript = worker.talk.transcript
    shown = worker.talk.preview().body().decode()
    found = asked = 0
    for number in range(turns // EVERY):
        fact = planted(number)
        if json.dumps(fact.said, ensure_ascii=False)[1:-1] in shown:
            continue
        asked += 1
        hits = archive.search(fact.question, scope=transcript.log.ancestry(transcript.branch), limit=TOP)
        places = [transcript.position[hit.place.message] for hit in hits]
        found += any(fact.said in transcript.records[place].message.text for place in places)
    share = found / max(1, asked)
    print(
        f"{name:12}{turns:,} turns, {worker.run.fits} fits, {len(worker.run.lost)} lost: of {asked} facts that left"
        f" {share:.1%} are among the first {TOP}; promised {PROMISED:.0%}",
        flush=True,
    )
    return share >= PROMISED and not worker.run.lost


class Victim(NamedTuple):
    """A branch with a word that stands in it alone."""

    transcript: Transcript
    archive: Archive
    secrets: frozenset[str]


def attacked(name: str, store: Store, count: int) -> bool:
    """Ask for what is of other sessions, projects and branches in every way; tell whether nothing came."""
    dice = random.Random(5)
    victims = [victim for project in ("mine", "theirs") for nth in range(3) for victim in _victims(store, project, nth)]
    store.project("theirs").erase("s-0")
    victims = [each for each in victims if len(each.transcript.log.entries)]
    every = sorted({secret for each in victims for secret in each.secrets} | {f"secret{nth}erased" for nth in range(3)})
    leaks = own = 0
    for _ in range(count):
        me = dice.choice(victims)
        told = answer(me.archive, me.transcript, *_attack(dice, every), most_tokens=4_000)
        # The word alone is no leak: who asked for it knew it.
        leaks += any(f"is {secret}, said" in told for secret in every if secret not in me.secrets)
        own += any(f"is {secret}, said" in told for secret in me.secrets)
    counted = f"{leaks} found what is another's, {own} what is their own"
    print(f"{name:12}{count:,} attacks on {len(victims)} branches: {counted}", flush=True)
    return not leaks and own > 0


def _victims(store: Store, project: str, nth: int) -> Iterator[Victim]:
    session = store.project(project).create(id=f"s-{nth}")
    archive = Archive(StoredShelf(session.database, session.key))
    main = Transcript(session.log)
    common = _say(main, f"secret{project}{nth}before")
    fork = main.branch_from(common, why="fork")
    _say(main, f"secret{project}{nth}main")
    _say(fork, f"secret{project}{nth}fork")
    for each in (main, fork):
        archive.add(each.records, range(len(each.records)), each.log.ancestry(each.branch))
    shared = f"secret{project}{nth}before"
    yield Victim(main, archive, frozenset({shared, f"secret{project}{nth}main"}))
    yield Victim(fork, archive, frozenset({shared, f"secret{project}{nth}fork"}))


def _say(transcript: Transcript, secret: str) -> str:
    ids: list[str] = []
    for number in range(5):
        text = f"The password is {secret}, said for the {number}th time."
        message = Message(id=f"{secret}-{number}", role=Role.USER, time="2026-11-30T10:00:00Z", parts=(Text(text),))
        transcript.append(message)
        ids.append(message.id)
    return ids[-1]


def _attack(dice: random.Random, secrets: list[str]) -> tuple[str, str]:
    secret = dice.choice(secrets)
    if dice.random() < 0.3:
        id = dice.choice([str(dice.randrange(-5, 60)), f"{secret}-0", "0 OR 1=1", "'; DROP TABLE entries; --", "*"])
        return "read_history", json.dumps(
            {"id": id, "session": "s-1", "branch": "main", "offset": dice.choice([0, -9])}
        )
    words = [
        secret,
        "password",
        f'"{secret}"',
        f"{secret}*",
        f"session:s-{dice.randrange(3)}",
        "' OR '1'='1",
        "%",
        "main",
    ]
    query = " ".join(dice.sample(words, dice.randrange(1, 6)))
    extra = {
        "session": "s-1",
        "project": "theirs",
        "branch": dice.choice(["main", "branch-1"]),
        "scope": [["main", -1], ["branch-1", -1]],
        "limit": dice.choice([-1, 1, 50, 10**9]),
        "role": "user",
        "after": dice.choice(["", "2026", "' OR 1=1"]),
    }
    chosen = {key: extra[key] for key in dice.sample(sorted(extra), dice.randrange(len(extra)))}
    return "search_history", json.dumps({"query": query, **chosen})
