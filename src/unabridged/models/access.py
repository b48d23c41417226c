"""The way to a provider: its SDK, its address, and the fields that make it stream."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection
from urllib.parse import urlsplit

from unabridged.errors import BadInput
from unabridged.models.endpoints import place_of
from unabridged.wire.json_text import JsonNode, as_object
from unabridged.wire.patching import apply

COUNT_S = 10.0
"""How long a count is waited for."""
PLACEHOLDER = "none"
"""Sent as the key to a server on this machine that asks for none; the SDKs insist on one."""


def missing(package: str, extra: str) -> BadInput:
    """Say what to install."""
    return BadInput(f"this model needs the package {package}: pip install 'unabridged[{extra}]'")


def endpoint_of(base_url: str | None, *, own: str = "") -> str:
    """Give an address without what may be a key in it; "" for the provider's `own` host, whoever named it.

    Raises `BadInput` where it is none.
    """
    if not base_url:
        return ""
    shown = place_of(base_url)
    no_address = BadInput(f"{shown!r} is no address of a server: give `base_url` as http://host:port/v1")
    try:
        parts = urlsplit(base_url)
        found = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # half an IPv6 address, a port of letters
        raise no_address from None
    if not found:
        raise no_address
    if own and f".{parts.hostname}".endswith(f".{own}"):  # also of a region
        return ""
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}".rstrip("/")


def request_of(body: bytes) -> JsonNode:
    """Read a request. Raises `BadInput` where it is none."""
    node = JsonNode.parse_quickly(body.decode("utf-8", "surrogatepass"), "the request")
    if not isinstance(node.value, dict):
        raise BadInput("the request is no JSON object: pass what `Fitted.body` gives")
    return node


def streamed(body: bytes) -> bytes:
    """Give a request with `stream` set; every other character stays."""
    node = request_of(body)
    return apply(node.text, [node.with_member("stream", "true")]).encode("utf-8", "surrogatepass")


def only(body: bytes, names: Collection[str]) -> bytes:
    """Give a request with no other fields than these."""
    node = request_of(body)
    others = node.members.keys() - names
    return apply(node.text, node.without(others)).encode("utf-8", "surrogatepass")


async def tokens_in(answer: Awaitable[object], name: str) -> int | None:
    """Give the count in an answer; None where there is none. Nothing is lost with it: there is a count of our own."""
    try:
        async with asyncio.timeout(COUNT_S):
            counted = await answer
    except Exception:  # whatever an SDK raises: many servers do not count at all
        return None
    found = as_object(counted).get(name, getattr(counted, name, None))
    return found if isinstance(found, int) else None
