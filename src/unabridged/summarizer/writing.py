"""A record as text. One item is one `- `, and what it quotes stands behind a sign on every line.

So no text of a user or a tool, whatever it imitates, can begin a line that means something here: `reading` gives the
record back.
"""

from __future__ import annotations

from collections.abc import Iterable

from unabridged.summarizer.paths import shared_folder, under
from unabridged.summarizer.quoting import code
from unabridged.summarizer.record import Change, File, Name, Part, Ran, Record, Round, Todo

TITLE = "# Record of the earlier messages"
ABOUT = "(taken from the transcript without a model; what is quoted is exact)"
TASK = "Task, above in full: "
HEADING = "## "
ITEM = "- "
INDENT = "  "
QUOTE = ">"
NOTE = "|"
GAP = "… {:,} characters left out"
LEFT = "- … up to {:,} more"
FOLDER = "… is "
MENDED = ", succeeded later"
READ = "read"
LINES = "read lines "
TIMES = " ×"


def write(record: Record) -> str:
    """Give the text of a record: what a model wrote first, then the parts that hold something."""
    blocks = [record.prose.strip()] if record.prose.strip() else []
    parts = [part for part in Part if record.listed(part) or record.left_of(part)]
    if parts:
        head = [TITLE, ABOUT]
        if record.task:
            head.append(f"{TASK}{code(record.task)}")
        blocks.append("\n".join(head))
        blocks += [write_part(record, part) for part in parts]
    return "\n\n".join(blocks)


def write_part(record: Record, part: Part) -> str:
    """Give the text of one part, its heading first."""
    left = record.left_of(part)
    more = [LEFT.format(left)] if left else []
    return "\n".join([f"{HEADING}{part.value}", *_lines(record, part), *more])


def _lines(record: Record, part: Part) -> Iterable[str]:
    match part:
        case Part.ROUNDS:
            return map(write_round, record.rounds)
        case Part.TODOS:
            return map(write_todo, record.todos)
        case Part.FAILURES:
            return map(write_ran, record.failures)
        case Part.FILES:
            return write_files(record.files)
        case Part.COMMANDS:
            return map(write_ran, record.commands)
        case Part.NAMES:
            return [write_names(record.names)] if record.names else []
        case Part.PICTURES:
            return [f"{ITEM}{picture}" for picture in record.pictures]


def write_round(item: Round) -> str:
    """Give a round: each line of the user's words behind `>`, each note behind `|`."""
    lines: list[str] = []
    for piece in item.words:
        if isinstance(piece, int):
            lines.append(GAP.format(piece))
        else:
            lines += [f"{QUOTE} {line}" if line else QUOTE for line in piece.split("\n")]
    lines += [f"{NOTE} {note}" for note in item.notes]
    return ITEM + f"\n{INDENT}".join(lines)


def write_todo(item: Todo) -> str:
    """Give a to-do as a checkbox."""
    return f"{ITEM}[{item.state.value}] {f'#{item.id} ' if item.id else ''}{item.text}"


def write_ran(item: Ran) -> str:
    """Give a command with its outcome, and the line that says most."""
    says = f": {code(item.says)}" if item.says else ""
    return f"{ITEM}{code(item.what)} {item.outcome}{MENDED if item.mended else ''}{says}"


def write_files(files: tuple[File, ...]) -> Iterable[str]:
    """Give the files, the folder that most of them share written once."""
    folder = shared_folder([file.path for file in files])
    if folder:
        yield f"{FOLDER}{code(folder)}"
    for file in files:
        yield write_file(file, folder)


def write_file(file: File, folder: str) -> str:
    """Give a file: what was done to it, and which lines were read."""
    inside = under(file.path, folder)
    told = [file.change.value] if file.change is not Change.NONE else []
    if file.ranges:
        told.append(LINES + " ".join(f"{first}-{last}" for first, last in file.ranges))
    elif file.read:
        told.append(READ)
    return f"{ITEM}{code(inside)} {', '.join(told)}"


def write_names(names: tuple[Name, ...]) -> str:
    """Give all names on one line, each with its count."""
    return " ".join(f"{code(name.text)}{TIMES}{name.count}" for name in names)
