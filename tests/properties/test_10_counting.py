"""Promise 10: counting never raises and never falls far below the truth."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.properties.events import Served, Story
from tests.properties.stories import below, stories
from tests.properties.texts import KINDS, passage
from tests.properties.walking import COUNTER, Remembering, walk
from tests.verify import payload
from tests.wire.strategies import MESSAGES
from unabridged.errors import BadInput
from unabridged.tokens.calibration import Calibration
from unabridged.tokens.estimate import EstimateCounter
from unabridged.tokens.exact import ExactCounter
from unabridged.tokens.price import Price, price_message
from unabridged.wire import wire

ENOUGH = 200
"""Tokens from which on an estimate is held to its promise."""
FAR = 0.9
ESTIMATE = Remembering(EstimateCounter())
EXACT = ExactCounter()

pieces = st.builds(passage, st.sampled_from(tuple(KINDS)), st.integers(1, 400), below(100))
odd = st.text(st.characters(exclude_categories=()), max_size=30).flatmap(
    lambda text: st.integers(1, 60).map(text.__mul__)
)
texts = st.lists(pieces | odd, min_size=1, max_size=4).map("".join)
prices = st.builds(Price, st.integers(0, 200_000), st.integers(0, 50_000))
reports = st.lists(st.tuples(st.sampled_from(("a", "b")), st.integers(1, 200_000), st.integers(1, 400_000)), max_size=6)


@given(texts)
def test_an_estimate_never_raises_and_is_at_least_nine_tenths_of_the_exact_count(text: str) -> None:
    exact = payload.count(text)
    assert EXACT.count(text) >= FAR * exact
    estimate = EstimateCounter().count(text)
    assert estimate >= 0
    if exact >= ENOUGH:
        assert estimate >= FAR * exact


@given(st.sampled_from(sorted(MESSAGES)).flatmap(lambda name: st.tuples(st.just(name), MESSAGES[name])))
def test_every_message_that_can_be_read_can_be_priced(given_: tuple[str, str]) -> None:
    dialect, body = given_
    try:
        message, media = wire(dialect).read_message(body, id="m")
    except BadInput:
        return
    for counter in (COUNTER, ESTIMATE):
        cost = price_message(message, counter, media)
        price = cost.under(dialect)
        assert 0 <= price.dense <= cost.text.tokens <= price.tokens


@given(stories())
def test_a_whole_request_is_never_counted_far_below_the_truth(story: Story) -> None:
    for step in walk(story, counter=ESTIMATE):
        if step.fitted is not None and story.served is Served.NOTHING and step.tokens >= ENOUGH:
            assert step.fitted.tokens >= FAR * step.tokens


@given(reports, prices, prices)
def test_more_is_never_counted_as_less(told: list[tuple[str, int, int]], one: Price, more: Price) -> None:
    known = Calibration()
    for key, price, usage in told:
        known = known.learn((key,), price, usage)
    whole = Price(one.tokens + more.tokens, one.dense + more.dense)
    for meter in (known.meter(("a",)), known.bare(("a",)), known.meter(("none",))):
        assert meter.tokens(meter.weight(one)) <= meter.tokens(meter.weight(whole))
        asked = meter.tokens(meter.weight(one))
        assert meter.tokens(meter.weight_for(asked)) <= asked + 1
