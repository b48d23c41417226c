"""Rounds: from one human message to the next."""

from __future__ import annotations

from unabridged.rounds import borders, segment
from unabridged.testing.notation import messages


def test_a_round_goes_from_one_human_message_to_the_next() -> None:
    assert segment(messages("U:one A:done U:two A[c1] T(c1) A:done U:three")) == [(0, 2), (2, 6), (6, 7)]


def test_reminders_and_tool_results_begin_no_round() -> None:
    assert borders(messages("U:task A[c1] T(c1) I:reminder A:done")) == [0]


def test_results_in_a_message_of_the_user_begin_no_round() -> None:
    assert borders(messages("U:task A[c1,c2] T(c1,c2) A:done U:next", "anthropic")) == [0, 4]


def test_each_of_two_human_messages_in_a_row_begins_a_round() -> None:
    assert segment(messages("U:one U:two")) == [(0, 1), (1, 2)]


def test_what_stands_before_the_first_human_message_belongs_to_no_round() -> None:
    assert segment(messages("S:rules A:hello U:task A:done")) == [(2, 4)]


def test_a_conversation_without_people_has_no_rounds() -> None:
    assert segment(messages("S:rules A:hello")) == []
