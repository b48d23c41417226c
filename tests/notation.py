"""Conversations in one line, so that a test shows what goes in and what the model sees of it.

    U:task A[c1,c2] T(c1) T(c2):2k A:done U:next

One word is one message. Sizes are tokens of its text (o200k, exact), `2k` is 2,000.

    S U A T I       system, user, assistant, tool, injected (a user-role reminder that nobody typed)
    U:task          a word of text; `U:2k` text of that size; `U:task:2k` both; `A:0` an empty text
    A[c1,c2:500]    calls; with a size, an argument `content` of that many tokens
    T(c1):2k        the result of a call; `T(c1:2k,c2)` several in one message (Anthropic)
    A{think}        signed reasoning before everything else; `A{think:300}` with a size
    U{img}          a picture of 800x600 pixels; `U{img:2100x300}` of another size

A view is printed in the same words. A message that is shown whole prints as it was written. In one that was changed
`~` stands behind what was shortened and `-img` where a picture gave way to a marker. Markers that stand for no single
message are `…3` (three messages not shown), `…orphan`, `…begins`, `Σ` (a summary), and `T(c2)!` (closed, because
nothing answered it).
"""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from tests.notation_forms import as_content, as_items
from unabridged import markers
from unabridged.message import Media, Message, Origin, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.view import SUMMARY, Item
from unabridged.wire import wire

ROLES = {"S": "system", "U": "user", "I": "user", "A": "assistant", "T": "tool"}
WORD = re.compile(
    r"(?P<role>[SUIAT])"
    r"(?:\((?P<results>[^)]*)\))?"
    r"(?:\{(?P<blocks>[^}]*)\})?"
    r"(?:\[(?P<calls>[^]]*)\])?"
    r"(?::(?P<label>[a-z]+))?"
    r"(?::(?P<size>[\d.]+k?))?"
)
_FILLER = (
    "river stone window garden paper market summer winter music bridge forest water castle people story station "
    "office school letter number yellow orange purple silver world simple quiet heavy early late north south always "
    "never under over between around through against because although however money order perhaps rather almost"
)
FILLER = _FILLER.split()
"""Each is one token, with a space before it and without."""


