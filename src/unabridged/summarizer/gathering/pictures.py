"""What each picture, recording and document was: its type and size, where it came from, what was said with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from unabridged.message import Media, Message, ToolResult
from unabridged.summarizer.gathering.commands import described
from unabridged.summarizer.gathering.steps import Step
from unabridged.summarizer.gathering.typed import typed
from unabridged.summarizer.quoting import brief, code
from unabridged.tokens.price import measured

LONGEST_CALL = 100
LONGEST_WORDS = 100


def pictures_of(messages: Sequence[Message], steps: Iterable[Step], media: Mapping[str, bytes]) -> Iterator[str]:
    """Give one line for every picture, recording and document, those in results too."""
    shown_by: dict[tuple[int, str], Step] = {(step.at, step.call.id): step for step in steps if step.answered}
    for at, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, Media):
                yield f"{looks(part, media)}, {_from_a_message(message)}"
            elif isinstance(part, ToolResult):
                step = shown_by.get((at, part.call_id))
                came = f"from {code(brief(described(step), LONGEST_CALL))}" if step else "from a tool"
                yield from (f"{looks(inner, media)}, {came}" for inner in part.parts if isinstance(inner, Media))


def _from_a_message(message: Message) -> str:
    words = typed(message)
    who = "sent by the user" if message.is_human else f"in a message of the {message.role.value}"
    return f"{who} with {code(brief(words, LONGEST_WORDS))}" if words else who


def looks(item: Media, media: Mapping[str, bytes]) -> str:
    """Give what is known of a picture, recording or document: type, pixels, pages, seconds, size."""
    known = measured(item, media)
    data = media.get(item.digest) if item.digest else None
    size = known.size if known.size is not None else len(data) if data is not None else None
    facts = [
        f"{known.width}x{known.height}" if known.width and known.height else "",
        f"{known.pages} pages" if known.pages else "",
        f"{known.seconds:.0f} s" if known.seconds else "",
        f"{size:,} bytes" if size is not None else "",
        brief(known.url, LONGEST_CALL) if known.url else "",
    ]
    return ", ".join([known.mime or known.kind.value, *filter(None, facts)])
