"""Writes chat histories of aider, which it reads again with `--restore-chat-history`.

A person's lines and the model's are restored. What neither of them wrote, results of tools above all, stands in the
file as the client's own print, which aider shows to people and not to the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.exporters.exporter import Losses
from unabridged.exporters.frames import system_text
from unabridged.exporters.pieces import plain
from unabridged.exporters.stamps import began
from unabridged.importers import Imported
from unabridged.importers.aider import STARTED
from unabridged.message import Message, Origin, Role, ToolCall

_MARKS = ("#### ", "> ", "# ")


class Aider:
    """Any number of chats, Markdown."""

    name = "aider"
    about = "a chat history for `aider --restore-chat-history`"
    suffix = ".aider.md"
    holds_several = True

    def write(self, conversations: Sequence[Imported], losses: Losses) -> Iterator[str]:
        """Give the chats one behind the other."""
        for conversation in conversations:
            losses.note("system texts are left out: the client brings its own", bool(system_text(conversation.frame)))
            yield f"\n{STARTED}{began(conversation)[:19].replace('T', ' ')}\n"
            for message in conversation.messages:
                yield from _blocks(message, losses)


def _blocks(message: Message, losses: Losses) -> Iterator[str]:
    if message.role is Role.ASSISTANT and message.origin is Origin.MODEL:
        if text := plain(message.parts):
            yield f"\n{_unmarked(text)}\n"
        losses.note("calls are printed for people: aider has no tools", len(message.calls))
        yield from (_marked("> ", _called(call)) for call in message.calls)
        return
    said = plain(message.parts)
    if said and message.is_human:
        yield _marked("#### ", said)
    elif said:
        losses.note("messages of the client are printed for people: aider does not restore them")
        yield _marked("> ", said)
    losses.note("results are printed for people: aider does not restore them", len(message.results))
    yield from (_marked("> ", plain(result.parts)) for result in message.results)


def _called(call: ToolCall) -> str:
    return f"{call.name} {call.arguments}"


def _marked(mark: str, text: str) -> str:
    return "\n" + "".join(f"{mark}{line}  \n" for line in text.split("\n"))


def _unmarked(text: str) -> str:
    """Give an answer so that no line of it is taken for somebody else's: those end in two blanks."""
    lines = text.split("\n")
    return "\n".join(line.rstrip(" ") if line.startswith(_MARKS) else line for line in lines)
