"""Call ids are of the form, and as unique, as Anthropic demands."""

from __future__ import annotations

from tests.repair.mending import anthropic, openai


def test_an_id_that_was_used_before_gets_a_number() -> None:
    mended = anthropic("U:task A[c1] T(c1) A[c1] T(c1) A:done")
    assert str(mended) == "U:task A[c1] T(c1) A[c1_2] T(c1_2) A:done"
    assert mended.repairs == {"ids": 1}


def test_the_number_skips_what_is_taken() -> None:
    assert str(anthropic("U:task A[c1,c1_2] T(c1,c1_2) A[c1] T(c1)")) == (
        "U:task A[c1,c1_2] T(c1,c1_2) A[c1_3] T(c1_3)"
    )


def test_an_id_twice_in_one_batch_is_renamed_with_its_result() -> None:
    assert str(anthropic("U:task A[c1,c1] T(c1,c1) A:done")) == "U:task A[c1,c1_2] T(c1,c1_2) A:done"


def test_characters_that_are_not_allowed_become_underlines() -> None:
    assert str(anthropic("U:task A[fs.read$1] T(fs.read$1)")) == "U:task A[fs_read_1] T(fs_read_1)"


def test_two_ids_that_become_the_same_stay_apart() -> None:
    assert str(anthropic("U:task A[a.b,a$b] T(a.b,a$b)")) == "U:task A[a_b,a_b_2] T(a_b,a_b_2)"


def test_results_in_another_order_follow_their_own_calls() -> None:
    assert str(anthropic("U:task A[c1] T(c1) A[c1,c2] T(c2,c1)")) == "U:task A[c1] T(c1) A[c1_2,c2] T(c2,c1_2)"


def test_ids_that_repeat_stay_where_the_provider_allows_it() -> None:
    mended = openai("U:task A[c1] T(c1) A[c1] T(c1) A:done")
    assert mended.items == mended.came
