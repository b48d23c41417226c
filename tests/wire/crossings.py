"""Conversations that go from one provider to another: told once, held with each of them, and read again."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from unabridged.message import Media, Role, Text, ToolCall, ToolResult
from unabridged.wire import wire

DIALECTS = ["anthropic", "gemini", "openai_chat", "openai_responses"]
LISTED = {"openai_responses": "input", "gemini": "contents"}
"""The field that holds the messages, where it is not `messages`."""

_WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12).map(str.strip).filter(bool)
_BLOB = base64.b64encode(b"some picture").decode()


class Call(NamedTuple):
    """A call with what it gave back."""

    id: str
    name: str
    arguments: dict[str, Any]
    output: str
    failed: bool


class Step(NamedTuple):
    """What the user says, and what the model says and does upon it."""

    asked: str
    pictured: bool
    thought: str
    said: str
    calls: tuple[Call, ...]
    order: tuple[int, ...]
    """In which the results come."""


@st.composite
def steps(draw: st.DrawFn) -> Step:
    ids = draw(st.lists(st.sampled_from(["c1", "c2", "toolu_01", "call:x/y", "z" * 70]), max_size=3, unique=True))
    arguments = st.dictionaries(st.sampled_from(["a", "path"]), _WORDS | st.integers(-5, 5), max_size=2)
    calls = [
        Call(id, draw(st.sampled_from(["run", "read"])), draw(arguments), draw(_WORDS), draw(st.booleans()))
        for id in ids
    ]
    return Step(
        draw(_WORDS),
        draw(st.booleans()),
        draw(st.just("") | _WORDS),
        draw(_WORDS) if not calls else draw(st.just("") | _WORDS),
        tuple(calls),
        tuple(draw(st.permutations(range(len(calls))))),
    )


def stories() -> st.SearchStrategy[list[Step]]:
    """Sound conversations, in which ids may come again from step to step."""
    return st.lists(steps(), min_size=1, max_size=4)


def held(story: Sequence[Step], dialect: str) -> bytes:
    """Give the request of a conversation that was held with a provider, in that provider's own words."""
    listed = [message for step in story for message in _FORMS[dialect](step)]
    return json.dumps({"model": "m", LISTED.get(dialect, "messages"): listed}, ensure_ascii=False).encode()


def _openai_chat(step: Step) -> list[dict[str, Any]]:
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_BLOB}"}}
    asked = [{"type": "text", "text": step.asked}, picture] if step.pictured else step.asked
    answer: dict[str, Any] = {"role": "assistant", "content": step.said or None}
    if step.thought:
        answer["reasoning_content"] = step.thought
    if step.calls:
        answer["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.arguments)}}
            for c in step.calls
        ]
    results = [step.calls[at] for at in step.order]
    return [
        {"role": "user", "content": asked},
        answer,
        *({"role": "tool", "tool_call_id": call.id, "content": call.output} for call in results),
    ]


def _anthropic(step: Step) -> list[dict[str, Any]]:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _BLOB}}
    asked = [{"type": "text", "text": step.asked}, *([picture] if step.pictured else [])]
    thought = [{"type": "thinking", "thinking": step.thought, "signature": "c2ln"}] if step.thought else []
    said = [{"type": "text", "text": step.said}] if step.said else []
    uses = [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in step.calls]
    results = [
        {"type": "tool_result", "tool_use_id": c.id, "content": c.output, "is_error": c.failed}
        for c in (step.calls[at] for at in step.order)
    ]
    messages = [{"role": "user", "content": asked}, {"role": "assistant", "content": [*thought, *said, *uses]}]
    return [*messages, *([{"role": "user", "content": results}] if results else [])]


def _openai_responses(step: Step) -> list[dict[str, Any]]:
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{_BLOB}", "detail": "auto"}
    asked = [{"type": "input_text", "text": step.asked}, picture] if step.pictured else step.asked
    reasoning = {"type": "reasoning", "summary": [{"type": "summary_text", "text": step.thought}]}
    return [
        {"role": "user", "content": asked},
        *([{**reasoning, "encrypted_content": "c2ln"}] if step.thought else []),
        *([{"role": "assistant", "content": step.said}] if step.said else []),
        *(
            {"type": "function_call", "call_id": c.id, "name": c.name, "arguments": json.dumps(c.arguments)}
            for c in step.calls
        ),
        *(
            {"type": "function_call_output", "call_id": c.id, "output": c.output}
            for c in (step.calls[at] for at in step.order)
        ),
    ]


def _gemini(step: Step) -> list[dict[str, Any]]:
    picture = {"inlineData": {"mimeType": "image/png", "data": _BLOB}}
    thought = [{"text": step.thought, "thought": True}] if step.thought else []
    said = [{"text": step.said}] if step.said else []
    calls = [{"functionCall": {"id": c.id, "name": c.name, "args": c.arguments}} for c in step.calls]
    if calls:
        calls[0]["thoughtSignature"] = "c2ln"  # pyright: ignore[reportArgumentType] - a part of its own shape
    results = [
        {"functionResponse": {"id": c.id, "name": c.name, "response": {"error" if c.failed else "output": c.output}}}
        for c in (step.calls[at] for at in step.order)
    ]
    return [
        {"role": "user", "parts": [{"text": step.asked}, *([picture] if step.pictured else [])]},
        {"role": "model", "parts": [*thought, *said, *calls]},
        *([{"role": "user", "parts": results}] if results else []),
    ]


_FORMS = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
}


class Told(NamedTuple):
    """What a conversation says, whatever provider it is held with."""

    users: list[str]
    model: list[str]
    calls: list[tuple[str, dict[str, Any], str]]
    """Name, arguments and output, in the order of the calls."""
    pictures: int


def told(story: Sequence[Step]) -> Told:
    """Give what a story says."""
    calls = [(call.name, call.arguments, call.output) for step in story for call in step.calls]
    said = [step.said for step in story if step.said]
    return Told([step.asked for step in story], said, calls, sum(step.pictured for step in story))


def read_again(dialect: str, texts: Sequence[str]) -> Told:
    """Give what written messages say, results with the nearest earlier open call of their id."""
    body = f'{{"{LISTED.get(dialect, "messages")}":[{",".join(texts)}]}}'
    frame, messages, _ = wire(dialect).read_request(body.encode("utf-8", "backslashreplace"), id_prefix="r")
    out, waiting = Told([], [], [], 0), list[tuple[str, int]]()
    for message in (*frame.system, *messages):
        for part in message.parts:
            match part:
                case Text(text) if text:
                    (out.model if message.role is Role.ASSISTANT else out.users).append(text)
                case ToolCall():
                    waiting.append((part.id, len(out.calls)))
                    out.calls.append((part.name, json.loads(part.arguments or "{}"), ""))
                case ToolResult():
                    at = next(one for one in reversed(waiting) if one[0] == part.call_id)
                    waiting.remove(at)
                    name, arguments, _ = out.calls[at[1]]
                    out.calls[at[1]] = name, arguments, "".join(p.text for p in part.parts if isinstance(p, Text))
                case _:
                    pass
    return out._replace(pictures=sum(isinstance(part, Media) for message in messages for part in message.parts))
