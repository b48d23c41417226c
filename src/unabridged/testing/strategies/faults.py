"""Transcripts as they arrive on bad days: what clients, crashes and models leave behind, one fault a function."""

from __future__ import annotations

import enum
from collections.abc import Callable

import msgspec
from hypothesis import strategies as st

from unabridged.errors import BadInput
from unabridged.testing.bodies import Body, Result, Said
from unabridged.testing.models import Call
from unabridged.testing.strategies.telling import WHOLE_KINDS, Teller
from unabridged.testing.strategies.transcripts import known_dialect, listed, manner_of, teller_of

Spoil = Callable[[list[Said], Teller], list[Said]]


class Fault(enum.StrEnum):
    """What is wrong with a transcript."""

    ORPHAN_RESULT = "orphan result"
    """A result of a call that nobody made."""
    UNANSWERED_CALL = "unanswered call"
    """A crash, or an interruption: a call without its result."""
    LATE_RESULT = "late result"
    """A person typed something while the call ran, and it stands before the result."""
    SECOND_RESULT = "second result"
    """A call that was answered twice."""
    REPEATED_ID = "repeated id"
    """Two calls of one message with one id, as some models make them."""
    EMPTY_MESSAGE = "empty message"
    """A message whose text is empty."""
    BLANK_MESSAGE = "blank message"
    """A message of white space alone."""
    ANSWER_FIRST = "answer first"
    """The model speaks first: a greeting, or the rest of a transcript whose beginning is gone."""
    SCATTERED_RESULTS = "scattered results"
    """The results of one message come in another order, each in a message of its own."""
    BROKEN_ARGUMENTS = "broken arguments"
    """Arguments that end in the middle, as the output limit left them."""
    HALF_CHARACTER = "half a character"
    """A text that was cut between two surrogates."""


def broken_transcripts(
    dialect: str,
    *,
    faults: tuple[Fault, ...] = tuple(Fault),
    most_turns: int = 4,
    most_tokens: int = 200,
    kinds: tuple[str, ...] = WHOLE_KINDS,
) -> st.SearchStrategy[list[Body]]:
    """Give transcripts with up to three of these faults, as the requests of `dialect` list them.

    Most providers refuse most of them (`violations` says why); a fit has to make valid requests of all. For
    `Conversation.add_all`.

    Args:
        dialect: `openai_chat`, `openai_responses`, `anthropic` or `gemini`.
        faults: Which may occur; one at least does.
        most_turns: Of a person and the model; the last one is open.
        most_tokens: Of one text, about (o200k).
        kinds: Of texts, of `passages.KINDS`.

    Raises:
        BadInput: The dialect is unknown, there is no such kind of text, or no fault is named.
    """
    if not faults:
        raise BadInput("no fault is named: use `transcripts` for a transcript without faults")
    manner = manner_of(most_tokens=most_tokens, kinds=kinds, most_turns=most_turns)

    @st.composite
    def told(draw: st.DrawFn) -> list[Body]:
        teller = teller_of(draw, dialect, manner)
        said = teller.conversation(least_steps=1)
        for _ in range(1 + teller.number(3)):
            said = _SPOILS[teller.pick(faults)](said, teller)
        return listed(said, dialect)

    return known_dialect(dialect, told())


def _orphan_result(said: list[Said], teller: Teller) -> list[Said]:
    at = teller.number(len(said) + 1)
    return [*said[:at], Said(role="user", results=(teller.result("call_nobody"),)), *said[at:]]


def _unanswered_call(said: list[Said], teller: Teller) -> list[Said]:
    at = _answers(said, teller)
    if at is None:
        return said
    left = list(said[at].results)
    del left[teller.number(len(left))]
    return [*said[:at], *([Said(role="user", results=tuple(left))] if left else []), *said[at + 1 :]]


