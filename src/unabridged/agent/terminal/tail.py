"""The end of a session that is opened again: what was said last."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markdown import Markdown
from rich.text import Text

from unabridged.agent.desk import Desk
from unabridged.agent.terminal.ink import DIM, OWN, Ink, one_line, plain
from unabridged.message import Message, Role
from unabridged.transcript import Transcript

MESSAGES = 6
"""That are shown."""
MOST = 2_000
"""Characters of each."""


def tail(desk: Desk, ink: Ink) -> Iterator[RenderableType]:
    """Give the newest messages of the session, as they were shown."""
    transcript = Transcript(desk.shop.project.open(desk.session).log)
    seen = [record.message for record in transcript.records if record.message.is_human or record.message.text.strip()]
    shown = [each for each in seen if each.is_human or each.role is Role.ASSISTANT]
    if len(shown) > MESSAGES:
        yield plain(f"{ink.more} {len(shown) - MESSAGES:,} earlier", DIM)
    for message in shown[-MESSAGES:]:
        yield from _said(message, ink)


def _said(message: Message, ink: Ink) -> Iterator[RenderableType]:
    text = message.text if len(message.text) <= MOST else f"{message.text[:MOST]}{ink.more}"
    yield Text()
    if message.is_human:
        yield Text(f"{ink.prompt} ", OWN).append_text(plain(text.replace("\n", "\n  "), "bold"))
    else:
        yield Markdown(plain(text).plain)
    for call in message.calls:
        yield plain(f"{ink.done} {call.name} {one_line(call.arguments)[:60]}", DIM)
