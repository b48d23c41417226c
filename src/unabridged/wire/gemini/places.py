"""Where the parts of a message stand in its content, to read and to change: the n-th place is the n-th part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from unabridged.message import Media, MediaKind, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.wire.data_url import kind_of_mime
from unabridged.wire.gemini.members import items, member, name_in, string
from unabridged.wire.gemini.response import is_error, texts_of
from unabridged.wire.json_text import JsonNode, as_object
from unabridged.wire.splicing import Intake

SIGNATURE = "thoughtSignature"
SKIP = "skip_thought_signature_validator"
"""Stands for a signature that is not to be had, by the provider's own advice ("Thought signatures", FAQ)."""
_NO_SIGNATURES = frozenset(
    {
        SKIP,
        "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
        "context_engineering_is_the_way_to_go",
        "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv",
        "",
    }
)
"""These, as they are and as the base64 that SDKs make of them, stand for no thoughts."""
_BESIDE = frozenset(
    {"thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata", "mediaResolution"}
    | {"media_resolution", "partMetadata", "part_metadata"}
)
"""Members that stand beside the data of a part."""


class Place(NamedTuple):
    """Where a part of ours stands: in which part of the content, and whether it is the signature beside the data."""

    at: int
    node: JsonNode
    is_signature: bool = False


def places(message: JsonNode) -> Iterator[Place]:
    """Find the parts of a message."""
    for at, part in enumerate(items(message, "parts")):
        signed = signature_of(part) and kind_of(part) in _SIGNED and not is_thought(part)
        if signed:
            yield Place(at, part, is_signature=True)
        if not (signed and kind_of(part) == "text" and not part.string("text")):
            yield Place(at, part)


def read_place(place: Place, intake: Intake) -> Part:
    """Read the part that stands in a place."""
    part = place.node
    if place.is_signature:
        return Reasoning(signature=signature_of(part), redacted=True)
    kind = kind_of(part)
    data = member(part, kind)
    if data is None:
        return Opaque(kind, part.source)
    match kind, data.value:
        case "text", str(text):
            return Reasoning(text, signature_of(part) or None) if is_thought(part) else Text(text)
        case "inlineData" | "fileData", dict():
            return read_media(part, kind, intake)
        case "functionCall", {"name": str(name)}:
            arguments = member(data, "args")
            return ToolCall(data.string("id") or name, name, "" if arguments is None else arguments.source)
        case "functionResponse", {"name": str(name)}:
            return _result(data, name, intake)
        case _:
            return Opaque(kind, part.source)


_SIGNED = ("text", "inlineData", "fileData", "functionCall", "functionResponse")
"""Kinds of parts that we read; of all others the signature is part of what is kept as it is."""


def kind_of(part: JsonNode) -> str:
    """Name the kind of a part: in camelCase where we read it, as it is where we do not, "" where it holds no data."""
    for kind in _SIGNED:
        if member(part, kind) is not None:
            return kind
    return next((key for key, value in as_object(part.value).items() if key not in _BESIDE and value is not None), "")


def is_thought(part: JsonNode) -> bool:
    """Tell whether a part is a model's thought, or the summary of one."""
    return as_object(part.value).get("thought") is True and kind_of(part) == "text"


def signature_of(part: JsonNode) -> str:
    """Give the signature of a part; "" where it has none, or what stands for none."""
    signature = string(part, SIGNATURE)
    return "" if signature in _NO_SIGNATURES else signature


def read_media(part: JsonNode, kind: str, intake: Intake) -> Media:
    """Read a part that holds media, or an address where they lie."""
    data = part.member(name_in(part, kind))
    mime = string(data, "mimeType")
    encoded = member(data, "data")
    if kind == "inlineData" and encoded is not None and isinstance(encoded.value, str):
        payload = intake.take(encoded, encoded.value)
        return Media(kind=kind_of_mime(mime, MediaKind.DOCUMENT), mime=mime, digest=payload.digest, size=payload.size)
    url = string(data, "fileUri")
    unknown = MediaKind.VIDEO if "youtu" in url else MediaKind.DOCUMENT
    return Media(kind=kind_of_mime(mime, unknown), mime=mime, url=url or None)


def _result(data: JsonNode, name: str, intake: Intake) -> ToolResult:
    response = member(data, "response")
    texts = () if response is None else tuple(map(Text, texts_of(response)))
    held = tuple(_held(piece, intake) for piece in items(data, "parts"))
    return ToolResult(data.string("id") or name, texts + held, response is not None and is_error(response))


def _held(piece: JsonNode, intake: Intake) -> Media | Opaque:
    kind = kind_of(piece)
    if kind in ("inlineData", "fileData") and isinstance(piece.member(name_in(piece, kind)).value, dict):
        return read_media(piece, kind, intake)
    return Opaque(kind, piece.source)
