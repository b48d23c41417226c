"""Prices: what a message costs in the base vocabulary. Paid once, when it is appended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from unabridged.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.tokens import TokenCounter
from unabridged.tokens.classes import dense_share
from unabridged.tokens.media import describe, media_tokens

MEDIA_TOKENS = 1_600
"""What one encoded run inside an opaque item costs at most: it may be a picture, and its length says nothing."""
_ENCODED = re.compile(r"[A-Za-z0-9+/_=-]{512,}")
MESSAGE_TOKENS = 4
"""Framing of one message: role and separators (OpenAI's chat format: 3, and 1 for the role)."""
BLOCK_TOKENS = 3
"""Framing of one further content block."""
CALL_TOKENS = 8
"""Framing of one call or one result beside its id."""
SIGNATURE_CHARACTERS = 5
"""Characters of an opaque signature per token: it stands for thoughts that the provider puts back in, of which the
text shown is at most an extract. From the usage of 6,700 recorded calls of six Claude models: 0.10 to 0.17 o200k
tokens a character where the text is counted too, 0.2 where it is empty."""


class Price(msgspec.Struct, frozen=True, gc=False):
    """Tokens of one message: all of them, those of machine data in them, those of media in them."""

    tokens: int
    dense: int = 0
    """Tokens of digits, hex and base64, whose number differs most between vocabularies."""
    media: int = 0


def price_message(message: Message, counter: TokenCounter, media: Mapping[str, bytes]) -> Price:
    """Give what a message costs: text, reasoning, names, arguments, results, ids, media, and its framing."""
    tokens, dense, pictures = MESSAGE_TOKENS, 0, 0
    for part in message.parts:
        price = price_part(part, counter, media)
        tokens += price.tokens
        dense += price.dense
        pictures += price.media
    return Price(tokens, dense, pictures)


def price_part(part: Part, counter: TokenCounter, media: Mapping[str, bytes]) -> Price:
    """Give what one part costs, its framing included."""
    match part:
        case Text():
            return _text(part.text, counter)
        case ToolCall():
            written = _text(part.arguments, counter)
            return Price(written.tokens + counter.count(part.name) + _id(part.id) + CALL_TOKENS, written.dense)
        case ToolResult():
            tokens, dense, pictures = _id(part.call_id) + CALL_TOKENS, 0, 0
            for piece in part.parts:
                inner = price_part(piece, counter, media)
                tokens += inner.tokens
                dense += inner.dense
                pictures += inner.media
            return Price(tokens, dense, pictures)
        case Media():
            tokens = media_tokens(measured(part, media), "")
            return Price(tokens + BLOCK_TOKENS, 0, tokens)
        case Reasoning():
            thought = _text(part.text, counter)
            return Price(max(thought.tokens, len(part.signature or "") // SIGNATURE_CHARACTERS), thought.dense)
        case Opaque():
            return _opaque(part.data, counter)


def price_texts(texts: Iterable[str], counter: TokenCounter) -> Price:
    """Give what the fixed texts of a frame cost: system layers and tool schemas."""
    prices = [_text(text, counter) for text in texts]
    return Price(sum(p.tokens for p in prices), sum(p.dense for p in prices))


def _opaque(data: str, counter: TokenCounter) -> Price:
    encoded = [len(run) for run in _ENCODED.findall(data)]
    if not encoded:
        return _text(data, counter)
    readable = _text(_ENCODED.sub("", data), counter)
    hidden = sum(min(length // SIGNATURE_CHARACTERS, MEDIA_TOKENS) for length in encoded)
    return Price(readable.tokens + hidden, readable.dense)


def _id(id: str) -> int:
    # Random letters and digits: counting them exactly costs more than it tells.
    return len(id) * 7 // 10 + 1


def _text(text: str, counter: TokenCounter) -> Price:
    tokens = counter.count(text)
    share = dense_share(text) if tokens else 0.0
    return Price(tokens + BLOCK_TOKENS, int(tokens * share))


def measured_message(message: Message, blobs: Mapping[str, bytes]) -> Message:
    """Give a message whose media say their pixels, pages and seconds, as far as the headers of their bytes tell."""
    if all(isinstance(part, Text | ToolCall | Reasoning) for part in message.parts):
        return message
    parts = tuple(_measured(part, blobs) for part in message.parts)
    return message if parts == message.parts else msgspec.structs.replace(message, parts=parts)


def _measured(part: Part, blobs: Mapping[str, bytes]) -> Part:
    if isinstance(part, ToolResult):
        inner = tuple(measured(piece, blobs) if isinstance(piece, Media) else piece for piece in part.parts)
        return part if inner == part.parts else msgspec.structs.replace(part, parts=inner)
    return measured(part, blobs) if isinstance(part, Media) else part


def measured(media: Media, blobs: Mapping[str, bytes]) -> Media:
    """Give a media item with its pixels, pages and seconds, as far as the header of its bytes tells."""
    if media.digest is None or media.digest not in blobs or media.width is not None or media.pages is not None:
        return media
    facts = describe(blobs[media.digest], media.mime)
    return msgspec.structs.replace(
        media, width=facts.width, height=facts.height, pages=facts.pages, seconds=facts.seconds
    )
