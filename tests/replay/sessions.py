"""Small transcripts as files, written here: an agent that reads files for a person, in the forms that are replayed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

TASK = "Find out why the nightly import is slow. Never touch the database itself."
WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo", "lima"]


def output(seed: int, words: int) -> str:
    """A tool's output: numbered lines of words, about 1.4 tokens a word."""
    lines = [
        f"{number:>4} " + " ".join(WORDS[(seed * 7 + number * 3 + place * 5) % len(WORDS)] for place in range(8))
        for number in range(words // 8)
    ]
    return "\n".join(lines)


def claude_lines(calls: int, *, words: int = 400, task: str = TASK, agent: str | None = None) -> list[str]:
    """A Claude Code session: a task, then `calls` answers, all but the last with a tool call and its result."""
    name = agent or "main"
    lines = [_line(f"{name}-task", "user", {"role": "user", "content": task}, agent)]
    for number in range(1, calls + 1):
        called = number < calls
        text = f"Looking at file {number}." if called else "The index is missing."
        blocks: list[dict[str, object]] = [{"type": "text", "text": text}]
        if called:
            arguments = {"command": f"cat file-{number}.py"}
            blocks.append({"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": arguments})
        for place, block in enumerate(blocks):
            message = {"id": f"msg_{name}_{number}", "role": "assistant", "model": "claude-test", "content": [block]}
            lines.append(_line(f"{name}-{number}-{place}", "assistant", message, agent))
        if called:
            result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": output(number, words)}
            lines.append(_line(f"{name}-{number}-result", "user", {"role": "user", "content": [result]}, agent))
    return lines


def openai_request(calls: int, *, words: int = 400) -> dict[str, object]:
    """A Chat Completions request with the same session, open at its end: the next call is still to come."""
    messages: list[dict[str, object]] = [
        {"role": "system", "content": "You are a careful engineer."},
        {"role": "user", "content": TASK},
    ]
    for number in range(1, calls):
        arguments = json.dumps({"command": f"cat file-{number}.py"})
        call = {"id": f"call_{number}", "type": "function", "function": {"name": "bash", "arguments": arguments}}
        messages.append({"role": "assistant", "content": f"Looking at file {number}.", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": output(number, words)})
    parameters = {"type": "object", "properties": {"command": {"type": "string"}}}
    tool = {"type": "function", "function": {"name": "bash", "parameters": parameters}}
    return {"model": "gpt-test", "messages": messages, "tools": [tool]}


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_json(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def _line(uuid: str, kind: str, message: dict[str, object], agent: str | None) -> str:
    line: dict[str, object] = {"type": kind, "uuid": uuid, "sessionId": "s", "message": message}
    line |= {"isSidechain": agent is not None, "timestamp": "2026-11-30T09:00:00.000Z"}
    if agent is not None:
        line["agentId"] = agent
    return json.dumps(line)
