"""Conversations of the shared data that no importer reads: data sets of plain dialogue, and a client's own log.

They are read here for the verification alone. Dialogues become messages of Chat Completions; what a client of Claude
Code wrapped is unwrapped and read as its session.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from unabridged.importers import Imported, RecordedCall, read_bytes
from unabridged.message import Role
from unabridged.wire import wire

Json = dict[str, Any]
Read = Callable[[Path], Iterator[Imported]]


def is_dialogue(path: Path) -> bool:
    """Tell whether a file is one of these."""
    return _reader(path) is not None


def dialogues(path: Path) -> list[Imported]:
    """Read the conversations of a file."""
    read = _reader(path)
    return [] if read is None else list(read(path))


def _reader(path: Path) -> Read | None:
    return next((read for pattern, read in _READERS.items() if fnmatch(path.name, pattern)), None)


def _locomo(path: Path) -> Iterator[Imported]:
    """Read dialogues of two people over many sessions; the second one is heard as the model."""
    for number, sample in enumerate(_packed(path)):
        told = sample["conversation"]
        sessions = sorted((name for name in told if isinstance(told[name], list)), key=lambda name: int(name[8:]))
        turns = [turn for name in sessions for turn in told[name]]
        yield _conversation(path, number, [_turn(turn, told["speaker_a"]) for turn in turns])


def _turn(turn: Json, user: str) -> Json:
    if turn["speaker"] != user:
        return {"role": "assistant", "content": turn["text"]}
    pictures = [{"type": "image_url", "image_url": {"url": url}} for url in turn.get("img_url") or ()]
    return {"role": "user", "content": [{"type": "text", "text": turn["text"]}, *pictures]}


def _memorybank(path: Path) -> Iterator[Imported]:
    for number, person in enumerate(_packed(path).values()):
        pairs = [(turn["query"], turn["response"]) for day in person["history"].values() for turn in day]
        yield _conversation(path, number, _paired(pairs))


def _xpersona(path: Path) -> Iterator[Imported]:
    for number, persona in enumerate(_packed(path)):
        yield _conversation(path, number, _paired(persona["dialogue"]))


def _crosswoz(path: Path) -> Iterator[Imported]:
    with zipfile.ZipFile(path) as archive:
        told: dict[str, Json] = json.loads(archive.read("test.json"))
    for number, task in enumerate(told.values()):
        roles = {"usr": "user", "sys": "assistant"}
        listed = [{"role": roles[turn["role"]], "content": turn["content"]} for turn in task["messages"]]
        yield _conversation(path, number, listed)


def _happy(path: Path) -> Iterator[Imported]:
    """Unwrap a client's log: each of its records holds a line of Claude Code, but for what the person typed."""
    lines: list[Json] = []
    for record in _packed(path):
        inner = record["content"]["content"]
        if inner["type"] == "text":
            typed = {"role": "user", "content": inner["text"]}
            lines.append({"type": "user", "uuid": record["id"], "parentUuid": None, "message": typed})
        elif inner["type"] == "output":
            lines.append(inner["data"])
    yield from read_bytes("\n".join(map(json.dumps, lines)).encode(), path.name)


def _packed(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def _paired(pairs: Sequence[Sequence[str]]) -> list[Json]:
    said = (zip(("user", "assistant"), pair, strict=False) for pair in pairs)  # the last may have no answer
    return [{"role": role, "content": text} for turn in said for role, text in turn]


def _conversation(path: Path, number: int, messages: list[Json]) -> Imported:
    body = json.dumps({"messages": messages}, ensure_ascii=False).encode()
    frame, read, media = wire("openai_chat").read_request(body, id_prefix=str(number))
    calls = tuple(RecordedCall(answer=at) for at, message in enumerate(read) if message.role is Role.ASSISTANT)
    name = f"{path.name}#{number}"
    return Imported(name=name, dialect="openai_chat", frame=frame, messages=read, media=media, calls=calls)


_READERS: dict[str, Read] = {
    "locomo[0-9]*.json.gz": _locomo,
    "memory_bank_*.json.gz": _memorybank,
    "*_persona_split_*.json.gz": _xpersona,
    "test.json.zip": _crosswoz,
    "happy-trace_*.json.gz": _happy,
}
"""By the names that the files have in the shared data."""
