"""Promise 2: over the budget the request fits, or the floor goes out with a lowered answer, or nothing does."""

from __future__ import annotations

from hypothesis import given

from tests.properties.events import Served, Story
from tests.properties.outside import SMALLEST_ANSWER, Room, guarded, least_tokens, picture_price
from tests.properties.stories import stories
from tests.properties.walking import Step, fixed_of
from tests.properties.watching import ALONE, Watch, watch
from unabridged.entry import UsageEntry
from unabridged.report import FitReason
from unabridged.tokens.calibration import REPORTS_BEFORE_TRUST

UNASKED = (FitReason.REPAIRED, FitReason.CHECKPOINT_LIFTED, FitReason.REPLANNED)
"""What is reported though nothing was over the budget."""
LIKE = 2
"""What short messages taught may not hold for a long one: a request that is so many times as large as any that was
reported is sent in doubt, and told of as it is."""
CAREFUL = 1.08
"""The engine keeps 7 % until it knows the provider's counting."""


class OverTheBudget(Watch):
    """Promise 2."""

    def see(self, step: Step) -> None:
        """Look at how large a request is, or why there is none."""
        if step.refusal is not None:
            a_refusal_is_true(step)
        elif step.policy.strategy == "none":
            it_says_whether_it_is_over(step)
        else:
            it_fits(step)


@ALONE
@given(stories())
def test_over_the_budget_the_request_fits_or_the_floor_goes_out_or_nothing_does(story: Story) -> None:
    watch(story, OverTheBudget())


def room_of(step: Step) -> Room:
    """The arithmetic of the step's budget; an overflow lowers it."""
    if step.overflow is None or step.overflow.limit is None:
        return step.room
    return Room.of(step.policy, min(step.window, step.overflow.limit), step.story.max_output)


def it_fits(step: Step) -> None:
    fitted, room = step.fitted, room_of(step)
    assert fitted is not None
    assert step.report is None or step.report.tokens_after == fitted.tokens
    budget = min(room.budget, step.report.budget) if step.report is not None else room.budget
    if fitted.tokens <= budget:
        if step.story.served is Served.NOTHING:
            assert step.tokens <= budget
        return
    assert step.report is not None
    assert step.report.over_budget
    assert step.report.reason in (FitReason.FLOOR_OVER_BUDGET, FitReason.PROVIDER_OVERFLOW, FitReason.REPLANNED)
    answer = fitted.wire.max_output(fitted.frame)
    assert answer is not None
    small = min(SMALLEST_ANSWER, step.taught.window // 32)
    assert answer >= min(small, step.story.max_output or small)
    reports = max(
        (known.reports for each in step.transcript.learned.models.values() for known in each.values()), default=0
    )
    if not reports:  # the margins are full
        assert fitted.sent.price <= room.limit
    if step.story.served is Served.NOTHING:
        assert step.tokens <= room.limit
        assert step.tokens + answer <= room.window
    elif reports >= REPORTS_BEFORE_TRUST and fitted.sent.price <= LIKE * largest_reported(step):
        story = step.story
        provided = step.tokens * story.ratio // 100 + story.overhead * story.window // 1_000
        assert provided <= max(room.limit, fitted.tokens) * CAREFUL


def largest_reported(step: Step) -> int:
    """Give the price of the largest request whose usage was reported."""
    used = (entry.payload for entry in step.transcript.log.each() if isinstance(entry.payload, UsageEntry))
    return max((each.price for each in used), default=0)


def it_says_whether_it_is_over(step: Step) -> None:
    assert step.fitted is not None
    assert step.fitted.checkpoint is None
    assert (step.report is not None and step.report.reason is FitReason.STRATEGY_NONE) == step.is_over or (
        step.report is not None and step.report.reason in UNASKED
    )
    if step.report is not None and step.overflow is None:
        assert step.report.over_budget == (step.fitted.tokens > step.report.budget)


def a_refusal_is_true(step: Step) -> None:
    """Nothing was written, the numbers agree, and what can never go is too large by a count from outside as well."""
    refusal, room = step.refusal, room_of(step)
    assert refusal is not None
    assert step.after == step.before
    assert refusal.floor > refusal.limit
    assert refusal.window <= room.window
    assert str(f"{refusal.floor:,}") in str(refusal)
    assert str(f"{refusal.limit:,}") in str(refusal)
    assert abs(sum(tokens for _, tokens in refusal.parts) - refusal.floor) <= 64 + refusal.floor // 50
    if not step.learned:
        assert (refusal.limit, refusal.window) == (room.limit, room.window)
    if not step.learned and step.story.served is Served.NOTHING:
        assert most_of_the_floor(step) > room.limit


def most_of_the_floor(step: Step) -> int:
    """Give what a request takes that holds nothing but what must be in it, cut as far as it may be; rounded up well."""
    found, messages = guarded(step.messages), step.messages
    tokens = fixed_of(step.story) + 100
    for at in {
        *found.system,
        *found.step,
        *found.unanswered,
        *(at for at in (found.task, found.newest) if at is not None),
    }:
        message = messages[at]
        whole = at in (found.newest, *found.system, *found.step)
        tokens += least_tokens(message, texts=whole) + 120 * (
            1 + len(message.parts) + sum(len(r.parts) for r in message.results)
        )
        tokens += 250 * (not whole) * len(message.parts)
        tokens += media_tokens_of(step, at)
    return int(tokens * CAREFUL)


def media_tokens_of(step: Step, at: int) -> int:
    """Give what the pictures of a message take that no person may lose."""
    blobs, dialect = step.transcript.log.media, step.story.dialect
    return sum(picture_price(media, blobs, dialect) for media in step.messages[at].parts)