def _late_result(said: list[Said], teller: Teller) -> list[Said]:
    at = _answers(said, teller)
    return said if at is None else [*said[:at], teller.human(), *said[at:]]


def _second_result(said: list[Said], teller: Teller) -> list[Said]:
    at = _answers(said, teller)
    if at is None:
        return said
    again = teller.result(teller.pick(said[at].results).call_id)
    behind = at + 1 + teller.number(len(said) - at)
    return [*said[:behind], Said(role="user", results=(again,)), *said[behind:]]


def _repeated_id(said: list[Said], teller: Teller) -> list[Said]:
    at = _calls(said, teller)
    if at is None:
        return said
    first, *_ = said[at].calls
    again = Call(first.name, first.arguments, first.id)
    asked = msgspec.structs.replace(said[at], calls=(*said[at].calls, again))
    results: tuple[Result, ...] = (teller.result(first.id or ""),)
    answered = said[at + 1] if at + 1 < len(said) and said[at + 1].results else None
    if answered is None:
        return [*said[:at], asked, Said(role="user", results=results), *said[at + 1 :]]
    both = Said(role="user", results=answered.results + results)
    return [*said[:at], asked, both, *said[at + 2 :]]


def _empty_message(said: list[Said], teller: Teller) -> list[Said]:
    return _with_text(said, teller, "")


def _blank_message(said: list[Said], teller: Teller) -> list[Said]:
    return _with_text(said, teller, " \n\t")


def _half_character(said: list[Said], teller: Teller) -> list[Said]:
    return _with_text(said, teller, f"{teller.text()}\ud83d")


def _answer_first(said: list[Said], teller: Teller) -> list[Said]:
    return [teller.answer(), *said]


def _scattered_results(said: list[Said], teller: Teller) -> list[Said]:
    at = _answers(said, teller)
    if at is None:
        return said
    apart = [Said(role="user", results=(result,)) for result in reversed(said[at].results)]
    return [*said[:at], *apart, *said[at + 1 :]]


def _broken_arguments(said: list[Said], teller: Teller) -> list[Said]:
    at = _calls(said, teller)
    if at is None:
        return said
    *others, last = said[at].calls
    cut = Call(last.name, last.arguments[: 1 + teller.number(max(1, len(last.arguments) - 1))], last.id)
    return [*said[:at], msgspec.structs.replace(said[at], calls=(*others, cut)), *said[at + 1 :]]


def _with_text(said: list[Said], teller: Teller, text: str) -> list[Said]:
    """Put a text into a message, or into one of its results."""
    at = teller.number(len(said))
    one = said[at]
    if one.results:
        first, *others = one.results
        changed = msgspec.structs.replace(one, results=(Result(first.call_id, text), *others))
    else:
        changed = msgspec.structs.replace(one, text=text)
    return [*said[:at], changed, *said[at + 1 :]]


def _answers(said: list[Said], teller: Teller) -> int | None:
    return _one(teller, [at for at, one in enumerate(said) if one.results])


def _calls(said: list[Said], teller: Teller) -> int | None:
    return _one(teller, [at for at, one in enumerate(said) if one.calls])


def _one(teller: Teller, places: list[int]) -> int | None:
    return teller.pick(tuple(places)) if places else None


_SPOILS: dict[Fault, Spoil] = {
    Fault.ORPHAN_RESULT: _orphan_result,
    Fault.UNANSWERED_CALL: _unanswered_call,
    Fault.LATE_RESULT: _late_result,
    Fault.SECOND_RESULT: _second_result,
    Fault.REPEATED_ID: _repeated_id,
    Fault.EMPTY_MESSAGE: _empty_message,
    Fault.BLANK_MESSAGE: _blank_message,
    Fault.ANSWER_FIRST: _answer_first,
    Fault.SCATTERED_RESULTS: _scattered_results,
    Fault.BROKEN_ARGUMENTS: _broken_arguments,
    Fault.HALF_CHARACTER: _half_character,
}
