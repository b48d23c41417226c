"""Puts the messages of a Claude Code session together again: the file has one line for each content block.

Lines of one message id are one assistant message, at the place of its first line: the results of its first calls
stand between its blocks, since the client runs a call while the model still writes. Results that answer one
assistant message are one user message, in file order, results first, as the provider demands.
"""

from __future__ import annotations

import msgspec

from unabridged.importers.claude_lines import Block, Line, Queued, Spoken
from unabridged.importers.claude_origins import is_typed, origin_of
from unabridged.importers.json_reading import decoded
from unabridged.message import Origin

_MADE_UP = "<synthetic>"
_NO_TEXT = "a picture"
"""What stands for a block without text where it is asked who wrote a message: somebody put it there."""


class Draft(msgspec.Struct, eq=False):
    """A message whose blocks are still being collected, each as the JSON text of its line."""

    line: int
    role: str
    origin: Origin
    time: str | None
    content: str | None
    """The content as written, while it is all from one line."""
    results: list[str]
    blocks: list[str]
    """Blocks that are no results."""
    model: str = ""
    usage: msgspec.Raw | None = None
    answers: Draft | None = None
    """The user message with the results of this one's calls."""

    @property
    def body(self) -> str:
        """The message as its provider writes it."""
        content = f"[{','.join(self.results + self.blocks)}]" if self.content is None else self.content
        return f'{{"role":"{self.role}","content":{content}}}'


class _Content(msgspec.Struct):
    """The content of one line, taken apart."""

    results: list[str]
    blocks: list[str]
    known: list[Block]
    """What is known of all of them, in order."""


class Joining:
    """Takes the lines of one conversation in file order. What comes of them can be read at any time."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.problems: list[str] = []
        self.made_up: list[int] = []
        """Lines of answers that the client wrote in the model's place."""
        self.user_texts: list[str] = []
        self._by_id: dict[str, Draft] = {}
        self._callers: dict[str, Draft] = {}
        self._newest: Draft | None = None

    def take(self, number: int, line: Line) -> None:
        """Take one line; a kind that holds no message is passed over."""
        match line.type:
            case "user" | "assistant":
                self._take_spoken(number, line)
            case "attachment":
                self._take_queued(number, line)
            case _:
                pass

    def _take_spoken(self, number: int, line: Line) -> None:
        spoken = decoded(line.message, Spoken)
        content = None if spoken is None else _taken_apart(spoken.content)
        if spoken is None or content is None:
            self.problems.append(f"line {number}: a line of type `{line.type}` without a message that can be read")
        elif line.type == "user":
            self._add_user(number, line, spoken.content, content)
        elif line.is_api_error_message or spoken.model == _MADE_UP:
            self.made_up.append(number)
        else:
            self._add_assistant(number, line, spoken, content)

    def _take_queued(self, number: int, line: Line) -> None:
        queued = decoded(line.attachment, Queued)
        content = None if queued is None else _taken_apart(queued.prompt)
        if queued is not None and queued.type == "queued_command" and content is not None:
            self._add_user(number, msgspec.structs.replace(line, origin=queued.origin), queued.prompt, content)

    def _add_assistant(self, number: int, line: Line, spoken: Spoken, content: _Content) -> None:
        key = spoken.id or line.uuid or str(number)
        draft = self._by_id.get(key)
        if draft is None:
            draft = Draft(number, "assistant", Origin.MODEL, line.timestamp, None, [], [])
            self._by_id[key] = self._newest = draft
            self.drafts.append(draft)
        draft.blocks += content.results + content.blocks
        draft.model = spoken.model or draft.model
        # Early lines of a message carry the output tokens counted until then: the last one is right.
        draft.usage = spoken.usage
        self._callers.update((block.id or "", draft) for block in content.known if block.type == "tool_use")

    def _add_user(self, number: int, line: Line, written: msgspec.Raw, content: _Content) -> None:
        said = [block for block in content.known if block.type != "tool_result"]
        texts = [block.text or "" if block.type == "text" else _NO_TEXT for block in said]
        self.user_texts += texts
        as_written = bytes(written).decode()
        if not content.results:
            origin = origin_of(line, texts)
            self.drafts.append(Draft(number, "user", origin, line.timestamp, as_written, [], content.blocks))
            return
        typed = not line.is_meta and any(map(is_typed, texts))
        origin = Origin.HUMAN if typed else Origin.TOOL_FEEDBACK
        draft = Draft(number, "user", origin, line.timestamp, as_written, content.results, content.blocks)
        self._add_results(draft, next(block for block in content.known if block.type == "tool_result"))

    def _add_results(self, draft: Draft, first: Block) -> None:
        caller = self._callers.get(first.tool_use_id or "")
        # Results that come after the next answer stay where they are: what is wrong in the file is not hidden.
        if caller is None or caller is not self._newest or caller.answers is None:
            self.drafts.append(draft)
            if caller is not None:
                caller.answers = draft
            return
        joined = caller.answers
        joined.content = None
        joined.results += draft.results
        joined.blocks += draft.blocks
        if draft.origin is Origin.HUMAN:
            joined.origin = Origin.HUMAN


def _taken_apart(written: msgspec.Raw) -> _Content | None:
    """Take content apart; None where it is neither a text nor a list."""
    text = decoded(written, str)
    if text is not None:
        block = '{"type":"text","text":' + bytes(written).decode() + "}"
        return _Content([], [block], [Block(type="text", text=text)])
    items = decoded(written, list[msgspec.Raw])
    if items is None:
        return None
    content = _Content([], [], [])
    for item in items:
        known = decoded(item, Block) or Block()
        content.known.append(known)
        (content.results if known.type == "tool_result" else content.blocks).append(bytes(item).decode())
    return content
