"""Conversations in one line, so that a test shows what goes in and what the model sees of it.

    U:task A[c1,c2] T(c1) T(c2):2k A:done U:next

One word is one message. Sizes are tokens of its text (o200k, exact), `2k` is 2,000.

    S U A T I       system, user, assistant, tool, injected (a user-role reminder that nobody typed)
    U:task          a word of text; `U:2k` text of that size; `U:task:2k` both; `A:0` an empty text
    A[c1,c2:500]    calls; with a size, an argument `content` of that many tokens
    T(c1):2k        the result of a call; `T(c1:2k,c2)` several in one message (`anthropic`, `gemini`)
    A{think}        signed reasoning before everything else; `A{think:300}` with a size
    U{img}          a picture of 800x600 pixels; `U{img:2100x300}` of another size

A view is printed in the same words. A message that is shown whole prints as it was written. In one that was changed
`~` stands behind what was shortened and `-img` where a picture gave way to a marker. Markers that stand for no single
message are `…3` (three messages not shown), `…orphan`, `…begins`, `Σ` (a summary), and `T(c2)!` (closed, because
nothing answered it).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import Any

from unabridged.conversation import Conversation
from unabridged.errors import BadInput
from unabridged.message import Message, Origin
from unabridged.testing.bodies import TOOL, Body, Result, Said, written
from unabridged.testing.models import Call
from unabridged.testing.notation.view import shown
from unabridged.testing.notation.words import Named, Word, parse
from unabridged.testing.pictures import png
from unabridged.wire import wire

__all__ = ["bodies", "body", "messages", "png", "read", "say", "shown", "tokens"]

_ROLES = {"S": "system", "U": "user", "I": "user", "A": "assistant", "T": "user"}
_APART = ("openai_chat", "openai_responses")
"""Dialects in which each result is a message of its own."""
_THOUGHT = 20
"""Tokens of a thought of which no size is given."""
_WORDS = (
    "river stone window garden paper market summer winter music bridge forest water castle people story station "
    "office school letter number yellow orange purple silver world simple quiet heavy early late north south always "
    "never under over between around through against because although however money order perhaps rather almost"
)
_FILLER = _WORDS.split()
"""Each is one token, with a space before it and without."""


def tokens(size: int, seed: str = "") -> str:
    """Give text of exactly this many tokens (o200k); another seed gives another text."""
    start = zlib.crc32(seed.encode())
    return " ".join(_FILLER[(start + 7 * at + at // 48) % len(_FILLER)] for at in range(size))


def say(talk: Conversation, script: str) -> list[Message]:
    """Append a script to a conversation, so that `shown(talk.fit().items)` prints what becomes of it.

    Raises:
        BadInput: Something in the script is no notation, or cannot be said in the dialect of the conversation.
    """
    said: list[Message] = []
    for message, media in read(script, talk.frame.dialect, taken=talk.transcript.position):
        talk.transcript.log.media.update(media)
        said.append(talk.add(message))
    return said


def read(
    script: str, dialect: str = "openai_chat", *, taken: Iterable[str] = ()
) -> list[tuple[Message, dict[str, bytes]]]:
    """Read a script: each message, with the bytes of its media by digest.

    The id of a message is its word, with `#2` behind one that comes for the second time. `taken` are ids that are
    given already.

    Raises:
        BadInput: A word is no notation, or cannot be said in this dialect.
    """
    known = set(taken)
    found: list[tuple[Message, dict[str, bytes]]] = []
    for place, word in enumerate(script.split(), start=1):
        id, turn = word, 2
        while id in known:
            id, turn = f"{word}#{turn}", turn + 1
        known.add(id)
        origin = Origin.INJECTED if word[0] == "I" else None
        text = json.dumps(_one(_bodies(word, dialect, id, place)))
        found.append(wire(dialect).read_message(text, id=id, origin=origin))
    return found


def messages(script: str, dialect: str = "openai_chat") -> list[Message]:
    """Read a script as messages, without the bytes of its media."""
    return [message for message, _ in read(script, dialect)]


def bodies(script: str, dialect: str = "openai_chat") -> list[Body]:
    """Give a script as a request of this dialect lists it: messages, items or contents, as decoded JSON.

    Raises:
        BadInput: A word is no notation, or cannot be said in this dialect.
    """
    words = enumerate(script.split(), start=1)
    return [body for place, word in words for body in _bodies(word, dialect, f"{word}#{place}", place)]


def body(word: str, dialect: str = "openai_chat", seed: str = "") -> Any:
    """Give one message as its provider writes it; for `openai_responses` a list where it is several items.

    Another seed gives another text of the same size, and other pictures.
    """
    return _one(_bodies(word, dialect, seed or word, 1))


def _one(found: list[Body]) -> Any:
    return found[0] if len(found) == 1 else found


def _bodies(text: str, dialect: str, seed: str, place: int) -> list[Body]:
    word = parse(text, place)
    if dialect in _APART and len(word.results) > 1:
        apart = " ".join(f"T({result.id})" for result in word.results)
        raise BadInput(f"notation, word {place}, {text!r}: in {dialect} each result is a message, as in {apart}")
    return written(_said(word, seed), dialect, seed)


def _said(word: Word, seed: str) -> Said:
    if word.results:
        pictures = _pictures(word, seed)
        results = tuple(Result(each.id, _output(word, each, seed), pictures) for each in word.results)
        return Said(role="user", results=results)
    silent = bool(word.calls or word.pictures or word.thoughts) and not word.has_text
    return Said(
        role=_ROLES[word.role],
        text=None if silent else _text(word, seed, "fine"),
        thoughts=tuple(
            tokens(_THOUGHT if size is None else size, f"{seed}{at}") for at, size in enumerate(word.thoughts)
        ),
        pictures=_pictures(word, seed),
        calls=tuple(Call(TOOL, _arguments(call, seed), call.id) for call in word.calls),
    )


def _text(word: Word, seed: str, default: str) -> str:
    if word.size is None:
        return word.label or default
    return " ".join(filter(None, [word.label, tokens(word.size - bool(word.label), seed)]))


def _output(word: Word, result: Named, seed: str) -> str | None:
    seed += result.id if len(word.results) > 1 else ""
    if result.size is not None:
        return tokens(result.size, seed)
    return _text(word, seed, "done") if word.has_text or not word.pictures else None


def _arguments(call: Named, seed: str) -> str:
    arguments: dict[str, Any] = {"path": "a.py"}
    if call.size is not None:
        arguments |= {"line": 3, "content": tokens(call.size, seed + call.id), "force": True}
    return json.dumps(arguments)


def _pictures(word: Word, seed: str) -> tuple[bytes, ...]:
    return tuple(png(width, height, f"{seed}{at}") for at, (width, height) in enumerate(word.pictures))
