"""The shapes in which an error arrives: bodies, events, JSON in JSON, and exceptions that the official SDKs raise."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import openai
from google.genai import errors

from tests.models.rows import Row

Json = dict[str, Any]
HELLO: Any = [{"role": "user", "content": "Hello"}]


def openai_body(row: Row) -> Json:
    return {"error": {"message": row.text, "type": row.type or None, "param": "messages", "code": row.code}}


def anthropic_body(row: Row) -> Json:
    return {"type": "error", "error": {"type": row.type, "message": row.text}, "request_id": "req_1"}


def google_body(row: Row) -> Json:
    return {"error": {"code": row.status, "message": row.text, "status": row.type or "INVALID_ARGUMENT"}}


def flat_body(row: Row) -> Json:
    return {"object": "error", "message": row.text, "type": row.type, "param": None, "code": row.code}


def relay_body(row: Row) -> Json:
    """As OpenRouter sends it with status 200: the upstream's body is a string in it."""
    raw = json.dumps(openai_body(row))
    error = {"message": "Provider returned error", "code": row.status, "metadata": {"raw": raw, "provider_name": "X"}}
    return {"error": error, "user_id": "user_1"}


def events(row: Row) -> str:
    chunk = {"id": "1", "choices": [{"index": 0, "delta": {"content": "Well,"}, "finish_reason": None}]}
    return f"data: {json.dumps(chunk)}\n\ndata: {json.dumps(openai_body(row))}\n\ndata: [DONE]\n\n"


def named_events(row: Row) -> str:
    opened = 'event: ping\ndata: {"type": "ping"}\n\n'
    return f"{opened}event: error\ndata: {json.dumps(anthropic_body(row))}\n\n"


def failed_event(row: Row) -> Json:
    error = {"code": row.code or row.type, "message": row.text}
    response = {"id": "r", "object": "response", "status": "failed", "instructions": "Be brief.", "output": []}
    return {"type": "response.failed", "sequence_number": 3, "response": {**response, "error": error}}


def bedrock_event(row: Row) -> Json:
    name = row.type if row.type.lower().endswith("exception") else "modelStreamErrorException"
    return {name[0].lower() + name[1:]: {"message": row.text}}


def spoken(row: Row) -> Json:
    return {"choices": [{"delta": {"content": f"[error] {row.text}"}, "finish_reason": "error_finish"}]}


def client(status: int, content: str, kind: str = "application/json") -> httpx2.Client:
    answer = httpx2.Response(status, headers={"content-type": kind}, text=content)
    return httpx2.Client(transport=httpx2.MockTransport(lambda request: answer))


def raised(call: Callable[[], object]) -> Exception:
    try:
        call()
    # Whatever the SDK makes of the response is what is asked for.
    except Exception as error:
        return error
    raise AssertionError("the SDK raised nothing")


def openai_client(http: httpx2.Client) -> openai.OpenAI:
    return openai.OpenAI(api_key="none", base_url="http://server.test/v1", http_client=http, max_retries=0)


def by_openai(row: Row) -> Exception:
    http = client(row.status, json.dumps(openai_body(row)))
    return raised(lambda: openai_client(http).chat.completions.create(model="m", messages=HELLO))


def by_openai_in_a_stream(row: Row) -> Exception:
    http = client(200, events(row), "text/event-stream")
    return raised(lambda: list(openai_client(http).chat.completions.create(model="m", messages=HELLO, stream=True)))


def by_openai_as_an_answer(row: Row) -> object:
    """An error with status 200: the SDK takes it for an answer."""
    http = client(200, json.dumps({**relay_body(row), "choices": None}))
    return openai_client(http).chat.completions.create(model="m", messages=HELLO)


def by_anthropic(row: Row) -> Exception:
    http = client(row.status, json.dumps(anthropic_body(row)))
    sdk = anthropic.Anthropic(api_key="none", base_url="http://server.test", http_client=http, max_retries=0)
    return raised(lambda: sdk.messages.create(model="m", max_tokens=9, messages=HELLO))


def by_google(row: Row) -> Exception:
    response = httpx2.Response(row.status, text=json.dumps(google_body(row)))
    return raised(lambda: errors.APIError.raise_for_response(response))


def wrapped(row: Row) -> Exception:
    error = RuntimeError("the call failed")
    error.__cause__ = by_openai(row)
    return error


SHAPES: dict[str, Callable[[Row], object]] = {
    "text": lambda row: row.text,
    "bytes": lambda row: row.text.encode(),
    "exception": lambda row: ValueError(row.text),
    "openai body": openai_body,
    "openai body as bytes": lambda row: json.dumps(openai_body(row)).encode(),
    "anthropic body": anthropic_body,
    "google body": google_body,
    "google body in an array": lambda row: json.dumps([google_body(row)], indent=1),
    "flat body": flat_body,
    "error is a string": lambda row: json.dumps({"error": row.text}),
    "detail": lambda row: {"detail": row.text},
    "status and JSON in a sentence": lambda row: f"{row.status} {json.dumps(openai_body(row))}",
    "openrouter, status 200": relay_body,
    "JSON in JSON in JSON": lambda row: json.dumps(json.dumps({"error": json.dumps(relay_body(row))})),
    "stream of chunks": events,
    "stream of named events": lambda row: named_events(row).encode(),
    "line of a stream": lambda row: f"data: {json.dumps(openai_body(row))}",
    "response.failed": failed_event,
    "bedrock event": bedrock_event,
    "botocore": lambda row: {"Error": {"Code": row.type, "Message": row.text}},
    "in place of an answer": spoken,
    "httpx response": lambda row: httpx2.Response(row.status, text=json.dumps(openai_body(row))),
    "openai SDK": by_openai,
    "openai SDK, its text": lambda row: str(by_openai(row)),
    "openai SDK, stream": by_openai_in_a_stream,
    "openai SDK, status 200": by_openai_as_an_answer,
    "anthropic SDK": by_anthropic,
    "google SDK": by_google,
    "google SDK, its text": lambda row: RuntimeError(str(by_google(row))),
    "openai SDK as a cause": wrapped,
}
