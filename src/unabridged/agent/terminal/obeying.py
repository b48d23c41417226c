"""Finds what a line that begins with a slash asks for, and does it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rich.text import Text

from unabridged.agent.terminal import about_context, about_session
from unabridged.agent.terminal.ink import DIM, NOTE
from unabridged.agent.terminal.orders import Order
from unabridged.errors import BadInput

if TYPE_CHECKING:
    from unabridged.agent.terminal.front import Front

KEYS = (
    ("Enter", "send; Alt-Enter, or a \\ at the end: a new line"),
    ("Esc, Ctrl-C", "interrupt what runs; Ctrl-C twice leaves, and so does Ctrl-D"),
    ("Shift-Tab", "the next mode"),
    ("Up, Ctrl-R", "what was typed before"),
    ("@file", "name a file, and put it in where it is short"),
    ("!command", "run a command yourself; the model is told with your next words"),
)


async def obey(front: Front, line: str) -> None:
    """Carry out a command. Raises `BadInput` for one that there is not."""
    name, _, rest = line[1:].partition(" ")
    order = {order.name: order for order in orders()}.get(name)
    if order is None:
        near = get_close_matches(name, [order.name for order in orders()], n=1, cutoff=0.4)
        meant = f"did you mean /{near[0]}? " if near else ""
        raise BadInput(f"there is no command /{name}: {meant}/help lists them")
    if front.is_busy and not order.beside:
        raise BadInput(f"/{name} waits until nothing runs: Esc interrupts what does")
    await order.act(front, rest.strip())


def orders() -> tuple[Order, ...]:
    """Give all commands, in the order of the help."""
    return (_HELP, *about_context.ORDERS, *about_session.ORDERS)


def meanings() -> dict[str, str]:
    """Give what each command does."""
    return {order.name: order.does for order in orders()}


async def _help(front: Front, _: str) -> None:
    wide = front.screen.console.width >= 60
    rows = [(f"/{order.name} {order.takes}".rstrip(), order.does) for order in orders()]
    for name, does in (*rows, *KEYS):
        gap = " " * max(1, 30 - len(name)) if wide else "\n    "
        front.screen.show(Text.assemble((f"  {name}", NOTE), f"{gap}", (does, DIM)))


_HELP = Order(name="help", does="list commands and keys", act=_help, beside=True)
