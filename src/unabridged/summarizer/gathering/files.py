"""Files that were read and modified, from the arguments of calls: by their keys and names, whoever's tools they are.

Known by their own names: the tools of Claude Code, Codex, Gemini CLI, OpenHands, SWE-agent, Cline, Copilot CLI and pi,
and the text editor of Anthropic's API. Any other tool counts by the same keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import cast

from unabridged.summarizer.gathering.patches import files_patched, looks_like_patch
from unabridged.summarizer.gathering.shell import files_read, files_written
from unabridged.summarizer.gathering.steps import Step, objects_in
from unabridged.summarizer.paths import is_path
from unabridged.summarizer.record import Change, File

PATHS = (
    *("file_path", "path", "filePath", "absolute_path", "absolutePath", "notebook_path", "filename", "file"),
    *("target_file", "relative_path", "filepath", "file_name"),
)
SEVERAL = ("paths", "file_paths", "files", "absolute_paths")
COMMANDS = ("command", "cmd", "script", "commands")
_NEW = ("content", "contents", "file_text", "text", "code_edit")
_OLD = ("old_string", "new_string", "old_str", "new_str", "edits", "diff", "patch", "replacement", "new_source")
_EDITOR = {
    "view": Change.NONE,
    "create": Change.WRITTEN,
    "str_replace": Change.EDITED,
    "insert": Change.EDITED,
    "undo_edit": Change.EDITED,
    "delete": Change.DELETED,
}
"""Commands of the text editor that Anthropic's API and OpenHands know, given in the argument `command`."""
_DELETES = re.compile(r"(?:delete|remove|unlink)(?:$|_|file)", re.IGNORECASE)
_WRITES = re.compile(r"write|create|save|append", re.IGNORECASE)
_EDITS = re.compile(r"edit|replace|patch|insert|update|rewrite", re.IGNORECASE)
_READS = re.compile(r"read|view|open|cat$|show|get_?file|load|download|upload|image", re.IGNORECASE)
_SEARCHES = re.compile(r"grep|search|glob|find|list|(?:^|_)ls$|tree", re.IGNORECASE)
MOST_LINES = 100_000_000


def shell_command(step: Step) -> str:
    """Give the shell command that a call runs; "" if it runs none."""
    if step.text_of("command") in _EDITOR and step.has(*PATHS):
        return ""
    written = step.text_of(*COMMANDS)
    if written:
        return written
    words = next((step.arguments[name] for name in COMMANDS if isinstance(step.arguments.get(name), list)), None)
    argv = [word for word in cast("list[object]", words or []) if isinstance(word, str)]
    # `bash -lc "..."`: the command is the last word.
    return argv[-1] if len(argv) == 3 and argv[1].startswith("-") and argv[1].endswith("c") else " ".join(argv)


def files_of(step: Step) -> Iterator[File]:
    """Give the files that a call read or modified. One that failed, or was declined, touched nothing."""
    if step.answered and not step.outcome.failed and not step.outcome.label.startswith("declined"):
        yield from files_named(step)


def files_named(step: Step) -> Iterator[File]:
    """Give the files that a call means to read or modify, whatever came of it."""
    command = shell_command(step)
    patch = step.call.arguments if step.call.custom else command or step.text_of("input", "patch", "diff")
    if looks_like_patch(patch):
        yield from files_patched(patch)
        return
    if command:
        yield from files_read(command)
        yield from files_written(command)
        return
    change = _change(step)
    if change is None:
        return
    for path in _paths(step):
        ranges = _ranges(step) if change is Change.NONE else ()
        yield File(path=path, change=change, read=change is Change.NONE, ranges=ranges)


def _change(step: Step) -> Change | None:
    """Say what a call does to the files that it names; None where it does nothing to a file."""
    asked = step.text_of("command")
    if asked in _EDITOR:
        return _EDITOR[asked]
    name = step.call.name.rsplit("__", 1)[-1]
    if _SEARCHES.search(name):
        return None
    if step.has(*_OLD):
        return Change.EDITED
    if step.has(*_NEW):
        return Change.EDITED if _EDITS.search(name) else Change.WRITTEN
    for pattern, change in (
        (_DELETES, Change.DELETED),
        (_WRITES, Change.WRITTEN),
        (_EDITS, Change.EDITED),
        (_READS, Change.NONE),
    ):
        if pattern.search(name):
            return change
    return None


def _paths(step: Step) -> Iterable[str]:
    single = step.text_of(*PATHS)
    if single:
        return [single] if is_path(single) else []
    found: list[str] = []
    for name in SEVERAL:
        value: object = step.arguments.get(name)
        items = cast("list[object]", value) if isinstance(value, list) else []
        found += [item for item in items if isinstance(item, str)]
        for item in objects_in(items):
            path = next((item[key] for key in PATHS if isinstance(item.get(key), str)), None)
            found += [path] if isinstance(path, str) else []
    return [path for path in found if is_path(path)]


def _ranges(step: Step) -> tuple[tuple[int, int], ...]:
    """Give the lines that a call asked for, by `offset` and `limit`, `start` and `end`, or a pair."""
    pair = step.arguments.get("view_range", step.arguments.get("range"))
    if isinstance(pair, list):
        ends = [item for item in cast("list[object]", pair) if isinstance(item, int)]
        return _range(*ends) if len(ends) == 2 else ()
    first = step.number_of("start_line", "offset", "line_start", "from_line", "start", "line_number")
    last = step.number_of("end_line", "line_end", "to_line", "end")
    count = step.number_of("limit", "num_lines", "max_lines")
    start = 1 if first is None else max(first, 1)
    if last is None and count is not None:
        last = start + count - 1
    return () if last is None else _range(start, last)


def _range(first: int, last: int) -> tuple[tuple[int, int], ...]:
    return ((first, last),) if 0 < first <= last < MOST_LINES else ()


def joined(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Give ranges in order, those that touch or overlap made one."""
    out: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if out and first <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], last))
        else:
            out.append((first, last))
    return tuple(out)


def merged(files: Iterable[File]) -> tuple[File, ...]:
    """Give each file once, where it was touched last; what was done to it is what was done last, ranges are joined."""
    known: dict[str, File] = {}
    for file in files:
        before = known.pop(file.path, None)
        known[file.path] = file if before is None else _both(before, file)
    return tuple(known.values())


def _both(before: File, after: File) -> File:
    change = after.change if after.change is not Change.NONE else before.change
    if before.change is Change.WRITTEN and change is Change.EDITED:
        change = Change.WRITTEN
    whole = (before.read and not before.ranges) or (after.read and not after.ranges)
    ranges = () if whole else joined([*before.ranges, *after.ranges])
    return File(path=after.path, change=change, read=before.read or after.read, ranges=ranges)
