"""A call in one line, a diff in colours, and what is asked before a call runs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from unabridged.agent.events import CallEnded
from unabridged.agent.permissions.questions import Danger, Question
from unabridged.agent.terminal.ink import BAD, DIM, GOOD, NOTE, WARN, Ink, one_line, plain

MOST_DIFF = 24
"""Lines of a diff that are shown at once."""
MOST_ERROR = 6


def fitting(text: Text, width: int) -> Text:
    """Give a line that fits, its end cut off where it must be."""
    text.truncate(max(width, 8), overflow="ellipsis")
    text.no_wrap = True
    return text


def head(sign: str, style: str, tool: str, title: str) -> Text:
    """Give the beginning of a card."""
    made = Text.assemble((f"{sign} ", style), (tool, "bold"))
    if title:
        made.append(" ").append_text(plain(one_line(title)))
    return made


def card(ended: CallEnded, title: str, ink: Ink, width: int) -> list[RenderableType]:
    """Give a call that came to its end, with its diff, and the first lines of what went wrong."""
    sign, style = (ink.denied, WARN) if ended.is_denied else (ink.failed, BAD) if ended.is_error else (ink.done, GOOD)
    outcome = one_line(ended.headline) or ("failed" if ended.is_error else "done")
    outcome = "done" if outcome == title else outcome
    # A shell says itself how long it took.
    took = f", {ended.seconds:.1f} s" if ended.seconds >= 0.1 and not outcome.endswith(" s") else ""
    end = plain(f"  {outcome}{took}", BAD if ended.is_error else DIM)
    room = width - min(end.cell_len, width // 2)
    line = fitting(head(sign, style, ended.tool, title), room)
    made: list[RenderableType] = [fitting(Text.assemble(line, end), width)]
    if ended.diff:
        made.append(diff(ended.diff, ink, most=MOST_DIFF))
    if ended.is_error and not ended.is_denied:
        made.append(indented(ended.text, MOST_ERROR, ink))
    return made


def diff(text: str, ink: Ink, *, most: int | None = None) -> Text:
    """Give a unified diff in colours; what is beyond `most` lines is only counted."""
    lines = text.rstrip("\n").split("\n")
    shown = lines if most is None or len(lines) <= most else lines[:most]
    made = Text("\n").join(plain(f"  {line}", _style(line)) for line in shown)
    if len(shown) < len(lines):
        made.append(f"\n  {ink.more} {len(lines) - len(shown):,} more lines; /diff shows all", DIM)
    return made


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": GOOD, "-": BAD, "@": NOTE}.get(line[:1], DIM)


def indented(text: str, most: int, ink: Ink) -> Text:
    """Give the first lines of an output, dim."""
    lines = text.strip("\n").split("\n")
    made = Text("\n").join(plain(f"  {line[:400]}", DIM) for line in lines[:most])
    if len(lines) > most:
        made.append(f"\n  {ink.more} {len(lines) - most:,} more lines, kept in the session", DIM)
    return made


def question(asked: Question, ink: Ink) -> list[RenderableType]:
    """Give what a person has to see before they allow a call."""
    risky = asked.danger is Danger.HIGH
    made: list[RenderableType] = [head("?", BAD if risky else WARN, asked.tool, "")]
    # Whole, not cut: what cannot be seen must not be allowed.
    made.append(plain("\n".join(f"  {line}" for line in asked.title.split("\n")), "bold"))
    for reason in asked.why:
        made.append(plain(f"  {one_line(reason)}", BAD if risky else DIM))
    if asked.preview:
        made.append(diff(asked.preview, ink, most=MOST_DIFF * 2))
    return made


def choices(asked: Question) -> dict[str, str]:
    """Give what can be answered, each by its key."""
    made = {"y": "yes, once"}
    if asked.rules:
        prefixes = ", ".join(rule.removeprefix("allow ") for rule in asked.rules)
        made |= {"s": "this session", "a": f"always {prefixes}"}
    return {**made, "n": "no"}


def menu(keys: Sequence[tuple[str, str]], ink: Ink) -> Text:
    """Give keys and what they do, in a line."""
    made = Text("  ")
    for place, (key, does) in enumerate(keys):
        made.append(f" {ink.dot} " if place else "", DIM).append(key, "bold").append(f" {does}")
    return made
