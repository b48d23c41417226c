"""A message of Anthropic's, put together from its events ("Streaming messages").

Only role and content are kept as the message: its id, its usage and its stop reason are not taken back in a request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from unabridged.errors import BadInput
from unabridged.models.answers.merging import merge, plain, text_of
from unabridged.models.failing import Refusal
from unabridged.models.model import CallDelta, CallStarted, Completed, Event, ReasoningDelta, TextDelta, ToolRan
from unabridged.models.server_events import ServerEvent
from unabridged.wire import wire
from unabridged.wire.json_text import JsonNode, as_list, as_object

_RAN = frozenset({"server_tool_use", "mcp_tool_use"})
_BEGUN = {"text_delta": "text", "thinking_delta": "thinking"}
"""What a delta goes on with, where that says it all."""


class _Block:
    """One block of the content, as far as it came."""

    def __init__(self, block: dict[str, object]) -> None:
        self.members = dict[str, object]()
        merge(self.members, block)
        self.kind = str(block.get("type") or "")
        self.call: int | None = None
        self.arguments: list[str] = []

    def finished(self) -> dict[str, object]:
        """Give the block; arguments that are no object, as an answer that was cut off has them, as text in one."""
        written = "".join(self.arguments)
        if not written.strip():
            return self.members
        try:
            read: object = json.loads(JsonNode.parse(written, "arguments").source)
        except BadInput:
            read = None
        return {**self.members, "input": read if isinstance(read, dict) else {"input": written}}


class AnthropicAnswer:
    """One answer."""

    def __init__(self) -> None:
        self.ended = False
        self.closed = False
        self._blocks: list[_Block] = []
        self._open: dict[object, _Block] = {}
        """By index, which some gateways give to several blocks one after the other."""
        self._calls = 0
        self._usage: dict[str, object] = {}
        self._stop = ""
        self._model = ""

    def take(self, event: ServerEvent) -> Iterator[Event]:
        """Take in an event, or a whole message."""
        said = event.node().members
        kind = said.get("type") or event.name
        if kind == "error" or said.get("error") or (event.is_whole and "content" not in said):
            raise Refusal(said)
        if event.is_whole:
            yield from self._whole(said)
        elif kind == "message_start":
            self._head(as_object(said.get("message")))
        elif kind == "content_block_start":
            yield from self._start(said.get("index"), as_object(said.get("content_block")))
        elif kind == "content_block_delta":
            yield from self._more(said.get("index"), as_object(said.get("delta")))
        elif kind == "message_delta":
            self._head({**as_object(said.get("delta")), "usage": said.get("usage")})
        elif kind == "message_stop":
            self.ended = self.closed = True

    def completed(self) -> Completed:
        """Give the answer: one message."""
        blocks = [block.finished() for block in self._blocks]
        said = any(block.get("type") != "text" or plain(block.get("text")) for block in blocks)
        return Completed(
            items=(text_of({"role": "assistant", "content": blocks}),) if said else (),
            usage=wire("anthropic").usage({"usage": self._usage}),
            stop=self._stop,
            model=self._model,
        )

    def _head(self, message: Mapping[str, object]) -> None:
        self._model = str(message.get("model") or self._model)
        self._stop = str(message.get("stop_reason") or self._stop)
        # The end reports what the beginning could not know, and not always all of the rest.
        reported = as_object(message.get("usage"))
        self._usage |= {key: value for key, value in reported.items() if value is not None}

    def _whole(self, message: Mapping[str, object]) -> Iterator[Event]:
        self._head(message)
        for place, block in enumerate(map(as_object, as_list(message.get("content")))):
            yield from self._start(place, block)
        self.ended = self.closed = True

    def _start(self, index: object, block: dict[str, object]) -> Iterator[Event]:
        started = self._open[index] = _Block(block)
        self._blocks.append(started)
        if started.kind == "tool_use":
            started.call, self._calls = self._calls, self._calls + 1
            yield CallStarted(started.call, str(block.get("id") or ""), str(block.get("name") or ""))
            if block.get("input"):
                yield CallDelta(started.call, text_of(block["input"]))
        elif started.kind in _RAN:
            yield ToolRan(str(block.get("name") or ""))
        yield from _spoken(block)

    def _more(self, index: object, delta: dict[str, object]) -> Iterator[Event]:
        begun = _BEGUN.get(str(delta.get("type")))
        if index not in self._open and begun is not None:  # some gateways leave out the beginning
            yield from self._start(index, {"type": begun})
        if index in self._open:
            yield from self._delta(self._open[index], delta)

    def _delta(self, block: _Block, delta: dict[str, object]) -> Iterator[Event]:
        more = {key: value for key, value in delta.items() if key != "type"}
        if delta.get("type") == "input_json_delta":
            written = str(more.pop("partial_json", None) or "")
            block.arguments.append(written)
            if block.call is not None and written:
                yield CallDelta(block.call, written)
        if "citation" in more:
            more["citations"] = [more.pop("citation")]
        merge(block.members, more)
        yield from _spoken(more)


def _spoken(members: Mapping[str, object]) -> Iterator[Event]:
    """Give the event of what a block, or a delta of it, says."""
    text, thought = members.get("text"), members.get("thinking")
    if isinstance(text, str) and text:
        yield TextDelta(text)
    if isinstance(thought, str) and thought:
        yield ReasoningDelta(thought)
