"""Pictures count as the provider that gets them counts: when they are appended, cut and reported alike."""

from __future__ import annotations

import base64
import json

import pytest

from tests.scene import Scene
from unabridged.engine import Engine, Overflow
from unabridged.testing.notation import shown
from unabridged.testing.pictures import png
from unabridged.transcript import Transcript

PHOTO = "U{img:4032x3024}:look"
"""14,364 tokens of the newest OpenAI models, 4,788 of Anthropic's."""
PHOTO_TOKENS = {"openai_chat": 14_364, "anthropic": 4_788}

DIALECTS = pytest.mark.parametrize("dialect", ["openai_chat", "anthropic"])


@DIALECTS
def test_a_large_picture_counts_as_its_provider_counts_it(dialect: str) -> None:
    scene = Scene(f"{PHOTO} A U:more A U:next", dialect=dialect, window=32_000)
    fitted = scene.fit()
    assert fitted.report is None
    assert PHOTO_TOKENS[dialect] < fitted.sent.price < PHOTO_TOKENS[dialect] + 80


@DIALECTS
def test_pictures_that_fit_by_no_rule_but_another_providers_are_taken_out(dialect: str) -> None:
    scene = Scene(f"U:task {PHOTO} A {PHOTO} A {PHOTO} A U:next", dialect=dialect, window=32_000)
    view = scene.view()
    assert view.count("U{img:4032x3024}") * PHOTO_TOKENS[dialect] <= 25_600
    assert view.count("U{img:4032x3024}") == {"openai_chat": 1, "anthropic": 3}[dialect]


@DIALECTS
def test_what_a_view_takes_is_what_its_messages_cost_when_they_were_appended(dialect: str) -> None:
    scene = Scene(f"U:task {PHOTO} A[c1] T(c1):2k A U:next", dialect=dialect, window=200_000)
    fitted = scene.fit()
    costs = [record.cost.under(dialect) for record in scene.transcript.records]
    assert [item.price for item in fitted.items] == costs
    assert sum(price.tokens for price in costs) == scene.transcript.total.under(dialect).tokens


@DIALECTS
def test_taking_a_picture_out_saves_what_it_cost(dialect: str) -> None:
    photos = f"{PHOTO} A " * 8
    scene = Scene(f"U:task {photos}U:next", dialect=dialect, window=50_000)
    report = scene.report()
    saved = (report.tokens_before - report.tokens_after) / 1.07  # the margin before the first report
    taken = (PHOTO_TOKENS[dialect] - 32) * report.media_dropped  # a marker takes some 30 tokens
    assert report.media_dropped > 0
    assert saved == pytest.approx(taken, rel=0.01)
    assert report.tokens_full == report.tokens_before


@pytest.mark.parametrize("reopened", [False, True], ids=["the same transcript", "another process"])
def test_a_session_that_goes_on_with_another_provider_counts_by_its_rules(reopened: bool) -> None:
    scene = Scene(f"U:task {PHOTO} A U:next", dialect="anthropic", window=200_000)
    there = scene.fit().sent.price
    transcript = Transcript(scene.transcript.log) if reopened else scene.transcript
    other = Scene(dialect="openai_chat", window=200_000, transcript=transcript)
    here = other.fit().sent.price
    assert here - there == PHOTO_TOKENS["openai_chat"] - PHOTO_TOKENS["anthropic"]
    assert scene.fit().sent.price == there


def test_a_larger_window_shows_everything_again_only_if_that_fits_by_the_present_rules() -> None:
    scene = Scene(f"U:task {PHOTO} A {PHOTO} A {PHOTO} A U:next", window=32_000)
    scene.fit()
    as_anthropic = Engine(scene.transcript, dialect="anthropic").fit(
        Scene(dialect="anthropic").frame, scene.policy, window=40_000
    )
    scene.window = 40_000
    assert shown(as_anthropic.items).count("U{img:4032x3024}") == 3
    assert shown(scene.fit().items).count("U{img:4032x3024}") == 1


def test_pictures_that_only_their_number_forbids_are_taken_out_for_good_before_they_come_back() -> None:
    script = "U:task " + "U{img:16x16}:a " * 20 + "A:b:1k " + "U{img:2100x300}:c " * 6 + "A:d:1k A:e:4k U:next"
    report = Scene(script, dialect="anthropic", max_tokens=500).report()
    assert report.tokens_after <= report.target


def test_of_two_equal_answers_to_one_call_the_one_that_is_shown_loses_its_pictures() -> None:
    scene = Scene("U:task A[c1]", dialect="anthropic", max_tokens=500, window=4_096)
    data = base64.b64encode(png(2_100, 300, "grey")).decode()
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    content = [{"type": "text", "text": "it is done"}, {"type": "text", "text": ""}, picture, picture]
    result = {"type": "tool_result", "tool_use_id": scene.transcript.records[1].message.calls[0].id, "content": content}
    message, media = scene.engine.wire.read_message(json.dumps({"role": "user", "content": [result] * 2}), id="twice")
    scene.transcript.append(message, media=media)
    for _ in range(2):
        fitted = scene.engine.fit(scene.frame, scene.policy, window=4_096, model="m", overflow=Overflow())
        assert fitted.checkpoint is not None
        scene.engine.commit(fitted)
    assert "image" not in fitted.texts[-1]


def test_results_that_were_read_are_cut_though_a_question_stands_in_the_same_message() -> None:
    scene = Scene("U:task A[c1]", dialect="anthropic", max_tokens=500, window=4_096)
    data = base64.b64encode(png(2_100, 300, "grey")).decode()
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    call = scene.transcript.records[1].message.calls[0].id
    result = {"type": "tool_result", "tool_use_id": call, "content": [picture]}
    body = {"role": "user", "content": [result, {"type": "text", "text": "and what is that?"}]}
    message, media = scene.engine.wire.read_message(json.dumps(body), id="asked")
    scene.transcript.append(message, media=media)
    scene.say("A:seen")
    fitted = scene.engine.fit(scene.frame, scene.policy, window=4_096, model="m", overflow=Overflow())
    assert fitted.checkpoint is not None
    assert '"image"' not in "".join(fitted.texts)
    assert "and what is that?" in "".join(fitted.texts)
