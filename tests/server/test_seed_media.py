"""Images cost about 1600 tokens each; under `summarize` they are looked at once more; a marker is left either way."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.server.reading import Json
from tests.server.seed_scene import Chat, Talker, bulk, house
from unabridged.testing.pictures import png

SIDE = 1_092
"""Pixels: width times height / 750 is 1,590 tokens by the rule of the provider that is asked here."""
DIALECT = "anthropic"


def uploaded(chat: Chat, seed: str) -> Json:
    answer = chat.http.post("/chat/media", content=png(SIDE, SIDE, seed), headers={"Content-Type": "image/png"})
    assert answer.status_code == 201, answer.text
    return answer.json()


def showing(chat: Chat, seed: str, text: str = "What is this?") -> list[Json]:
    return [{"type": "media", "digest": uploaded(chat, seed)["digest"]}, {"type": "text", "text": text}]


def images(request: Json) -> list[bytes]:
    """Give the pictures that a request shows, in order."""
    blocks: list[Any] = [b for m in request["messages"] if isinstance(m["content"], list) for b in m["content"]]
    return [base64.b64decode(block["source"]["data"]) for block in blocks if block["type"] == "image"]


def test_an_image_is_priced_at_about_1600_tokens_and_not_as_its_bytes(file: str) -> None:
    with house(file, Talker(), dialect=DIALECT, window=64_000) as made:
        chat = made.project()
        told = uploaded(chat, "one")
        came = chat.talk(["Hi.", showing(chat, "one"), "And?"])
        sent = [each.tokens for each in made.provider.served]
    assert 1_500 <= told["tokens"] <= 1_700
    assert 1_500 <= sent[1] - sent[0] <= 1_700
    assert [turn.status for turn in came] == ["completed"] * 3


@pytest.mark.parametrize("strategy", ["trim", "summarize"])
def test_a_conversation_with_images_reaches_the_budget_far_sooner_than_its_text_suggests(
    file: str, strategy: str
) -> None:
    with house(file, Talker(), dialect=DIALECT) as made:
        chat = made.project(policy={"strategy": strategy})
        words = chat.talk([f"Picture {number}?" for number in range(6)])
        shown = chat.talk([showing(chat, str(number), f"Picture {number}?") for number in range(6)])
        assert made.provider.refused == []
    assert [turn.of("context") for turn in words] == [[]] * 6
    reports = [report for turn in shown for report in turn.of("context") if report["phase"] == "done"]
    assert reports
    assert all(report["tokens_after"] <= report["budget"] for report in reports)
    assert {turn.status for turn in shown} == {"completed"}


def test_under_summarize_the_images_of_the_span_are_attached_to_the_call_and_leave_a_marker(file: str) -> None:
    with house(file, Talker(), dialect=DIALECT, window=32_000) as made:
        chat = made.project(policy={"strategy": "summarize", "max_context_tokens": 8_000})
        came = chat.talk(["Begin.", *(showing(chat, str(number)) for number in range(5)), bulk(600, "last")])
        summaries, last = made.summaries, made.asked[-1]
        states = [message["context"]["state"] for message in chat.messages(came[0].session)]
    gone = [png(SIDE, SIDE, str(number)) for number in range(5) if png(SIDE, SIDE, str(number)) not in images(last)]
    looked_at = [picture for summary in summaries for picture in images(summary)]
    assert gone
    assert set(gone) <= set(looked_at)
    assert all("## Pictures" in json.dumps(summary) for summary in summaries)  # it is asked what each of them shows
    assert states.count("compacted") > 0
    assert f"no longer shown\\n- image/png, {SIDE}x{SIDE}" in json.dumps(last)


def test_under_trim_an_image_is_dropped_and_a_marker_says_that_it_was_there(file: str) -> None:
    with house(file, Talker(), dialect=DIALECT) as made:
        chat = made.project()
        came = chat.talk(["Begin.", *(showing(chat, str(number)) for number in range(5)), bulk(600, "last")])
        last = made.asked[-1]
        assert made.summaries == []
        first = next(m for m in chat.messages(came[0].session) if m["parts"][0]["type"] == "media")
        kept = chat.http.get(first["parts"][0]["url"])
    reports = [report for turn in came for report in turn.of("context")]
    assert sum(report.get("media_dropped", 0) for report in reports) > 0
    assert len(images(last)) < 5
    assert f"[context: an image was here (image/png, {SIDE}x{SIDE})" in json.dumps(last)
    assert kept.content == png(SIDE, SIDE, "0")  # nothing is deleted: the conversation still has it
