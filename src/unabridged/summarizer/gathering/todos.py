"""To-do lists: what the tools for them were told last, else the checkboxes of the last message that holds some.

A list is known by its shape, a list of objects that each have a state and a text (`TodoWrite`, `update_plan`,
`write_todos`, `task_tracker`, `SetTodoList`). Claude Code's `TaskCreate` and `TaskUpdate` name one to-do a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from unabridged.message import Message, Role
from unabridged.summarizer.elements import without_fences
from unabridged.summarizer.gathering.steps import Step, objects_in
from unabridged.summarizer.quoting import brief
from unabridged.summarizer.record import State, Todo

LONGEST = 240
MOST_CHECKBOXES = 60
_TEXTS = ("content", "step", "title", "description", "task", "text", "subject", "name", "item", "todo")
_STATES = {
    "pending": State.OPEN,
    "todo": State.OPEN,
    "open": State.OPEN,
    "not_started": State.OPEN,
    "blocked": State.OPEN,
    "in_progress": State.DOING,
    "doing": State.DOING,
    "active": State.DOING,
    "completed": State.DONE,
    "complete": State.DONE,
    "done": State.DONE,
}
_GONE = frozenset({"deleted", "cancelled", "canceled", "removed"})
_CREATED = re.compile(r"\bTask #(\w+) created", re.IGNORECASE)
_BOX = re.compile(r"^[ \t]{0,8}(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX~/-])\][ \t]+(\S.*)$", re.MULTILINE)


def todos_of(steps: Iterable[Step], before: Sequence[Todo]) -> tuple[Todo, ...] | None:
    """Give the list as it stands after these calls, which began from `before`; None where no call touched one."""
    present, touched = list(before), False
    for step in steps:
        if step.outcome.failed or step.outcome.label.startswith("declined"):
            continue
        listed = _list_in(step.arguments)
        if listed is not None:
            present, touched = listed, True
        elif step.call.name == "TaskCreate" or (step.call.name == "TaskUpdate" and step.has("taskId")):
            present, touched = _with_task(present, step), True
    return tuple(present) if touched else None


def _list_in(arguments: Mapping[str, object]) -> list[Todo] | None:
    for value in arguments.values():
        items = list(objects_in(value))
        if items and all(_state(item) is not None for item in items):
            found = [_todo(item) for item in items if _state(item) not in _GONE]
            return [todo for todo in found if todo is not None]
    return None


def _state(item: Mapping[str, object]) -> str | None:
    value = item.get("status", item.get("state"))
    known = value.lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else ""
    return known if known in _STATES or known in _GONE else None


def _todo(item: Mapping[str, object]) -> Todo | None:
    text = next((item[name] for name in _TEXTS if isinstance(item.get(name), str) and item[name]), None)
    state = _state(item)
    if not isinstance(text, str) or state is None or not text.strip():
        return None
    return Todo(text=brief(text, LONGEST), state=_STATES[state])


def _with_task(present: list[Todo], step: Step) -> list[Todo]:
    subject = brief(step.text_of("subject", "description"), LONGEST)
    if step.call.name == "TaskCreate":
        created = _CREATED.search(step.text, 0, 400)
        return [*present, Todo(text=subject, id=created[1] if created else "")] if subject else present
    id, state = step.text_of("taskId"), _state(step.arguments)
    if state in _GONE:
        return [todo for todo in present if todo.id != id]
    out: list[Todo] = []
    for todo in present:
        if todo.id == id:
            text = brief(step.text_of("subject"), LONGEST) or todo.text
            todo = Todo(text=text, state=_STATES[state] if state else todo.state, id=id)
        out.append(todo)
    return out


def checkboxes_of(messages: Sequence[Message]) -> tuple[Todo, ...]:
    """Give the checkboxes of the last message that holds at least two, written by a person or the model."""
    for message in reversed(messages):
        if message.is_human or message.role is Role.ASSISTANT:
            text = message.text
            if "[ ]" not in text and "[x]" not in text:
                continue
            boxes = _BOX.findall(without_fences(text))
            if len(boxes) >= 2:
                return tuple(_box(sign, line) for sign, line in boxes[:MOST_CHECKBOXES])
    return ()


def _box(sign: str, line: str) -> Todo:
    state = State.OPEN if sign == " " else State.DONE if sign in "xX" else State.DOING
    return Todo(text=brief(line, LONGEST), state=state)
