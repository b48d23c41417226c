"""A provider on loopback, strict where a real one is: it enforces its window by an exact count, and its structure.

It answers from a script, reports usage, and remembers what it was asked and what it refused.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.verify.payload import FRAMING, fixed_tokens, message_tokens
from unabridged.testing import violations

Json = dict[str, Any]
Script = Callable[[int, Json], list[Json] | str]
"""From a request's number and body: the calls that the model makes (`id`, `name`, `arguments`), or its answer."""


class Provider:
    """Serves one dialect under `url` for as long as the block lasts."""

    def __init__(self, dialect: str, window: int, script: Script) -> None:
        self.dialect = dialect
        self.window = window
        self.script = script
        self.sizes: list[int] = []
        """Tokens of each request that was answered."""
        self.refusals: list[str] = []
        """What was said to each request that was refused."""
        self._counted: dict[str, int] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Provider:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: Json) -> tuple[int, Json]:
        """Give status and body of the response to a request."""
        tokens = self._tokens(body)
        refusal = self._refusal(body, tokens)
        if refusal is not None:
            self.refusals.append(refusal)
            return 400, self._error(refusal)
        said = self.script(len(self.sizes), body)
        self.sizes.append(tokens)
        return 200, (_anthropic if self.dialect == "anthropic" else _openai)(said, tokens, len(self.sizes))

    def _tokens(self, body: Json) -> int:
        return fixed_tokens(body) + sum(FRAMING + self._message(message) for message in body["messages"])

    def _message(self, message: Mapping[str, Any]) -> int:
        key = json.dumps(message)
        if key not in self._counted:
            self._counted[key] = message_tokens(message, lambda _: 1_600)
        return self._counted[key]

    def _refusal(self, body: Json, tokens: int) -> str | None:
        broken = violations(self.dialect, body)
        if broken:
            return broken[0].says
        asked = body.get("max_tokens") or body.get("max_completion_tokens") or 0
        return (_anthropic_overflow if self.dialect == "anthropic" else _openai_overflow)(tokens, asked, self.window)

    def _error(self, says: str) -> Json:
        if self.dialect == "anthropic":
            return {"type": "error", "error": {"type": "invalid_request_error", "message": says}}
        code = "context_length_exceeded" if "maximum context length" in says else None
        return {"error": {"message": says, "type": "invalid_request_error", "param": "messages", "code": code}}


def _openai_overflow(tokens: int, asked: int, window: int) -> str | None:
    known = f"This model's maximum context length is {window} tokens. However, "
    if tokens > window:
        return f"{known}your messages resulted in {tokens} tokens. Please reduce the length of the messages."
    if tokens + asked > window:
        split = f"({tokens} in the messages, {asked} in the completion)"
        remedy = "Please reduce the length of the messages or completion."
        return f"{known}you requested {tokens + asked} tokens {split}. {remedy}"
    return None


def _anthropic_overflow(tokens: int, asked: int, window: int) -> str | None:
    if tokens > window:
        return f"prompt is too long: {tokens} tokens > {window} maximum"
    if tokens + asked > window:
        both = f"input length and `max_tokens` exceed context limit: {tokens} + {asked} > {window}"
        return f"{both}, decrease input length or `max_tokens` and try again"
    return None


def _handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet a response: in two, each waits 40 ms for the other side

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, response = provider.answer(body)
            data = json.dumps(response).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: a test's output is its failures."""

    return Answers


def _openai(said: list[Json] | str, tokens: int, number: int) -> Json:
    message: Json = {"role": "assistant", "content": said if isinstance(said, str) else None}
    if isinstance(said, list):
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
            }
            for call in said
        ]
    reason = "stop" if isinstance(said, str) else "tool_calls"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_796_000_000,
        "model": "gpt-5",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20},
    }


def _anthropic(said: list[Json] | str, tokens: int, number: int) -> Json:
    thought = {"type": "thinking", "thinking": f"Step {number}.", "signature": "c2lnbmVk"}
    if isinstance(said, str):
        content: list[Json] = [thought, {"type": "text", "text": said}]
    else:
        content = [
            thought,
            *({"type": "tool_use", "id": c["id"], "name": c["name"], "input": c["arguments"]} for c in said),
        ]
    cached = tokens - tokens // 10
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5",
        "content": content,
        "stop_reason": "end_turn" if isinstance(said, str) else "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens // 10,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": 20,
        },
    }
