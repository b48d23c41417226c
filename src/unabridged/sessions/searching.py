"""`unabridged search`: finds what was said in transcripts and stored sessions, and shows it where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from unabridged.archive import Archive, MemoryShelf, shown_text, text_of
from unabridged.archive.archive import Hit
from unabridged.archive.packaged import PackagedEmbedder
from unabridged.errors import BadInput
from unabridged.importers import read_file
from unabridged.log import MAIN
from unabridged.message import Message
from unabridged.replay import ink
from unabridged.replay.progress import Waiting
from unabridged.sessions.speaking import Speaker, counted, on_one_line
from unabridged.store.place import chosen_place
from unabridged.tokens.price import Cost, Price
from unabridged.transcript import Record, Transcript
from unabridged.transfer.stores import read_store, session_in

AROUND = 90
"""Characters of the messages before and behind a hit."""
SCOPE = ((MAIN, -1),)


class Sought(msgspec.Struct, frozen=True):
    """What was found, for `--json`."""

    source: str
    """The file or the session."""
    number: int
    """Of the message, from 0."""
    message: str
    """Its id."""
    role: str
    time: str
    start: int
    end: int
    """Characters [start, end) of what the message says."""
    score: float
    text: str


class Conversation(msgspec.Struct, frozen=True):
    """One conversation that is searched."""

    source: str
    messages: Sequence[Message]


class Searching:
    """One run of the command."""

    def __init__(self, given: str | None, project: str, *, dense: bool = False, as_json: bool) -> None:
        self._embedder = PackagedEmbedder() if dense else None
        self._given = given
        self._project = project
        self._speaker = Speaker(as_json=as_json)

    def found(self, sources: Sequence[str], query: str, limit: int) -> bool:
        """Search all sources; of what is found the best is shown, best first. Raises `BadInput`."""
        best: list[tuple[Hit, Conversation]] = []
        waiting = Waiting(self._speaker.err, shown=not self._speaker.as_json)
        conversations = [each for source in sources for each in self._read(source)]
        for conversation in waiting.walking(conversations, name="what was said", total=len(conversations)):
            best += [(hit, conversation) for hit in _search(conversation.messages, query, limit, self._embedder)]
        best.sort(key=lambda each: -each[0].score)
        for hit, conversation in best[:limit]:
            self._show(hit, conversation, query)
        if not best:
            self._speaker.aside(f"nothing found in {counted(len(conversations), 'conversation')}")
        return True

    def _read(self, source: str) -> Iterator[Conversation]:
        path = Path(source)
        if path.exists():
            found = read_file(path)
            for each in found:
                name = source if len(found) == 1 else f"{source} ({each.name})"
                yield Conversation(name, [_silent(said) if said.id in each.hidden else said for said in each.messages])
            return
        if "/" in source or path.suffix:
            raise BadInput(f"{source}: there is no such file")
        with read_store(chosen_place(self._given)) as store:
            session = session_in(store.project(self._project), source)
            transcript = Transcript(session.log)
            hidden = transcript.hidden
            said = (_silent(each.message) if each.seq in hidden else each.message for each in transcript.records)
            yield Conversation(session.id, list(said))

    def _show(self, hit: Hit, conversation: Conversation, query: str) -> None:
        if self._speaker.as_json:
            self._speaker.json(_sought(hit, conversation))
            return
        place, messages = hit.place, conversation.messages
        message, said = messages[place.seq], self._speaker.line
        when = place.time[:16].replace("T", " ")
        who = " ".join(filter(None, (message.name or place.role.value, place.tool, when)))
        said(f"{on_one_line(conversation.source)} [{place.seq}] {who}", "bold")
        self._beside(messages, place.seq - 1)
        for line in shown_text(message, hit, query).splitlines():
            said(f"    {line}")
        self._beside(messages, place.seq + 1)
        said("")

    def _beside(self, messages: Sequence[Message], number: int) -> None:
        """Say in one line what stands before a hit, or behind it."""
        text = on_one_line(text_of(messages[number])[: 2 * AROUND]) if 0 <= number < len(messages) else ""
        if text:
            cut = "…" if len(text) > AROUND else ""
            self._speaker.line(f"  {messages[number].role.value}: {text[:AROUND]}{cut}", ink.DIM)


def _silent(message: Message) -> Message:
    """Give a message that its user hid without what it says: nobody finds it, and it is nobody's neighbour."""
    return Message(id=message.id, role=message.role, parts=())


def _sought(hit: Hit, conversation: Conversation) -> Sought:
    place = hit.place
    return Sought(
        source=conversation.source,
        number=place.seq,
        message=place.message,
        role=place.role.value,
        time=place.time,
        start=place.start,
        end=place.end,
        score=round(hit.score, 3),
        text=text_of(conversation.messages[place.seq])[place.start : place.end],
    )


def _search(messages: Sequence[Message], query: str, limit: int, embedder: PackagedEmbedder | None) -> list[Hit]:
    nothing = Cost(Price(0))  # nobody asks what they cost
    records = [Record(message, nothing, "", number) for number, message in enumerate(messages)]
    archive = Archive(MemoryShelf(), embedder)
    archive.add(records, range(len(records)), SCOPE)
    archive.catch_up(records, scope=SCOPE)
    return archive.search(query, scope=SCOPE, limit=limit)
