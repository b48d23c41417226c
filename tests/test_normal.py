"""Normal form: what identifies a message, and what does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unabridged.normal import normal_bytes
from unabridged.wire import wire


def normal(body: dict[str, Any], dialect: str = "anthropic") -> bytes:
    message, _ = wire(dialect).read_message(json.dumps(body), id="any")
    return normal_bytes(message)


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def said(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def use(id: str = "c1", **input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "grep", "input": input}


THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}


def result(id: str = "c1", content: str = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


@pytest.mark.parametrize(
    ("one", "same"),
    [
        pytest.param(user(text("Go.")), {"role": "user", "content": "Go."}, id="text as a string or as a block"),
        pytest.param(user(text("Go.")), user(text("Go.", cache_control={"type": "ephemeral"})), id="a cache mark"),
        pytest.param(user(text("Go.")), user(text(" Go.\n")), id="white space around a text"),
        pytest.param(said(use("c1", a=1)), said(use("toolu_9", a=1)), id="the id of a call"),
        pytest.param(user(result("c1")), user(result("toolu_9")), id="the id that a result answers"),
        pytest.param(said(text("Done.")), said(THOUGHT, text("Done.")), id="thoughts"),
    ],
)
def test_the_same_message_sent_in_another_way_is_the_same(one: dict[str, Any], same: dict[str, Any]) -> None:
    assert normal(one) == normal(same)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(user(text("Go.")), user(text("Stop.")), id="another text"),
        pytest.param(user(text("Go.")), said(text("Go.")), id="another role"),
        pytest.param(user(text("ab"), text("c")), user(text("a"), text("bc")), id="the same letters in other blocks"),
        pytest.param(said(use(a=1)), said(use(a=2)), id="other arguments"),
        pytest.param(said(use(q="to day")), said(use(q="today")), id="a space inside an argument"),
        pytest.param(user(result(content="ok")), user(text("ok")), id="a result and a text"),
        pytest.param(user(result(), result("c2")), user(result()), id="one result less"),
    ],
)
def test_another_message_is_another(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert normal(one) != normal(other)


def test_the_dialect_is_no_part_of_what_a_message_says() -> None:
    assert normal({"role": "user", "content": "Go."}, "openai_chat") == normal(user(text("Go.")))


def test_a_lone_surrogate_has_a_normal_form() -> None:
    assert normal({"role": "user", "content": "\ud83d"}) != normal({"role": "user", "content": "\ud83e"})
