"""The short texts that stand where something was taken out. Each says what, how much, and how to get it back."""

from __future__ import annotations

from unabridged.message import Media

PREFIX = "[context: "
"""Every marker begins with it. Text of the transcript that imitates it is not touched, and never read back as one."""


def shortened(kept: tuple[tuple[int, int], ...], total: int, *, handle: str | None = None) -> str:
    """Say that the middle of a text is missing."""
    head, tail = kept[0][1] - kept[0][0], sum(end - start for start, end in kept[1:])
    shown = f"the first {head:,} and the last {tail:,}" if tail else f"the first {head:,}"
    return f"{PREFIX}shortened, showing {shown} of {total:,} characters; {_way_back(handle)}]"


def removed_media(media: Media, *, handle: str | None = None) -> str:
    """Say that a picture, recording or document was here."""
    size = f", {media.width}x{media.height}" if media.width and media.height else ""
    name = {"image": "an image", "audio": "a recording", "video": "a video", "document": "a document"}[media.kind]
    way = f"; read_history(id={handle!r}) names it" if handle else ""
    return f"{PREFIX}{name} was here ({media.mime or 'unknown type'}{size}); it is no longer visible to you{way}]"


def dropped(count: int, *, searchable: bool = False) -> str:
    """Say that whole messages are not shown."""
    noun = "message is" if count == 1 else "messages are"
    way = "; search_history finds what they said" if searchable else "; ask, or run a tool again, for what you need"
    return f"{PREFIX}{count:,} earlier {noun} not shown{way}]"


def interrupted() -> str:
    """Say that a call has no result: it may have run, or not."""
    return f"{PREFIX}this call has no result: it was interrupted, its outcome is uncertain; inspect before retrying]"


def empty() -> str:
    """Stand where a provider wants text and there is none."""
    return f"{PREFIX}empty]"


def begins() -> str:
    """Stand before an answer that nothing in this conversation asked for."""
    return f"{PREFIX}what came before this is not part of the conversation]"


def orphaned(characters: int) -> str:
    """Say that a result was left out because its call is not part of this conversation."""
    return f"{PREFIX}a tool result without its call was left out, {characters:,} characters]"


def is_marker(text: str) -> bool:
    """Tell whether a text, as a whole, is a marker."""
    return text.startswith(PREFIX) and text.endswith("]")


def _way_back(handle: str | None) -> str:
    if handle is not None:
        return f"read_history(id={handle!r}) gives the rest"
    return "run the tool again for the rest"