def tokens(size: int, seed: str = "") -> str:
    """Give text of exactly this many tokens; another seed gives another text."""
    start = zlib.crc32(seed.encode())
    return " ".join(FILLER[(start + 7 * at + at // 48) % len(FILLER)] for at in range(size))


def number(size: str) -> int:
    """Read a size: `300`, `2k`, `1.5k`."""
    return int(float(size[:-1]) * 1_000) if size.endswith("k") else int(size)


def png(width: int, height: int, seed: str = "") -> bytes:
    """Give a PNG that has its header, and pixels for nobody: as large as it says, and its own."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"tEXt", b"seed\x00" + seed.encode()) + chunk(b"IEND", b"")


def read(
    script: str, dialect: str = "openai_chat", *, taken: Iterable[str] = ()
) -> list[tuple[Message, dict[str, bytes]]]:
    """Read a script through the wire: each message with its media. Its id is its word, `#2` behind a repeated one."""
    known = set(taken)
    found: list[tuple[Message, dict[str, bytes]]] = []
    for word in script.split():
        id, turn = word, 2
        while id in known:
            id, turn = f"{word}#{turn}", turn + 1
        known.add(id)
        origin = Origin.INJECTED if word[0] == "I" else None
        found.append(wire(dialect).read_message(json.dumps(body(word, dialect, id)), id=id, origin=origin))
    return found


def messages(script: str, dialect: str = "openai_chat") -> list[Message]:
    """Read a script, without its media."""
    return [message for message, _ in read(script, dialect)]


def body(word: str, dialect: str = "openai_chat", seed: str = "") -> Any:
    """Give one message as its provider writes it: for `openai_responses` perhaps as a list of items."""
    match = WORD.fullmatch(word)
    if match is None:
        raise ValueError(f"{word!r} is no message in this notation")
    seed = seed or word
    if dialect == "openai_responses":
        thoughts = [size or "20" for kind, size in _listed(match["blocks"]) if kind == "think"]
        return as_items(_openai(match, seed), [tokens(number(size), seed) for size in thoughts], seed)
    if dialect == "gemini":
        return as_content(_anthropic(match, seed))
    return (_anthropic if dialect == "anthropic" else _openai)(match, seed)


def _text(match: re.Match[str], seed: str, default: str) -> str:
    label, size = match["label"], match["size"]
    if size is None:
        return label or default
    return " ".join(filter(None, [label, tokens(number(size) - bool(label), seed)]))


def _listed(text: str | None) -> Iterator[tuple[str, str]]:
    for item in filter(None, (text or "").split(",")):
        name, _, size = item.partition(":")
        yield name, size


def _arguments(size: str, seed: str) -> dict[str, Any]:
    return (
        {"path": "a.py", "line": 3, "content": tokens(number(size), seed), "force": True} if size else {"path": "a.py"}
    )


def _picture(size: str, seed: str) -> str:
    width, height = map(int, (size or "800x600").split("x"))
    return base64.b64encode(png(width, height, seed)).decode()


def _openai(match: re.Match[str], seed: str) -> dict[str, Any]:
    said = match["label"] or match["size"]
    message: dict[str, Any] = {"role": ROLES[match["role"]]}
    if match["results"]:
        ((id, size),) = _listed(match["results"])
        return message | {
            "tool_call_id": id,
            "content": tokens(number(size), seed) if size else _text(match, seed, "done"),
        }
    text = _text(match, seed, "" if match["calls"] else "fine")
    pictures = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_picture(size, f'{seed}{at}')}"}}
        for at, (kind, size) in enumerate(_listed(match["blocks"]))
        if kind == "img"
    ]
    message["content"] = text if said or not match["calls"] else None
    if pictures:
        message["content"] = [*([{"type": "text", "text": text}] if said else []), *pictures]
    if match["calls"]:
        message["tool_calls"] = [
            {
                "id": id,
                "type": "function",
                "function": {"name": "run", "arguments": json.dumps(_arguments(size, seed + id))},
            }
            for id, size in _listed(match["calls"])
        ]
    return message


def _anthropic(match: re.Match[str], seed: str) -> dict[str, Any]:
    said = match["label"] or match["size"]
    text = _text(match, seed, "fine")
    blocks = [_block(kind, size, f"{seed}{at}") for at, (kind, size) in enumerate(_listed(match["blocks"]))]
    if match["results"]:
        return {
            "role": "user",
            "content": [_result(match, id, size, blocks, seed) for id, size in _listed(match["results"])],
        }
    content = [block for block in blocks if block["type"] == "thinking"]
    if said or not (blocks or match["calls"]):
        content.append({"type": "text", "text": text})
    content += [block for block in blocks if block["type"] != "thinking"]
    content += [
        {"type": "tool_use", "id": id, "name": "run", "input": _arguments(size, seed + id)}
        for id, size in _listed(match["calls"])
    ]
    return {"role": ROLES[match["role"]], "content": content}


def _block(kind: str, size: str, seed: str) -> dict[str, Any]:
    if kind == "think":
        return {"type": "thinking", "thinking": tokens(number(size or "20"), seed), "signature": "c2lnbmVk"}
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _picture(size, seed)}}


def _result(match: re.Match[str], id: str, size: str, blocks: list[dict[str, Any]], seed: str) -> dict[str, Any]:
    content: Any = tokens(number(size), seed + id) if size else _text(match, seed + id, "done")
    if blocks:
        said = match["label"] or match["size"] or size
        content = [*([{"type": "text", "text": content}] if said else []), *blocks]
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def shown(items: Iterable[Item]) -> str:
    """Print a view in the same words."""
    return " ".join(map(_shown, items))


def _shown(item: Item) -> str:
    if item.source is None:
        return _marker(item.message)
    word = item.source.partition("#")[0]
    if not item.changed:
        return word
    match = WORD.fullmatch(word)
    assert match is not None
    parts = item.message.parts
    results = [_shown_result(part) for part in parts if isinstance(part, ToolResult)]
    blocks = [name for part in parts if (name := _shown_block(part))]
    calls = [f"{part.id}{'~' * _is_cut(part.arguments)}" for part in parts if isinstance(part, ToolCall)]
    texts = [_shown_text(part.text, match["label"]) for part in parts if isinstance(part, Text)]
    out = match["role"]
    out += f"({','.join(results)})" if results else ""
    out += f"{{{','.join(blocks)}}}" if blocks else ""
    out += f"[{','.join(calls)}]" if calls else ""
    return out + "".join(texts)


def _shown_result(result: ToolResult) -> str:
    texts = [piece.text for piece in result.parts if isinstance(piece, Text)]
    pictures = "+img" * sum(isinstance(piece, Media) for piece in result.parts)
    gone = "-img" * sum(" was here (" in text for text in texts)
    empty = "=empty" * (markers.empty() in texts)
    return f"{result.call_id}{'~' * any(map(_is_cut, texts))}{pictures}{gone}{empty}"


def _shown_block(part: Part) -> str | None:
    match part:
        case Reasoning():
            return "think"
        case Media():
            return "img"
        case Text(text) if " was here (" in text:
            return "-img"
        case _:
            return None


def _shown_text(text: str, label: str | None) -> str:
    if " was here (" in text:
        return ""
    if text == markers.empty():
        return ":empty"
    return (f":{label}" if label and text.startswith(label) else "") + "~" * _is_cut(text)


def _is_cut(text: str) -> bool:
    return "[context: shortened" in text


def _marker(message: Message) -> str:
    if message.results:
        return f"T({message.results[0].call_id})!"
    if message.id.startswith(SUMMARY):
        return "Σ"
    if message.text == markers.begins():
        return "…begins"
    if "result without its call" in message.text:
        return "…orphan"
    count = re.match(r"\[context: ([\d,]+) earlier message", message.text)
    assert count is not None, message.text
    return f"…{int(count[1].replace(',', ''))}"
