"""Claude Code sessions in a few words, and conversations shown in as few, for tests that read as a specification."""

from __future__ import annotations

import json
from typing import Any

from unabridged.importers import Imported, read_bytes
from unabridged.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

Json = dict[str, Any]


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(id: str, name: str = "Read") -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": {"path": "a.py"}}


def result(id: str, output: str = "done") -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": output}


class Session:
    """Writes a session line by line. Keyword arguments become fields of the line."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line(self, type: str, **fields: Any) -> Session:
        number = len(self.lines) + 1
        record = {"type": type, "uuid": f"u{number}", "sessionId": "s", "timestamp": f"2026-01-01T00:00:{number:02d}Z"}
        self.lines.append(json.dumps(record | fields))
        return self

    def user(self, content: str | list[Json], **fields: Any) -> Session:
        return self.line("user", message={"role": "user", "content": content}, **fields)

    def results(self, *ids: str, **fields: Any) -> Session:
        return self.user([result(id) for id in ids], **fields)

    def assistant(self, id: str, *blocks: Json, usage: Json | None = None, **fields: Any) -> Session:
        message = {"id": id, "role": "assistant", "model": "claude-x", "content": blocks, "usage": usage}
        return self.line("assistant", **{"message": message, **fields})

    def queued(self, prompt: str, **attachment: Any) -> Session:
        return self.line("attachment", attachment={"type": "queued_command", "prompt": prompt, **attachment})

    def data(self) -> bytes:
        return "\n".join([*self.lines, ""]).encode()

    def read(self) -> list[Imported]:
        return read_bytes(self.data(), "session.jsonl")

    def read_one(self) -> Imported:
        (conversation,) = self.read()
        return conversation


def shown(conversation: Imported) -> list[str]:
    """One line a message: who made it, and what its parts are."""
    return [f"{_who(message)}: {' + '.join(map(_part, message.parts))}" for message in conversation.messages]


def _who(message: Message) -> str:
    return "assistant" if message.role == "assistant" else str(message.origin)


def _part(part: Part) -> str:
    match part:
        case Text(words):
            return words
        case ToolCall(id=id):
            return f"call {id}"
        case ToolResult(call_id, parts):
            return f"{call_id} = {' + '.join(map(_part, parts))}"
        case Reasoning(words):
            return f"({words})"
        case Media(kind=kind):
            return f"<{kind}>"
        case Opaque(kind):
            return f"<{kind}>"
