"""Reads chat histories of aider: Markdown, many chats in one file.

`####` lines are a person's, `>` lines what the client printed, everything else the model's. The client ends its own
lines with two blanks: that tells them from a model's headings and quotations. What it printed, and commands to it
(`/add`, `/undo`, `!ls`), are `Origin.INJECTED`: a chat that is restored has neither. Chats in which nobody spoke are
left out. Counts behind an answer are its usage; from a thousand on aider may have rounded them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from unabridged.importers.detection import Head
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.message import Message, Origin, Role, Text
from unabridged.report import Usage

STARTED = "# aider chat started at "

_ASKED = "####"
_PRINTED = ">"
_ENDED = "  "
_SPEAKS = ("/ask ", "/code ", "/architect ", "/help ", "/chat-mode ")
_REFLECTED = ("# Fix any errors below", "I ran this command:", "I ran and got this output:")
_MODEL = re.compile(r"(?:Main model|Models?): (?P<model>\S+) with ")
_NUMBER = r"(?P<{}>[\d,.]+k?)"
_BEHIND = re.compile(rf"Tokens: {_NUMBER.format('sent')} sent,.*?{_NUMBER.format('received')} received")
_BEFORE = re.compile(rf"{_NUMBER.format('sent')} prompt tokens, {_NUMBER.format('received')} completion tokens")


class Aider:
    """Chat histories of aider, `.aider.chat.history.md`."""

    name = "aider chat history"

    def recognises(self, head: Head) -> bool:
        """Tell by the heading of a chat."""
        text = b"\n" + head.start.removeprefix(codecs.BOM_UTF8)
        return b"\n" + STARTED.encode() in text

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give a conversation for each chat in which somebody spoke."""
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
        problems = (
            ["bytes that are no UTF-8 became U+FFFD"] if "\ufffd" in text and "\ufffd".encode() not in data else []
        )
        chats = [_Chat()]
        for line in text.split("\n"):
            if line.startswith(STARTED):
                chats.append(_Chat())
            else:
                chats[-1].take(line.removesuffix("\r"))
        gathered = [gathering for chat in chats if (gathering := chat.done()) is not None]
        return conversations(gathered, data, name, problems)


class _Chat:
    """Takes the lines of one chat, and joins those of one speaker."""

    def __init__(self) -> None:
        self._gathering = Gathering()
        self._speaker = ""
        self._lines: list[str] = []
        self._model = ""
        self._next_usage: Usage | None = None
        self._spoke = False

    def take(self, line: str) -> None:
        """Take one line without its end."""
        speaker = _speaker_of(line)
        if not line and self._speaker in (_ASKED, _PRINTED):
            self._flush()  # an empty line ends an input and a print; inside them it carries their mark
            return
        if speaker != self._speaker:
            self._flush()
            self._speaker = speaker
        self._lines.append(line[len(speaker) :].removeprefix(" ").removesuffix(_ENDED) if speaker else line)

    def done(self) -> Gathering | None:
        """Give the conversation; None where nobody spoke in it."""
        self._flush()
        return self._gathering if self._spoke else None

    def _flush(self) -> None:
        text = "\n".join(self._lines)
        speaker, self._speaker, self._lines = self._speaker, "", []
        if not text.strip():
            return
        if speaker == _ASKED:
            is_command = _is_command(text)
            self._spoke = self._spoke or not is_command
            self._add(Role.USER, Origin.INJECTED if is_command else Origin.HUMAN, text)
        elif speaker == _PRINTED:
            self._add(Role.USER, Origin.INJECTED, text)
            self._note(text)
        else:
            self._spoke = True
            message = Message(id="", role=Role.ASSISTANT, parts=(Text(text.strip("\n")),), origin=Origin.MODEL)
            self._gathering.answer(message, model=self._model, usage=self._next_usage)
            self._next_usage = None

    def _add(self, role: Role, origin: Origin, text: str) -> None:
        self._gathering.add(Message(id="", role=role, parts=(Text(text),), origin=origin))

    def _note(self, text: str) -> None:
        """Read the model and the usage from what the client printed."""
        if model := _MODEL.search(text):
            self._model = model["model"]
        if before := _BEFORE.search(text):
            self._next_usage = _usage(before)
        elif (behind := _BEHIND.search(text)) and self._gathering.calls:
            self._gathering.used(max(self._gathering.calls), _usage(behind))


def _speaker_of(line: str) -> str:
    if not line.endswith(_ENDED):
        return ""
    return next((mark for mark in (_ASKED, _PRINTED) if line.startswith(mark + " ")), "")


def _is_command(text: str) -> bool:
    if text.startswith(_SPEAKS):
        return False
    return text.startswith(("/", "!", *_REFLECTED))


def _usage(found: re.Match[str]) -> Usage:
    return Usage(input=_count(found["sent"]), output=_count(found["received"]))


def _count(written: str) -> int:
    number = float(written.rstrip("k.,").replace(",", ""))
    return int(number * 1_000 if written.endswith("k") else number)
