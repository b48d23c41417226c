"""A conversation goes on with another provider: what was said, called and given back survives, and is accepted."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.repair.crossing import ACROSS, Crossed
from tests.wire.crossings import DIALECTS, Step, held, read_again, stories, told
from tests.wire.sdk import accept
from unabridged.wire import wire


@pytest.mark.parametrize(("source", "target"), ACROSS)
@given(story=stories())
def test_everything_that_was_said_and_done_survives(source: str, target: str, story: list[Step]) -> None:
    crossed = Crossed(held(story, source), source, target)
    assert read_again(target, crossed.texts) == told(story)
    for text in crossed.texts:
        accept(target, text)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(story=stories())
def test_at_home_a_sound_conversation_is_read_as_it_was_told(dialect: str, story: list[Step]) -> None:
    body = held(story, dialect)
    _, messages, media = wire(dialect).read_request(body, id_prefix="r")
    assert read_again(dialect, wire(dialect).write_messages(messages, media)) == told(story)


@pytest.mark.parametrize(("source", "target"), ACROSS)
@given(story=stories())
def test_on_the_way_back_nothing_has_changed(source: str, target: str, story: list[Step]) -> None:
    body = held(story, source)
    frame, messages, media = wire(source).read_request(body, id_prefix="r")
    crossed = Crossed(body, source, target)
    assert list(crossed.came) == list(messages)
    texts = wire(source).write_messages(crossed.came, media)
    assert wire(source).write_request(frame, texts) == body
