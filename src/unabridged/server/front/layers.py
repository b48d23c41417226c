"""Puts the layers around an application, in their order."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from unabridged.server.config import ServerConfig
from unabridged.server.front.bodies import BodyLimit
from unabridged.server.front.faults import Faults
from unabridged.server.front.headers import AnswerHeaders
from unabridged.server.front.hosts import Hosts
from unabridged.server.front.requests import RequestLog
from unabridged.server.metrics import Metrics

UPLOADS = "/chat/media"
SLACK = 64 * 1024
"""What a form adds to the file in it; the route itself holds the file to its limit."""
ASKED = ("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Last-Event-ID", "X-Project", "X-Request-Id")
ANSWERED = ("ETag", "Location", "Retry-After", "X-Request-Id", "X-Session-Id", "X-Turn")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def put_before(app: FastAPI, config: ServerConfig, metrics: Metrics) -> None:
    """Put all layers before an application. What is added last stands outermost."""
    app.add_middleware(BodyLimit, most=config.max_body, uploads={UPLOADS: config.max_upload + SLACK})
    app.add_middleware(Faults)
    if config.hosts:
        app.add_middleware(Hosts, hosts=config.hosts)
    if config.cors:
        # No credentials: a key is sent by the page itself, and a cookie is none of ours.
        app.add_middleware(
            CORSMiddleware,
            allow_origins=config.cors,
            allow_methods=METHODS,
            allow_headers=ASKED,
            expose_headers=ANSWERED,
        )
    app.add_middleware(AnswerHeaders)
    app.add_middleware(RequestLog, metrics=metrics)
