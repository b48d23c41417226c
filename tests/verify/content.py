"""What must not be lost: the task, and what the model has not read yet. It is as it was, or says that it was cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.verify.bodies import Bodies
from unabridged.fitted import Fitted
from unabridged.message import Media, Message, Role, Text, ToolResult

ORPHAN = "a tool result without its call was left out"
MARK = "[context: "


Shown = dict[str | None, list[Message]]
"""What a request shows, by the message that it was made from. One whose calls were apart is shown in several."""


def lost(transcript: Sequence[Message], fitted: Fitted, dialect: str, bodies: Bodies) -> Iterator[tuple[str, str]]:
    """Give (kind of fault, what) for what a request should say and does not."""
    shown: Shown = {}
    for item in fitted.items:
        shown.setdefault(item.source, []).append(item.message)
    yield from _task(transcript, shown, fitted, dialect, bodies)
    yield from _unread(transcript, shown, fitted, dialect, bodies)


def _task(
    transcript: Sequence[Message], shown: Shown, fitted: Fitted, dialect: str, bodies: Bodies
) -> Iterator[tuple[str, str]]:
    task = next((message for message in transcript if message.is_human), None)
    if task is None:
        return
    views = shown.get(task.id, [])
    if not _is_told(task, views):
        yield "task", task.id
    elif not _goes_out(views, [part for view in views for part in view.parts], dialect, fitted, bodies):
        yield "task", f"{task.id} is not in the body"


def _unread(
    transcript: Sequence[Message], shown: Shown, fitted: Fitted, dialect: str, bodies: Bodies
) -> Iterator[tuple[str, str]]:
    for message in unread(transcript):
        if not message.results or _is_left_out_rightly(message, transcript, shown):
            continue
        views = shown.get(message.id, [])
        results = [result for view in views for result in view.results]
        if not _same_or_marked(message.results, results):
            yield "unread", message.id
        elif not _goes_out(views, [piece for result in results for piece in result.parts], dialect, fitted, bodies):
            yield "unread", f"{message.id} is not in the body"


def unread(transcript: Sequence[Message]) -> list[Message]:
    """Give the last assistant message, if it called anything, and all that came after it."""
    last = next((at for at in range(len(transcript) - 1, -1, -1) if transcript[at].role is Role.ASSISTANT), -1)
    start = last if last >= 0 and transcript[last].calls else last + 1
    return list(transcript[start:])


def _goes_out(views: Sequence[Message], pieces: Sequence[object], dialect: str, fitted: Fitted, bodies: Bodies) -> bool:
    """Tell whether the texts of a view are in the body. What goes out in the form that it came in is not looked at."""
    if all(view.raw is not None and view.raw.dialect == dialect for view in views):
        return True
    texts = [piece.text for piece in pieces if isinstance(piece, Text)]
    newest = bool(views[0].results)
    return all(bodies.says(fitted, text, newest_first=newest) for text in texts)


def _is_told(task: Message, views: Sequence[Message]) -> bool:
    text = "\n".join(view.text for view in views)
    return bool(views) and (text == task.text or MARK in text)


def _is_left_out_rightly(message: Message, transcript: Sequence[Message], shown: Shown) -> bool:
    """Tell whether these are results that nothing asked for, left out with a marker that says so."""
    if message.id in shown or not any(ORPHAN in marker.text for marker in shown.get(None, ())):
        return False
    calls = {call.id for earlier in transcript for call in earlier.calls}
    return not any(result.call_id in calls for result in message.results)


def _same_or_marked(before: Sequence[ToolResult], after: Sequence[ToolResult]) -> bool:
    """Tell whether every result is as it was; texts and media that are not must be marked, each result for itself."""
    if len(before) > len(after):
        return False
    for was, now in zip(before, after, strict=False):
        marks = sum(MARK in part.text for part in now.parts if isinstance(part, Text))
        if _texts(was) != _texts(now) and not marks:
            return False
        if len(_media(now)) < len(_media(was)) and not marks:
            return False
    return True


def _texts(result: ToolResult) -> list[str]:
    return [part.text for part in result.parts if isinstance(part, Text)]


def _media(result: ToolResult) -> list[Media]:
    return [part for part in result.parts if isinstance(part, Media)]
