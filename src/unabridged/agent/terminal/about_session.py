"""Commands about sessions: which one, from where on, what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.text import Text

from unabridged.agent.terminal.cards import diff, fitting
from unabridged.agent.terminal.ink import BAD, DIM, NOTE, WARN, ink_of, one_line, plain
from unabridged.agent.terminal.orders import Order
from unabridged.errors import BadInput

if TYPE_CHECKING:
    from unabridged.agent.desk import Resumed
    from unabridged.agent.terminal.front import Front

LISTED = 15
SHORT = 8
"""Characters of an id that are shown."""


async def _new(front: Front, _: str) -> None:
    before = front.desk.session
    front.desk.new()
    front.telling.meter = type(front.telling.meter)()
    front.say(f"a new session; the one before stays: /resume {before[:SHORT]}" if before else "a new session", DIM)


async def _sessions(front: Front, _: str) -> None:
    heads = front.desk.sessions(limit=LISTED)
    width, ink = front.screen.console.width, ink_of(front.screen.console)
    if not heads:
        front.say("no session has worked in this folder yet", DIM)
    for number, head in enumerate(heads, 1):
        here = "*" if head.id == front.desk.session else " "
        line = Text.assemble((f"{number:>2}{here}", NOTE), f" {head.id[:SHORT]} ", (f"{_ago(head.updated)} ", DIM))
        line.append(f"{ink.dot} {head.entries:,} entries {ink.dot} ", DIM).append_text(plain(one_line(head.title)))
        front.screen.show(fitting(line, width))


async def _resume(front: Front, id: str) -> None:
    if not id:
        heads = front.desk.sessions(limit=LISTED)
        await _sessions(front, "")
        number = await _number(front, len(heads), "resume which (a number)") if heads else None
        if number is None:
            return
        id = heads[number - 1].id
    show_resumed(front, front.desk.resume(id))


def show_resumed(front: Front, resumed: Resumed) -> None:
    """Show the end of a session that was opened again, and what is known of its open calls."""
    from unabridged.agent.terminal.tail import tail

    ink = ink_of(front.screen.console)
    front.screen.show(*tail(front.desk, ink), Text())
    title = f": {one_line(resumed.title)}" if resumed.title else ""
    front.say(f"session {resumed.id[:SHORT]}{title} ({resumed.messages:,} messages)", DIM)
    for name, state in resumed.open_calls:
        known = "it may have done its work, or a part of it" if state.value == "interrupted" else "nothing happened"
        front.say(f"  a call of {name} is open, {state.value.replace('_', ' ')}: {known}", WARN)
    if resumed.is_interrupted:
        front.say("  its last turn did not come to its end: say `continue`, or anything else", WARN)
    context = front.desk.context()
    front.telling.meter = type(front.telling.meter)(tokens=context.tokens, budget=context.budget, window=context.window)


async def _rewind(front: Front, given: str) -> None:
    points = front.desk.points(limit=LISTED)
    if not points:
        raise BadInput("nothing was said in this session yet: there is nothing to go back to")
    width = front.screen.console.width
    for number, point in enumerate(points, 1):
        line = Text.assemble((f"{number:>2} ", NOTE), (f"message {point.number} ", DIM), plain(one_line(point.text)))
        front.screen.show(fitting(line, width))
    asked = int(given) if given.isdecimal() and 1 <= int(given) <= len(points) else None
    number = asked or await _number(front, len(points), "go back to before which (a number)")
    if number is None:
        return
    point = points[number - 1]
    keys = await _what(front, front.desk.affected(point.id))
    if keys is None:
        return
    rewound = front.desk.rewind(point.id, conversation="c" in keys, files="f" in keys)
    touched = f", {len(rewound.files)} files put back" if rewound.files else ""
    front.say(f"rewound to before message {point.number}{touched}; /undo-rewind takes it back", DIM)
    if "c" in keys:
        front.screen.prefill(rewound.text)


async def _what(front: Front, affected: Sequence[str]) -> str | None:
    """Ask what is to be rewound, and show the files that would be touched."""
    if not affected:
        return "c"
    shown = [plain("These files would be put back:", DIM), *(plain(f"  {path}", WARN) for path in affected)]
    keys = {"c": "conversation", "f": "files", "b": "both", "n": "neither"}
    key = await front.screen.choose(shown, keys, "n")
    return {"b": "cf", "n": None}.get(key, key)


async def _undo_rewind(front: Front, _: str) -> None:
    undone = front.desk.undo_rewind()
    touched = f", {len(undone.files)} files as they were" if undone.files else ""
    front.say(f"the rewind is taken back{touched}", DIM)


async def _fork(front: Front, _: str) -> None:
    name = front.desk.fork()
    front.say(f"going on on branch {name}; the other one stays as it is", DIM)


async def _diff(front: Front, _: str) -> None:
    changed = front.desk.diff()
    if changed:
        front.screen.show(diff(changed, ink_of(front.screen.console)))
    else:
        front.say("this session has changed no files", DIM)


async def _exit(front: Front, _: str) -> None:
    front.interrupt()
    front.screen.leave()


async def _number(front: Front, most: int, label: str) -> int | None:
    typed = await front.screen.line(label)
    if not typed:
        return None
    if not typed.isdecimal() or not 1 <= int(typed) <= most:
        front.say(f"{typed!r} is no number from 1 to {most}", BAD)
        return None
    return int(typed)


def _ago(time: str) -> str:
    """Say how long ago something was."""
    try:
        then = datetime.fromisoformat(time)
    except ValueError:
        return time
    seconds = (datetime.now(UTC) - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit} ago"
    return "now"


ORDERS = (
    Order(name="new", does="begin another session", act=_new),
    Order(name="resume", takes="[ID]", does="open a session of this folder again", act=_resume),
    Order(name="sessions", does="list the sessions of this folder", act=_sessions, beside=True),
    Order(name="rewind", takes="[N]", does="go back: the conversation, files, or both", act=_rewind),
    Order(name="undo-rewind", does="take back the last rewind", act=_undo_rewind),
    Order(name="fork", does="go on on a branch of its own", act=_fork),
    Order(name="diff", does="show what this session changed in the files", act=_diff, beside=True),
    Order(name="exit", does="leave; the session is kept", act=_exit, beside=True),
)
