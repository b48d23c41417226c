"""The fake provider as an ASGI application: four APIs over one model, one window and one count."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

import msgspec

from unabridged.errors import BadInput
from unabridged.testing.models import Asked, Failure, Model, Reply
from unabridged.testing.provider.anthropic import Anthropic
from unabridged.testing.provider.caching import PromptCache
from unabridged.testing.provider.counting import fixed_tokens, message_tokens, messages_of
from unabridged.testing.provider.form import Answer, Count, Form
from unabridged.testing.provider.gemini import Gemini
from unabridged.testing.provider.json_reading import Json, members
from unabridged.testing.provider.openai_chat import OpenAIChat
from unabridged.testing.provider.openai_responses import OpenAIResponses
from unabridged.testing.provider.signing import forgeries
from unabridged.testing.validity import violations
from unabridged.tokens import default_counter

INVALID = "invalid_request_error"
MOST_KNOWN = 10_000
"""Messages whose tokens are remembered: each comes again with every request that still shows it."""
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_PATHS: tuple[tuple[re.Pattern[str], Form], ...] = (
    (re.compile(r"/chat/completions$"), OpenAIChat()),
    (re.compile(r"/responses$"), OpenAIResponses()),
    (re.compile(r"/messages$"), Anthropic()),
    (re.compile(r"/models/(?P<model>[^/:]+):(?P<method>generateContent|streamGenerateContent)$"), Gemini()),
)


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was answered."""

    dialect: str
    body: Json
    tokens: int
    cached: int


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was not."""

    dialect: str
    body: Json
    status: int
    says: str


class FakeProvider:
    """Answers as `model` does, and refuses what the real providers refuse, in their words.

    `window` is enforced by an exact count. `ratio` and `overhead` make the provider's tokens others than ours, as with
    another vocabulary and a hidden prompt. `strict` looks at signatures too; recorded sessions have others' signatures.
    `keep` says how many of the newest requests are kept in `served`; all of them where it is None.
    """

    def __init__(
        self,
        model: Model,
        *,
        window: int = 128_000,
        ratio: float = 1.0,
        overhead: int = 0,
        strict: bool = True,
        keep: int | None = None,
    ) -> None:
        self.model = model
        self.window = window
        self.ratio = ratio
        self.overhead = overhead
        self.strict = strict
        self._keep = keep
        self.served: list[Served] = []
        self.refused: list[Refused] = []
        self._counter = default_counter()
        self._known: dict[tuple[str, str], int] = {}
        self._cache = PromptCache()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return
        data = await _read(receive)
        path: str = scope["path"]
        found = next(((form, match) for pattern, form in _PATHS if (match := pattern.search(path))), None)
        if found is None:
            await _write(send, 404, {"error": {"message": f"no such path: {path}", "type": "not_found_error"}})
            return
        form, match = found
        try:
            body = members(json.loads(data))
        except ValueError:
            body = {}
        if not body:
            says = "We could not parse the JSON body of your request."
            await _write(send, 400, form.error(400, says, INVALID))
            return
        streams = bool(body.get("stream")) or match.groupdict().get("method") == "streamGenerateContent"
        named = match.groupdict().get("model") or str(body.get("model") or "model")
        await self._answer(send, form, body, named, streams=streams)

    def tokens_of(self, dialect: str, body: Mapping[str, Any]) -> int:
        """Count a request as this provider does."""
        return self._tokens(dialect, body)[0]

    def answer(self, dialect: str, body: Json) -> Json:
        """Answer a request without a network between: what a client would decode, errors too."""
        form = next((form for _, form in _PATHS if form.dialect == dialect), None)
        if form is None:
            raise BadInput(f"unknown dialect {dialect!r}: use one of {', '.join(form.dialect for _, form in _PATHS)}")
        made = self._made(form, body, str(body.get("model") or "model"))
        return form.response(made) if isinstance(made, Answer) else form.error(made.status, made.says, made.kind)

    async def _answer(self, send: Send, form: Form, body: Json, named: str, *, streams: bool) -> None:
        made = self._made(form, body, named)
        if isinstance(made, Failure):
            after = made.retry_after_s
            headers = [] if after is None else [(b"retry-after", str(after).encode())]
            await _write(send, made.status, form.error(made.status, made.says, made.kind), headers)
        elif streams:
            await _stream(send, form, made)
        else:
            await _write(send, 200, form.response(made))

    def _made(self, form: Form, body: Json, named: str) -> Answer | Failure:
        says = self._complaint(form, body)
        tokens, sizes, texts = self._tokens(form.dialect, body)
        says = says or form.overflow(tokens, form.max_output(body), self.window)
        asked = Asked(number=len(self.served), dialect=form.dialect, body=body, tokens=tokens)
        wrong = says is not None
        reply = Failure(status=400, says=says or "", kind=INVALID) if wrong else self.model.reply(asked)
        if isinstance(reply, Failure):
            self.refused.append(Refused(dialect=form.dialect, body=body, status=reply.status, says=reply.says))
            return reply
        cached = min(tokens, round(self._cache.serve(texts, sizes) * self.ratio))
        self.served.append(Served(dialect=form.dialect, body=body, tokens=tokens, cached=cached))
        if self._keep is not None:
            del self.served[: max(0, len(self.served) - self._keep)]
        return Answer(number=asked.number, model=named, reply=reply, count=self._count(reply, tokens, cached))

    def _complaint(self, form: Form, body: Json) -> str | None:
        broken = violations(form.dialect, body)
        if broken:
            return broken[0].says
        return next(forgeries(form.dialect, messages_of(form.dialect, body)), None) if self.strict else None

    def _tokens(self, dialect: str, body: Mapping[str, Any]) -> tuple[int, list[int], list[str]]:
        messages = messages_of(dialect, body)
        texts = [json.dumps({key: value for key, value in body.items() if key in ("system", "tools", "instructions")})]
        sizes = [fixed_tokens(body, self._counter, dialect)]
        for message in messages:
            text = json.dumps(message)
            if (dialect, text) not in self._known:
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                self._known[dialect, text] = message_tokens(message, self._counter, dialect)
            texts.append(text)
            sizes.append(self._known[dialect, text])
        return self.overhead + round(self.ratio * sum(sizes)), sizes, texts

    def _count(self, reply: Reply, tokens: int, cached: int) -> Count:
        thought = self._counter.count(reply.thinking)
        said = self._counter.count(reply.text) + sum(self._counter.count(call.arguments) + 8 for call in reply.calls)
        return Count(input=tokens, cached=cached, output=max(1, said + thought), reasoning=thought)


async def _read(receive: Receive) -> bytes:
    data = b""
    while True:
        message = await receive()
        data += message.get("body", b"")
        if not message.get("more_body"):
            return data


async def _write(send: Send, status: int, body: Json, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    data = json.dumps(body).encode()
    given = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode()), *(headers or ())]
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": data})


async def _stream(send: Send, form: Form, answer: Answer) -> None:
    """Write server-sent events; a stream that breaks ends without its end."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    for number, (name, data) in enumerate(form.events(answer)):
        if number == answer.reply.breaks_after:
            break
        text = data if isinstance(data, str) else json.dumps(data)
        head = "" if name is None else f"event: {name}\n"
        await send({"type": "http.response.body", "body": f"{head}data: {text}\n\n".encode(), "more_body": True})
    await send({"type": "http.response.body", "body": b""})
