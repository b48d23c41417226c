"""Every text is one that UTF-8 can hold, whatever has to leave for it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.repair.mending import DIALECTS, mended_bodies

HALF = "\ud83d"
ASKED: dict[str, Any] = {
    "anthropic": {"role": "user", "content": "go"},
    "gemini": {"role": "user", "parts": [{"text": "go"}]},
    "openai_chat": {"role": "user", "content": "go"},
    "openai_responses": {"role": "user", "content": "go"},
}
OWN: dict[str, Any] = {
    "anthropic": {"role": "user", "content": [{"type": "search_result", "title": HALF}]},
    "gemini": {"role": "user", "parts": [{"executableCode": {"code": HALF}}]},
    "openai_chat": {"role": "user", "content": [{"type": "hologram", "x": HALF}]},
    "openai_responses": {"role": "user", "content": [{"type": "hologram", "x": HALF}]},
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_half_a_pair_in_a_text_becomes_a_sign_that_something_is_missing(dialect: str) -> None:
    said = {"parts": [{"text": HALF}]} if dialect == "gemini" else {"content": HALF}
    sent, repairs = mended_bodies(dialect, {"role": "user", **said})
    assert "\ufffd" in str(sent)
    assert repairs == {"surrogates": 1}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_users_item_that_cannot_be_edited_leaves_a_placeholder(dialect: str) -> None:
    sent, repairs = mended_bodies(dialect, ASKED[dialect], OWN[dialect])
    assert "[context: empty]" in str(sent[1])
    assert repairs == {"surrogates": 1}


def test_arguments_are_mended_in_the_form_that_they_have() -> None:
    call = {"functionCall": {"name": "f", "args": {"a": HALF}}}
    answer = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": HALF}}}]}
    sent, _ = mended_bodies("gemini", ASKED["gemini"], {"role": "model", "parts": [call]}, answer)
    assert sent[1]["parts"][0]["functionCall"]["args"] == {"a": "\ufffd"}
    assert sent[2]["parts"][0]["functionResponse"]["response"] == {"output": "\ufffd"}


def test_reasoning_that_cannot_be_edited_leaves_whole_and_its_answer_with_it_if_that_is_all() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": HALF}]}
    sent, repairs = mended_bodies("openai_responses", ASKED["openai_responses"], reasoning)
    assert (sent, repairs) == ([ASKED["openai_responses"]], {"surrogates": 1})
