"""A response of OpenAI's, from its events ("Streaming events"). Its items are given as they came, to the character."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unabridged.models.failing import Refusal
from unabridged.models.model import CallDelta, CallStarted, Completed, Event, ReasoningDelta, TextDelta, ToolRan
from unabridged.models.server_events import ServerEvent
from unabridged.wire import wire
from unabridged.wire.json_text import JsonNode, as_list, as_object, list_of, object_of, quote

_TEXTS = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THOUGHTS = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_ARGUMENTS = frozenset({"response.function_call_arguments.delta", "response.custom_tool_call_input.delta"})
_ITEMS = frozenset({"response.output_item.added", "response.output_item.done"})
_ENDS = frozenset({"response.completed", "response.incomplete"})
_FAILURES = frozenset({"error", "response.failed", "response.cancelled"})
_WRITTEN = {"function_call": "arguments", "custom_tool_call": "input"}
"""Calls that the model writes, and where it writes to."""
_OURS = frozenset({"computer_call", "local_shell_call", "shell_call", "apply_patch_call", "tool_search_call"})
"""Calls that the caller carries out. Every other one the provider does, whatever they will be called."""


class ResponsesAnswer:
    """One answer."""

    def __init__(self) -> None:
        self.ended = False
        self.closed = False
        self._done: dict[object, JsonNode] = {}
        self._final: list[JsonNode] = []
        self._calls: dict[object, int] = {}
        self._ran = set[object]()
        self._streamed = set[object]()
        self._response: Mapping[str, object] = {}
        self._said: list[str] = []

    def take(self, event: ServerEvent) -> Iterator[Event]:
        """Take in an event, or a whole response."""
        if event.data.startswith("[DONE]"):  # of servers that think in chat completions
            self.closed = True
            return
        node = event.node()
        kind = node.string("type") or event.name
        if kind in _FAILURES or (node.members.get("error") and "output" not in node.members):
            raise Refusal(_complaint(node.members))
        if event.is_whole:
            yield from self._end(node)
        elif kind in _ITEMS:
            yield from self._item(kind, node)
        elif kind in _ENDS:
            yield from self._end(node.member("response") if "response" in node.members else node)
        elif kind == "response.created":
            self._response = as_object(node.members.get("response"))
        else:
            yield from self._delta(kind, node)

    def completed(self) -> Completed:
        """Give the answer: every item of the output."""
        items = self._final or [self._done[place] for place in sorted(self._done, key=_position)]
        said = any(_says(item.members) for item in items)
        if not items and self._said:  # a server that sent the deltas alone
            items, said = [JsonNode.parse(_message("".join(self._said)), "the answer")], True
        response = self._response
        reason = as_object(response.get("incomplete_details")).get("reason")
        return Completed(
            items=tuple(item.source for item in items) if said else (),
            usage=wire("openai_responses").usage(response),
            stop=str(reason or response.get("status") or ""),
            model=str(response.get("model") or ""),
        )

    def _end(self, response: JsonNode) -> Iterator[Event]:
        if response.members.get("status") in ("failed", "cancelled") or "output" not in response.members:
            raise Refusal(_complaint(response.members))
        self._response = response.members
        output = response.get("output")
        self._final = output.items() if output is not None else []
        for place, item in enumerate(self._final):
            yield from self._seen(place, item.members)
        self.ended = self.closed = True

    def _item(self, kind: str, node: JsonNode) -> Iterator[Event]:
        place, item = node.members.get("output_index"), node.get("item")
        if item is None:
            return
        if kind.endswith("added"):
            yield from self._begun(place, item.members)
        else:
            self._done[place] = item
            yield from self._seen(place, item.members)

    def _begun(self, place: object, item: Mapping[str, object]) -> Iterator[Event]:
        kind = str(item.get("type") or "")
        if kind in _WRITTEN:
            if place not in self._calls:
                self._calls[place] = len(self._calls)
                yield CallStarted(self._calls[place], str(item.get("call_id") or ""), str(item.get("name") or ""))
        elif _is_theirs(kind) and place not in self._ran:
            self._ran.add(place)
            yield ToolRan(kind.removesuffix("_output").removesuffix("_call"))

    def _delta(self, kind: str, node: JsonNode) -> Iterator[Event]:
        place, text = node.members.get("output_index"), node.string("delta")
        made: Event | None = None
        if kind in _TEXTS:
            made = TextDelta(text)
            self._said.append(text)
        elif kind in _THOUGHTS:
            made = ReasoningDelta(text)
        elif kind in _ARGUMENTS and place in self._calls:
            made = CallDelta(self._calls[place], text)
        elif kind == "response.reasoning_summary_part.added" and node.members.get("summary_index"):
            made, text = ReasoningDelta("\n\n"), "\n\n"
        if made is not None and text:
            self._streamed.add(place)
            yield made

    def _seen(self, place: object, item: Mapping[str, object]) -> Iterator[Event]:
        """Give the events of a finished item that came without a beginning, or without deltas."""
        yield from self._begun(place, item)
        if place in self._streamed:
            return
        self._streamed.add(place)
        kind = str(item.get("type") or "")
        if kind in _WRITTEN:
            yield CallDelta(self._calls[place], str(item.get(_WRITTEN[kind]) or ""))
        for name in ("summary", "content"):
            for part in map(as_object, as_list(item.get(name))):
                text = str(part.get("text") or part.get("refusal") or "")
                if text:
                    yield ReasoningDelta(text) if kind == "reasoning" else TextDelta(text)


def _message(text: str) -> str:
    part = object_of(type=quote("output_text"), text=quote(text), annotations="[]")
    return object_of(type=quote("message"), role=quote("assistant"), content=list_of([part]))


def _position(place: object) -> int:
    return place if isinstance(place, int) else 0


def _is_theirs(kind: str) -> bool:
    return kind == "shell_call_output" or (kind.endswith("_call") and kind not in _OURS)


def _says(item: Mapping[str, object]) -> bool:
    """Tell whether an item is more than a message without a word."""
    if item.get("type") != "message":
        return True
    parts = map(as_object, as_list(item.get("content")))
    return any(part.get("text") or part.get("refusal") or "text" not in part for part in parts)


def _complaint(said: Mapping[str, object]) -> object:
    """Give what is wrong, without the answer around it."""
    inside = as_object(said.get("response")) or said
    return inside.get("error") or {key: value for key, value in inside.items() if key not in ("output", "usage")}
