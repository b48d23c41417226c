"""Call ids are of the form, and as unique, as Anthropic demands."""

from __future__ import annotations

from tests.repair.mending import anthropic, gemini, openai, responses
from unabridged.message import Message, Role, ToolCall
from unabridged.repair.ids import Ids
from unabridged.testing.notation import messages


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


LONG = "call_" + "x" * 60


def test_ids_that_repeat_are_renamed_where_they_alone_join_a_result_to_its_call() -> None:
    mended = responses("U:task A[c1] T(c1) A[c1,c2] T(c2) T(c1) A:done")
    assert str(mended) == "U:task A[c1] T(c1) A[c1_2,c2] T(c2) T(c1_2) A:done"
    assert mended.repairs == {"ids": 1}


def test_a_result_that_stands_apart_follows_the_new_name_of_its_call() -> None:
    assert str(responses("U:task A[c1] T(c1) A[c1] U:hint A[c2] T(c2) T(c1)")) == (
        "U:task A[c1] T(c1) A[c1_2] U:hint A[c2] T(c2) T(c1_2)"
    )


def test_an_id_that_is_too_long_keeps_its_beginning_and_is_the_same_every_time() -> None:
    first, second = [responses(f"U:task {before}A[{LONG}] T({LONG})").sent()[-1] for before in ("", "A:a U:b ")]
    assert len(first["call_id"]) == 64
    assert first["call_id"].startswith(LONG[:40])
    assert first["call_id"] == second["call_id"]


def test_long_ids_that_begin_alike_stay_apart() -> None:
    sent = responses(f"U:task A[{LONG}a,{LONG}b] T({LONG}b) T({LONG}a)").sent()
    called, answered = [item["call_id"] for item in sent[1:3]], [item["call_id"] for item in sent[3:]]
    assert len(set(called)) == 2
    assert answered == called[::-1]


def test_a_server_of_the_chat_dialect_takes_the_long_ids_that_it_issued_and_no_others() -> None:
    call = ToolCall(LONG, "f", "{}")
    assert not Ids("openai_chat").suspects(messages(f"A[{LONG}]")[0], set())
    assert Ids("openai_chat").suspects(Message(id="m", role=Role.ASSISTANT, parts=(call,)), set())


def test_gemini_demands_nothing_of_ids() -> None:
    mended = gemini(f"U:task A[{LONG}] T({LONG}) A[{LONG}] T({LONG}) A[a/b] T(a/b)")
    assert mended.items == mended.came
