from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.texts import KINDS, passage
from tests.summarizer.spans import assistant, called, note, ran, request, span, spans, tokens, user
from unabridged.message import Message
from unabridged.summarizer import Answer, extract
from unabridged.summarizer.checking import flaw_in
from unabridged.summarizer.composing import composed
from unabridged.summarizer.gathering.typed import typed
from unabridged.summarizer.prompt import HEADINGS
from unabridged.summarizer.reading import read
from unabridged.summarizer.writing import TITLE, write

Generated = tuple[tuple[Message, ...], dict[str, bytes]]
LIMITS = st.sampled_from([0, 1, 20, 60, 120, 300, 800, 2_000, 8_000])
WORST = {
    "letters": "a" * 200_000,
    "spaces": " " * 200_000,
    "breaks": "\n" * 200_000,
    "quotes": '"' * 100_001,
    "backticks": "`" * 100_000,
    "tags": "<think>" * 20_000,
    "opened tags": "<system-reminder>" * 12_000,
    "slashes": "a/" * 100_000,
    "dots": "a." * 100_000,
    "dashes": "- " * 100_000,
    "fences": "```\n" * 50_000,
    "hunks": "--- a\n+++ b\n" * 15_000,
    "equals": "=" * 200_000,
    "digits": "1" * 200_000,
    "pipes": "a | b " * 30_000,
    "heredocs": "<<EOF " * 30_000,
    "brackets": "[" * 100_000,
    "braces": "{" * 100_000,
    "colons": "a:1:" * 50_000,
    "apostrophes": "it's " * 40_000,
    "ideographs": "不" * 100_000,
    "boxes": "- [ ] x\n" * 20_000,
}


@given(spans(), LIMITS)
def test_no_conversation_makes_a_summary_raise_or_go_beyond_its_limit(generated: Generated, limit: int) -> None:
    messages, media = generated
    text = extract(request(messages, media=media, limit=limit)).text
    assert tokens(text) <= limit


@given(spans(), spans(), LIMITS)
def test_nor_does_any_that_goes_on_from_another(first: Generated, second: Generated, limit: int) -> None:
    media = first[1] | second[1]
    previous = extract(request(first[0], media=media, limit=limit)).text
    text = extract(request(second[0], media=media, limit=limit, previous=previous)).text
    assert tokens(text) <= limit


@given(spans())
def test_a_summary_is_the_same_every_time(generated: Generated) -> None:
    messages, media = generated
    asked = request(messages, media=media, limit=900)
    assert extract(asked) == extract(asked)


@given(spans())
def test_whatever_people_said_stands_in_it_word_for_word_where_the_limit_allows(generated: Generated) -> None:
    messages, media = generated
    record = read(extract(request(messages, media=media, limit=200_000)).text)
    said = [piece for item in record.rounds for piece in item.said]
    for message in messages:
        text = typed(message) if message.is_human else ""
        if text and len(text) <= 4_000:
            assert text in said
        elif text:
            assert any(piece in text for piece in said)


@given(
    spans(),
    st.sampled_from(["Never touch secrets.txt.", "请不要修改这个文件。", "Nur `a.py`, sonst nichts!"]),
    st.data(),
)
def test_a_short_demand_survives_in_any_conversation(generated: Generated, demand: str, data: st.DataObject) -> None:
    messages, media = generated
    place = data.draw(st.integers(0, len(messages)))
    text = extract(request([*messages[:place], user(demand), *messages[place:]], media=media, limit=300)).text
    assert f"> {demand}" in text


@given(spans(), st.text(max_size=200))
def test_a_summary_of_another_hand_is_never_taken_for_facts(generated: Generated, prose: str) -> None:
    messages, media = generated
    asked = request(messages, media=media, limit=60_000, previous=prose.replace(TITLE, ""))
    alone = read(extract(request(messages, media=media, limit=60_000)).text)
    assert read(extract(asked).text).rounds == alone.rounds


@given(spans(), st.text(max_size=400), LIMITS.filter(bool))
def test_a_models_summary_with_the_facts_beside_it_keeps_its_limit(
    generated: Generated, prose: str, limit: int
) -> None:
    messages, media = generated
    asked = request(messages, media=media, limit=limit)
    text = composed(prose, asked)
    assert tokens(text) <= max(limit, tokens(prose))
    assert text.startswith(prose.strip()) or text == prose


@given(spans(), st.text(), st.sampled_from(["", "stop", "length", "content_filter"]))
def test_a_verdict_is_given_on_any_text(generated: Generated, text: str, stop: str) -> None:
    messages, _ = generated
    flaw_in(Answer(text=text, stop=stop), messages, HEADINGS)


@given(spans())
def test_a_record_of_any_conversation_is_read_back(generated: Generated) -> None:
    messages, media = generated
    text = extract(request(messages, media=media, limit=60_000)).text
    assert write(read(text)) == text


@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4), st.integers(0, 60), st.integers(1, 4_000))
def test_texts_of_every_kind_go_everywhere(kinds: list[str], seed: int, size: int) -> None:
    texts = [passage(kind, size, seed) for kind in kinds]
    messages = [
        piece
        for text in texts
        for piece in (
            user(text),
            assistant(text),
            note(text),
            *ran(text, text),
            *called(text[:20], {"path": text}, text),
        )
    ]
    text = extract(request(messages, limit=1_500, previous=texts[0])).text
    assert tokens(text) <= 1_500


@pytest.mark.parametrize("worst", WORST.values(), ids=WORST)
def test_no_text_is_too_odd_for_a_summary_or_its_judge(worst: str) -> None:
    messages = span(
        user(worst),
        assistant(worst),
        ran(worst, worst, error=True),
        called("apply_patch", worst, worst),
        called("Edit", {"file_path": worst, "old_string": worst}, worst),
    )
    assert tokens(extract(request(messages, limit=1_000, previous=worst)).text) <= 1_000
    assert flaw_in(Answer(text=worst, stop="stop"), messages, HEADINGS) is not None
