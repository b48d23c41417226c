"""A record read back from its text, or from any text: what is no record of ours is prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from unabridged.summarizer.paths import back
from unabridged.summarizer.quoting import decode
from unabridged.summarizer.record import Change, File, Name, Part, Ran, Record, Round, State, Todo
from unabridged.summarizer.writing import (
    ABOUT,
    FOLDER,
    HEADING,
    INDENT,
    ITEM,
    LINES,
    MENDED,
    NOTE,
    QUOTE,
    READ,
    TASK,
    TIMES,
    TITLE,
)

_GAP = re.compile(r"… ([0-9,]{1,19}) characters left out")
_LEFT = re.compile(r"- … up to ([0-9,]{1,19}) more")
_TODO = re.compile(r"\[([ ~x])\] (?:#(\S+) )?(.*)")
_RAN = re.compile(r" (?P<outcome>[^:`]*?)(?P<mended>" + re.escape(MENDED) + r")?(?::(?= `)|$)")
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_TIMES = re.compile(re.escape(TIMES) + r"([0-9]{1,9})(?: |$)")
_PARTS = {f"{HEADING}{part.value}": part for part in Part}


def read(text: str) -> Record:
    """Give the record that a text holds. Whatever the text, nothing is raised."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line == TITLE), len(lines))
    prose, task, items = lines[:start], "", dict[Part, list[list[str]]]()
    left: dict[Part, int] = {}
    part: Part | None = None
    for line in lines[start + 1 :]:
        more = _LEFT.fullmatch(line)
        if line in _PARTS:
            part = _PARTS[line]
        elif part is not None and more:
            left[part] = left.get(part, 0) + _number(more[1])
        elif part is not None and line.startswith(INDENT) and items.get(part):
            items[part][-1].append(line.removeprefix(INDENT))
        elif part is not None and line:
            items.setdefault(part, []).append([line])
        elif line.startswith(TASK):
            task = (decode(line, len(TASK)) or ("", 0))[0]
        elif line and line not in (ABOUT, TITLE):
            prose.append(line)
    return _record(items, Record(prose="\n".join(prose).strip(), task=task, left=tuple(left.items())))


def _record(items: dict[Part, list[list[str]]], known: Record) -> Record:
    folder = ""
    files: list[File] = []
    for line, *_ in items.get(Part.FILES, []):
        if line.startswith(FOLDER):
            folder = (decode(line, len(FOLDER)) or ("", 0))[0]
        else:
            files += _file(line, folder)
    return msgspec.structs.replace(
        known,
        rounds=tuple(_round(lines) for lines in items.get(Part.ROUNDS, [])),
        todos=tuple(todo for line, *_ in items.get(Part.TODOS, []) for todo in _todo(line)),
        failures=tuple(ran for line, *_ in items.get(Part.FAILURES, []) for ran in _ran(line, failed=True)),
        files=tuple(files),
        commands=tuple(ran for line, *_ in items.get(Part.COMMANDS, []) for ran in _ran(line, failed=False)),
        names=tuple(name for line, *_ in items.get(Part.NAMES, []) for name in _names(line)),
        pictures=tuple(line.removeprefix(ITEM) for line, *_ in items.get(Part.PICTURES, [])),
    )


def _round(lines: list[str]) -> Round:
    words: list[str | int] = []
    notes: list[str] = []
    quoted: list[str] = []
    for line in [lines[0].removeprefix(ITEM), *lines[1:]]:
        gap = _GAP.fullmatch(line)
        if line.startswith(NOTE):
            notes.append(line[len(NOTE) + 1 :])
        elif gap is None:
            quoted.append(line[len(QUOTE) + 1 :] if line.startswith(QUOTE) else line)
        else:
            words += ["\n".join(quoted)] if quoted else []
            words.append(_number(gap[1]))
            quoted = []
    words += ["\n".join(quoted)] if quoted else []
    return Round(words=tuple(words), notes=tuple(notes))


def _todo(line: str) -> Iterator[Todo]:
    found = _TODO.fullmatch(line.removeprefix(ITEM))
    if found:
        yield Todo(text=found[3], state=State(found[1]), id=found[2] or "")


def _ran(line: str, *, failed: bool) -> Iterator[Ran]:
    what = decode(line, len(ITEM))
    found = _RAN.match(line, what[1]) if what else None
    if what and found:
        says = decode(line, found.end() + 1)
        outcome, mended = found["outcome"], found["mended"] is not None
        yield Ran(what=what[0], outcome=outcome, says=says[0] if says else "", failed=failed, mended=mended)


def _file(line: str, folder: str) -> Iterator[File]:
    path = decode(line, len(ITEM))
    if path is None:
        return
    told = [word for word in line[path[1] :].strip().split(", ") if word]
    change = next((Change(word) for word in told if word in set(Change)), Change.NONE)
    ranges = tuple((int(a), int(b)) for word in told if word.startswith(LINES) for a, b in _RANGE.findall(word))
    read = READ in told or bool(ranges)
    yield File(path=back(path[0], folder), change=change, read=read, ranges=ranges)


def _names(line: str) -> Iterator[Name]:
    at = 0
    while (name := decode(line, at)) is not None:
        times = _TIMES.match(line, name[1])
        if times is None:
            return
        yield Name(name[0], int(times[1]))
        at = times.end()


def _number(digits: str) -> int:
    return int(digits.replace(",", "") or 0)
