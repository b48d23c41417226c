"""Reads session files of Claude Code: one JSON record a line, one line for each content block.

What becomes a message: `user` and `assistant` lines, and the attachments that hold what was said while the model
was at work (`queued_command`: no user line repeats it). Sub-agents (`isSidechain`) are conversations of their own,
and the task that the main model gave them counts as a person's. Messages before a compaction stay; the summary
that the client put in their place comes after them, as `Origin.CLIENT_SUMMARY`.

What does not: answers that the client made up (`<synthetic>`, API errors; the problems say which lines), and every
other kind of line. Of these, some attachments stood in the model's input, as reminders, hook output, memory files
or skill lists, in words that the file does not hold. They are left out: a reported usage counts them, and what is
in it beyond the messages is learned as overhead. `progress` lines repeat the messages of sub-agents, in part.
Older versions kept what was typed meanwhile in `queue-operation` lines only, which do not say whether the model ever
got it: the problems name those lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.importers.claude_joining import Draft, Joining
from unabridged.importers.claude_lines import Line, Numbered, conversations
from unabridged.importers.claude_origins import is_typed
from unabridged.importers.detection import Head
from unabridged.importers.imported import Imported, RecordedCall
from unabridged.importers.json_reading import Fields, decoded, text_of
from unabridged.importers.lines import read_lines
from unabridged.message import Message, Role
from unabridged.report import Usage
from unabridged.wire import wire

_DIALECT = "anthropic"
_MARKS = {
    "user": {"message", "uuid"},
    "assistant": {"message", "uuid"},
    "summary": {"leafUuid"},
    "queue-operation": {"sessionId"},
    "file-history-snapshot": {"snapshot"},
}
"""Fields that a line of a type has; the first lines of a file may all be of the lesser types."""
_NOT_WORDS = ("/", '{"task_id"')
"""How commands to the client and notices of background tasks begin in the queue."""


class ClaudeCode:
    """Session files of Claude Code, as they lie in its `projects` folder."""

    name = "Claude Code session"

    def recognises(self, head: Head) -> bool:
        """Tell by the fields that only these lines have together."""
        return any(map(_is_line, head.objects))

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give the main conversation first, then every sub-agent's in file order."""
        lines = read_lines(data, Line)
        joined = {key: _joined(numbered) for key, numbered in conversations(lines.records).items()}
        found = [(key, joining) for key, joining in joined.items() if joining.drafts]
        problems = lines.problems
        if not found:
            raise BadInput(f"{name}: a Claude Code session without a message: {(*problems, 'it has none')[0]}")
        digest = hashlib.sha256(data).hexdigest()[:12]
        for position, (key, joining) in enumerate(found, 1):
            prefix = digest if len(found) == 1 else f"{digest}-{position}"
            joining.problems[:0] = problems
            problems = []
            yield _imported(joining, f"{name}#{key}" if key else name, prefix)


def _is_line(record: Fields) -> bool:
    marks = _MARKS.get(text_of(record, "type"))
    return (marks is not None and marks <= record.keys()) or {"sessionId", "isSidechain"} <= record.keys()


def _joined(lines: Sequence[Numbered]) -> Joining:
    joining = Joining()
    for number, line in lines:
        joining.take(number, line)
    if joining.made_up:
        joining.problems.append(f"left out, made by the client and not by a model: lines {_listed(joining.made_up)}")
    if unsent := _queued_only(lines, joining):
        joining.problems.append(f"left out, typed while the model was at work, in no message: lines {_listed(unsent)}")
    return joining


def _queued_only(lines: Sequence[Numbered], joining: Joining) -> list[int]:
    queue = [(number, decoded(line.content, str) or "") for number, line in lines if line.operation == "enqueue"]
    typed = [(number, text) for number, text in queue if is_typed(text) and not text.startswith(_NOT_WORDS)]
    return [number for number, text in typed if not any(text in said for said in joining.user_texts)]


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _imported(joining: Joining, name: str, prefix: str) -> Imported:
    messages, calls, problems = list[Message](), list[RecordedCall](), joining.problems
    media: dict[str, bytes] = {}
    for draft in joining.drafts:
        id = f"{prefix}-{len(messages):06d}"
        try:
            message, found = wire(_DIALECT).read_message(draft.body, id=id, origin=draft.origin, time=draft.time)
        except BadInput as error:
            problems.append(f"line {draft.line}: {error}")
            continue
        if message.role is Role.ASSISTANT:
            calls.append(RecordedCall(answer=len(messages), usage=_usage(draft), model=draft.model))
        messages.append(message)
        media.update(found)
    return Imported(
        name=name,
        dialect=_DIALECT,
        frame=Frame(dialect=_DIALECT),
        messages=tuple(messages),
        media=media,
        calls=tuple(calls),
        problems=tuple(problems),
    )


def _usage(draft: Draft) -> Usage | None:
    reported = None if draft.usage is None else decoded(draft.usage, dict[str, object])
    return None if reported is None else wire(_DIALECT).usage({"usage": reported})
