"""Messages and transcripts as strategies, in the form of their provider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

from unabridged.errors import BadInput
from unabridged.testing.bodies import LISTED, Body, Said, written
from unabridged.testing.strategies.telling import WHOLE_KINDS, Manner, Teller
from unabridged.testing.strategies.texts import known, least

T = TypeVar("T")


def messages(
    dialect: str,
    *,
    most_tokens: int = 200,
    kinds: tuple[str, ...] = WHOLE_KINDS,
    pictures: bool = True,
    thoughts: bool = True,
) -> st.SearchStrategy[Body]:
    """Give single messages as the provider of `dialect` writes them; for `openai_responses` single items.

    A person's message, an answer, calls, results: by itself a request of the last two is not valid. For
    `Conversation.add`.

    Args:
        dialect: `openai_chat`, `openai_responses`, `anthropic` or `gemini`.
        most_tokens: Of one text, about (o200k).
        kinds: Of texts, of `passages.KINDS`.
        pictures: Whether there may be some.
        thoughts: Whether the model may show some.

    Raises:
        BadInput: The dialect is unknown, or there is no such kind of text.
    """
    manner = manner_of(most_tokens=most_tokens, kinds=kinds, pictures=pictures, thoughts=thoughts)

    @st.composite
    def told(draw: st.DrawFn) -> Body:
        teller = teller_of(draw, dialect, manner)
        found = written(teller.message(), dialect, "0")
        return found[teller.number(len(found))]

    return known_dialect(dialect, told())


def transcripts(
    dialect: str,
    *,
    most_turns: int = 6,
    most_tokens: int = 200,
    kinds: tuple[str, ...] = WHOLE_KINDS,
    pictures: bool = True,
    thoughts: bool = True,
) -> st.SearchStrategy[list[Body]]:
    """Give transcripts that the provider of `dialect` accepts, as its requests list them; the model is to speak next.

    For `Conversation.add_all`, or as the `messages`, `input` or `contents` of a request. A person says something, the
    model calls tools for some steps, every call is answered, the model answers.

    Args:
        dialect: `openai_chat`, `openai_responses`, `anthropic` or `gemini`.
        most_turns: Of a person and the model; the last one is open.
        most_tokens: Of one text, about (o200k).
        kinds: Of texts, of `passages.KINDS`; with `surrogates` a request is not valid.
        pictures: Whether there may be some, in what people say and in results.
        thoughts: Whether the model may show some.

    Raises:
        BadInput: The dialect is unknown, or there is no such kind of text.
    """
    manner = manner_of(
        most_tokens=most_tokens, kinds=kinds, pictures=pictures, thoughts=thoughts, most_turns=most_turns
    )

    @st.composite
    def told(draw: st.DrawFn) -> list[Body]:
        return listed(teller_of(draw, dialect, manner).conversation(), dialect)

    return known_dialect(dialect, told())


def manner_of(
    *,
    most_tokens: int,
    kinds: tuple[str, ...],
    most_turns: int = 1,
    pictures: bool = True,
    thoughts: bool = True,
) -> Manner:
    """Give the settings of a conversation, if they can be."""
    if most_turns < 1:
        raise BadInput(f"`most_turns` is {most_turns}: a transcript has at least 1 turn")
    return Manner(
        most_turns=most_turns,
        most_tokens=least(most_tokens),
        kinds=known(kinds),
        pictures=pictures,
        thoughts=thoughts,
    )


def teller_of(draw: st.DrawFn, dialect: str, manner: Manner) -> Teller:
    """Give who tells it: in Chat Completions the results of tools hold no pictures."""
    return Teller(draw, manner, pictured_results=dialect != "openai_chat")


def listed(said: Sequence[Said], dialect: str) -> list[Body]:
    """Give messages as a request lists them."""
    return [body for place, one in enumerate(said) for body in written(one, dialect, str(place))]


def known_dialect(dialect: str, strategy: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    """Give the strategy back, if there is such a dialect."""
    if dialect not in LISTED:
        raise BadInput(
            f"no messages can be written for the dialect {dialect!r}: use one of {', '.join(sorted(LISTED))}"
        )
    return strategy
