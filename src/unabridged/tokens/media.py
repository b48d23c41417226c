"""What pictures, documents and recordings cost: by the provider's rule where their size is known.

| dialect | picture | PDF page | audio, video a second |
|---|---|--:|--:|
| Anthropic | patches of 28 px, within 2,576 px and 4,784 tokens | 2,500 | - |
| OpenAI | the dearest of three rules, see `_openai` | 1,600 | 20, - |
| Gemini | 1,120 | 1,600 | 32, 300 |
| any other | as Anthropic | 1,600 | 32, 300 |

The rules are those of the newest models, which are the dearest; what an older model takes less is learned from usage.
Nothing costs 0, and nothing costs by the length of its base64 text.
"""

from __future__ import annotations

import math

import msgspec

from unabridged.message import Media, MediaKind
from unabridged.tokens.headers import pdf_pages, picture_size, recording_seconds

PROVIDERS = ("anthropic", "openai", "gemini", "")
"""Whose rules are known; `""` stands for any other."""
UNKNOWN_PICTURE = 1_600
"""A picture whose size is not known, as with a URL or a file id."""
UNKNOWN_PAGES = 10
UNKNOWN_SECONDS = 60.0
LONGEST_SECONDS = 1_000_000.0
"""Eleven days: more than any window takes."""
PAGE_TOKENS = {"anthropic": 2_500}
"""Anthropic gives a PDF page as a picture and as 1,500 to 3,000 tokens of text ("PDF support"); measured on the models
of 2026: 1,600 (a scan) to 2,480 (a table)."""
OTHER_PAGE_TOKENS = 1_600
AUDIO_TOKENS = {"openai": 20}
"""OpenAI: one token per 100 ms of a user's audio and per 50 ms of an assistant's ("Managing costs" of Realtime)."""
OTHER_AUDIO_TOKENS = 32
"""Gemini: 32 tokens a second ("Understand and count tokens")."""
VIDEO_TOKENS = 300
"""Gemini: 258 for one frame a second, 32 for the sound, and time stamps ("Video understanding")."""
BYTES_PER_TEXT_TOKEN = 3
"""Of a document that is plain text: few texts take more tokens than a third of their UTF-8 bytes."""


class MediaFacts(msgspec.Struct, frozen=True):
    """What a file tells about its size. None: it does not tell, or we cannot read it."""

    width: int | None
    height: int | None
    """Pixels."""
    pages: int | None
    seconds: float | None


def describe(data: bytes, mime: str) -> MediaFacts:
    """Read a file's size from its header. Never raises: a file that makes no sense has no size.

    What a file begins with counts for more than `mime`, which clients often get wrong.
    """
    if b"%PDF-" in data[:1024] or mime == "application/pdf":
        return MediaFacts(None, None, pdf_pages(data), None)
    size = picture_size(data)
    if size is not None:
        return MediaFacts(*size, None, None)
    return MediaFacts(None, None, None, recording_seconds(data))


def provider_of(dialect: str) -> str:
    """Give by whose rules the models behind a dialect count media, one of `PROVIDERS`."""
    name = dialect.partition("_")[0]
    return name if name in PROVIDERS else ""


def media_tokens(media: Media, dialect: str) -> int:
    """Give the tokens of one media item for the models behind a dialect (`""`: not known)."""
    provider = provider_of(dialect)
    match media.kind:
        case MediaKind.IMAGE:
            return _picture(media, provider)
        case MediaKind.DOCUMENT if media.mime.startswith("text/") and media.size is not None:
            return 1 + media.size // BYTES_PER_TEXT_TOKEN
        case MediaKind.DOCUMENT:
            return (media.pages or UNKNOWN_PAGES) * PAGE_TOKENS.get(provider, OTHER_PAGE_TOKENS)
        case MediaKind.AUDIO:
            return math.ceil(_seconds(media) * AUDIO_TOKENS.get(provider, OTHER_AUDIO_TOKENS))
        case MediaKind.VIDEO:
            return math.ceil(_seconds(media) * VIDEO_TOKENS)


def _seconds(media: Media) -> float:
    """Give how long a recording is; a length that none can have, such as one below 0, says nothing."""
    said = media.seconds
    return said if said is not None and 0 < said <= LONGEST_SECONDS else UNKNOWN_SECONDS


def _picture(media: Media, provider: str) -> int:
    if not media.width or not media.height:
        return UNKNOWN_PICTURE
    if provider == "openai":
        return _openai(media.width, media.height)
    if provider == "gemini":
        return 1_120  # whatever its size, at the resolution that is the default ("Media resolution", Gemini 3)
    return _anthropic(media.width, media.height)


def _anthropic(width: int, height: int) -> int:
    """Apply Anthropic's rule ("Images and vision", high-resolution tier): patches of 28 px, at most 4,784.

    Older models stop at 1,568 px and 1,568 tokens. Measured: 2,691 for 1,920 x 1,080, exactly the rule; about 3,000 to
    3,900 for larger ones. Every picture carries some 4 tokens more. The older `width x height / 750` is within 5 %.
    """
    return min(_patches(width, height, 28, 2_576), 4_784) + 4


def _openai(width: int, height: int) -> int:
    """Apply OpenAI's rules ("Images and vision", detail `auto`): the dearest of three, for a dialect names no model.

    GPT-5.6 and later: 1.2 tokens per patch of 32 px, unscaled, refused above 30,000 patches (measured: 2,448 for
    1,920 x 1,080; 14,364 for 4,032 x 3,024). The small models: 1.62 per patch, at most 1,536 patches. GPT-4o, 4.1 and
    the o-series: 85, and 170 per tile of 512 px, scaled into 2,048 px and to 768 px on the short side.
    """
    patches = _patches(width, height, 32, max(width, height))
    scale = min(1.0, 2_048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    tiles = math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
    return max(math.ceil(1.2 * min(patches, 30_000)), math.ceil(1.62 * min(patches, 1_536)), 85 + 170 * tiles)


def _patches(width: int, height: int, pixels: int, longest: int) -> int:
    scale = min(1.0, longest / max(width, height))
    return math.ceil(width * scale / pixels) * math.ceil(height * scale / pixels)
