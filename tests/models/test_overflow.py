"""What errors mean: every known text in every shape, overflows found and look-alikes not."""

from __future__ import annotations

import pytest

from tests.models.lookalikes import LOOKALIKES, STRUCTURES
from tests.models.overflows import OVERFLOWS
from tests.models.rows import Row
from tests.models.shapes import SHAPES, openai_body
from tests.models.unlisted import NOT_OVER
from tests.models.unlisted import OVER as UNLISTED
from unabridged.engine import Overflow
from unabridged.models.overflow import ErrorKind, meaning_of, overflow_of

ROWS = [*OVERFLOWS, *LOOKALIKES, *STRUCTURES]
OVER = [row for row in ROWS if row.kind is ErrorKind.OVERFLOW]
OTHERS = [row for row in ROWS if row.kind is not ErrorKind.OVERFLOW]


def by_id(row: Row) -> str:
    return row.id


@pytest.mark.parametrize("row", ROWS, ids=by_id)
def test_a_text_means_the_same_in_every_shape(row: Row) -> None:
    read = {name: meaning_of(shape(row)) for name, shape in SHAPES.items()}
    assert {name: meaning.kind for name, meaning in read.items()} == dict.fromkeys(SHAPES, row.kind)


@pytest.mark.parametrize("row", ROWS, ids=by_id)
def test_the_numbers_are_read_in_every_shape(row: Row) -> None:
    read = {name: meaning_of(shape(row)) for name, shape in SHAPES.items()}
    found = {name: (each.limit, each.requested, each.output, each.output_allowed) for name, each in read.items()}
    assert found == dict.fromkeys(SHAPES, row.numbers)


@pytest.mark.parametrize("row", ROWS, ids=by_id)
def test_a_provider_is_not_taken_for_another(row: Row) -> None:
    assert meaning_of(openai_body(row)).provider in row.guesses


@pytest.mark.parametrize("row", OVER, ids=by_id)
def test_the_engine_is_told_the_window(row: Row) -> None:
    assert overflow_of(openai_body(row)) == Overflow(row.limit)


@pytest.mark.parametrize("row", OTHERS, ids=by_id)
def test_the_engine_is_told_nothing_of_anything_else(row: Row) -> None:
    assert overflow_of(openai_body(row)) is None


@pytest.mark.parametrize("text", UNLISTED)
def test_an_overflow_in_words_of_nobodys_list_is_found(text: str) -> None:
    assert [meaning_of(each).kind for each in (text, {"error": {"message": text}})] == [ErrorKind.OVERFLOW] * 2


@pytest.mark.parametrize("text", NOT_OVER)
def test_what_only_sounds_like_an_overflow_is_none(text: str) -> None:
    assert [overflow_of(each) for each in (text, {"error": {"message": text}})] == [None] * 2
