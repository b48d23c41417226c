"""Any step of the past gives the request that went out then, byte for byte, and says why it looked like that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import Phase, given, settings

from tests.properties.events import Story
from tests.properties.stories import stories
from tests.properties.walking import COUNTER, Step, Walker
from unabridged import Conversation, Usage
from unabridged.engine import Engine
from unabridged.entry import ReportEntry
from unabridged.errors import NotFound
from unabridged.fitted import Fitted
from unabridged.log import Log
from unabridged.message import Role
from unabridged.plan import Reason, Verdict
from unabridged.policy import Policy
from unabridged.report import Phase as FitPhase
from unabridged.store import Session, Store, open_store
from unabridged.store.steps import UNDO, Steps, fates, past_step
from unabridged.testing.notation import say
from unabridged.transcript import Transcript


class Living(Walker):
    """A story that is lived through over a stored log."""

    def __init__(self, story: Story, log: Log) -> None:
        super().__init__(story)
        self.transcript = Transcript(log, counter=COUNTER)
        self.engine = Engine(self.transcript, dialect=story.dialect)


@pytest.fixture
def session(store: Store) -> Session:
    return store.project("steps").create()


def talking(session: Session, **more: object) -> Conversation:
    given: dict[str, object] = {"model": "m", "window": 8_000, "max_tokens": 500}
    return Conversation(log=session.log, **(given | more))  # type: ignore[arg-type]  # as a caller would write it


def work(talk: Conversation, count: int, *, size: str = "600", start: int = 0, usage: bool = True) -> list[Fitted]:
    """Call tools, step after step, and give every request that went out."""
    sent: list[Fitted] = []
    for number in range(start, start + count):
        fitted = talk.fit()
        sent.append(fitted)
        if usage:
            talk.answered(Usage(input=fitted.sent.price, output=9))
        say(talk, f"A[c{number}] T(c{number}):{size}")
    return sent


def test_every_step_is_the_request_that_went_out(session: Session) -> None:
    talk = talking(session)
    talk.user("Fix the failing test.")
    sent = work(talk, 40)

    steps = Steps(session.log)
    assert len(steps) == 41  # the newest one is not answered yet
    assert [steps.step(number).texts for number in range(1, 41)] == [tuple(fitted.texts) for fitted in sent]
    assert [steps.step(number).items for number in range(1, 41)] == [tuple(fitted.items) for fitted in sent]
    assert any(fitted.checkpoint is not None for fitted in sent)


def test_steps_of_a_session_that_is_opened_again_are_the_same(lasting: str) -> None:
    with open_store(lasting) as store:
        session = store.project("p").create(id="s")
        talk = talking(session)
        say(talk, "U{img}:task A:fine U:next")
        sent = work(talk, 12)
    with open_store(lasting) as store:
        log = store.project("p").open("s").log
        assert [past_step(log, number).texts for number in range(2, 14)] == [tuple(each.texts) for each in sent]


@pytest.mark.parametrize("dialect", ["openai_chat", "openai_responses", "anthropic", "gemini"])
def test_every_dialect_gives_its_requests_again_with_their_pictures(session: Session, dialect: str) -> None:
    talk = Conversation(dialect=dialect, model="m", window=8_000, log=session.log)
    say(talk, "U{img}:task")
    sent: list[Fitted] = []
    for number in range(16):
        sent.append(talk.fit())
        say(talk, f"A[c{number}] T(c{number}):600")
        if number % 5 == 4:
            sent.append(talk.fit())
            say(talk, f"A:well U{{img:{100 + number}x100}}:on")

    steps = Steps(session.log)
    assert [steps.step(number).texts for number in range(1, len(sent) + 1)] == [tuple(each.texts) for each in sent]
    assert {steps.step(number).dialect for number in range(1, len(sent) + 1)} == {dialect}
    assert any(fitted.checkpoint is not None for fitted in sent)


def test_a_step_knows_its_frame_its_reports_and_what_the_provider_reported(session: Session) -> None:
    talk = talking(session, system="You are careful.")
    talk.user("Fix it.")
    sent = work(talk, 20)

    steps = Steps(session.log)
    for number, fitted in enumerate(sent, 1):
        step = steps.step(number)
        assert step.frame is not None
        assert [message.text for message in step.frame.system] == ["You are careful."]
        assert step.reports == (() if fitted.report is None else (fitted.report,))
        assert step.usage == Usage(input=fitted.sent.price, output=9)
        assert step.price == fitted.sent.price
    assert any(fitted.report is not None for fitted in sent)


def test_a_list_of_steps_says_the_same_as_each_of_them(session: Session) -> None:
    talk = talking(session)
    talk.user("Fix it.")
    work(talk, 12)

    steps = Steps(session.log)
    outline = steps.outline()
    assert [each.number for each in outline] == list(range(1, 14))
    assert [each.answered for each in outline] == [True] * 12 + [False]
    assert [each.reports for each in outline] == [steps.step(each.number).reports for each in outline]
    assert [each.usage for each in outline] == [steps.step(each.number).usage for each in outline]
    assert [each.messages for each in outline] == [1 + 2 * number for number in range(13)]
    assert [each.number for each in steps.outline(4, 6)] == [4, 5]


def test_what_a_person_says_while_the_model_works_is_in_the_next_request(session: Session) -> None:
    talk = talking(session)
    talk.user("Fix it.")
    first = talk.fit()
    talk.user("And the docs.")
    talk.answered(Usage(input=first.sent.price))
    say(talk, "A:done")
    talk.user("Thanks.")
    second = talk.fit()

    steps = Steps(session.log)
    assert steps.step(1).texts == tuple(first.texts)
    assert steps.step(2).texts == tuple(second.texts)
    assert len(first.texts) == 1


def test_a_step_before_and_behind_an_undo_is_what_it_was(session: Session) -> None:
    talk = talking(session)
    talk.user("Fix it.")
    sent = work(talk, 14, usage=False)
    sent.append(talk.undo(Policy(trim_order="oldest_first")))
    say(talk, "A:undone U:on")
    sent += work(talk, 3, usage=False)

    steps = Steps(session.log)
    assert [steps.step(number).texts for number in range(1, 19)] == [tuple(fitted.texts) for fitted in sent]


def test_steps_under_summaries_are_what_they_were(session: Session) -> None:
    talk = talking(session, policy=Policy(strategy="summarize", fold_in_turn=True))
    talk.user("Fix it.")
    sent: list[Fitted] = []
    for number in range(30):
        sent.append(talk.fit())
        say(talk, f"A[c{number}] T(c{number}):500 A:well U:more")

    texts = {tuple(fitted.texts) for fitted in sent}
    steps = Steps(session.log)
    made = [steps.step(number).texts for number in range(1, len(steps) + 1)]
    assert texts <= set(made)
    assert any(item.message.role is Role.SUMMARY for item in steps.step(-1).items)


def test_a_branch_has_its_own_steps_and_the_one_left_behind_keeps_its(session: Session) -> None:
    talk = talking(session)
    talk.user("Fix it.")
    sent = work(talk, 14)
    place = talk.transcript.records[20]
    other = talk.transcript.branch_from(place.message.id, why="rewind")
    again = Conversation(model="m", window=8_000, max_tokens=500, log=session.log)
    assert again.transcript.branch == other.branch
    again.user("Another way.")
    redone = work(again, 10, start=50)

    main, branch = Steps(session.log, "main"), Steps(session.log)
    assert [main.step(number).texts for number in range(1, 15)] == [tuple(each.texts) for each in sent]
    assert [branch.step(number).texts for number in range(1, 11)] == [tuple(each.texts) for each in sent[:10]]
    assert [branch.step(number).texts for number in range(11, 21)] == [tuple(each.texts) for each in redone]


@pytest.mark.parametrize("number", [0, 42, -42])
def test_a_step_that_is_not_there_is_not_found(session: Session, number: int) -> None:
    talk = talking(session)
    talk.user("Fix it.")
    with pytest.raises(NotFound):
        past_step(session.log, number)


def test_an_empty_session_has_no_step(session: Session) -> None:
    assert len(Steps(session.log)) == 0


def test_an_opening_line_of_the_model_answers_nothing(session: Session) -> None:
    talk = talking(session)
    say(talk, "A:hello U:task A:done")
    steps = Steps(session.log)
    assert len(steps) == 1
    assert steps.step(1).before == 2


def test_several_items_of_one_answer_are_one_step(session: Session) -> None:
    talk = Conversation(dialect="openai_responses", model="m", window=8_000, log=session.log)
    talk.user("Fix it.")
    fitted = talk.fit()
    say(talk, "A:well A[c1] A[c2]")
    talk.answered(Usage(input=fitted.sent.price))
    talk.result("c1", "one")
    talk.result("c2", "two")
    second = talk.fit()

    steps = Steps(session.log)
    assert [steps.step(1).texts, steps.step(2).texts] == [tuple(fitted.texts), tuple(second.texts)]
    assert len(steps) == 2


def test_the_fates_of_a_message_tell_each_fit_that_decided_on_it(session: Session) -> None:
    talk = talking(session)
    talk.user("Fix it.")
    work(talk, 30)
    early = talk.transcript.records[2].message.id

    told = fates(session.log, early)
    assert told[0].verdict is Verdict.TRUNCATE
    assert told[-1].verdict is Verdict.DROP
    assert told[0].cuts
    assert told[0].cuts[0].message == early
    assert [fate.seq for fate in told] == sorted(fate.seq for fate in told)
    for fate in told:  # the step that it names is the first that goes by it
        step = Steps(session.log).step(fate.step)
        assert fate.seq < step.before
        shown = {item.source for item in step.items}
        assert (early in shown) == (fate.verdict in (Verdict.KEEP, Verdict.TRUNCATE))


def test_what_was_taken_back_is_a_fate_too(session: Session) -> None:
    talk = talking(session)
    talk.user("Fix it.")
    work(talk, 30)
    talk.window = 400_000
    talk.fit()

    told = fates(session.log, talk.transcript.records[2].message.id)
    assert (told[-1].strategy, told[-1].verdict, told[-1].reason) == (UNDO, Verdict.KEEP, Reason.FITS)


def test_a_message_that_is_not_there_has_no_fate(session: Session) -> None:
    with pytest.raises(NotFound):
        fates(session.log, "nobody")


@pytest.fixture(scope="module")
def in_memory() -> Iterator[Store]:
    with open_store(":memory:") as opened:
        yield opened


@given(stories())
@settings(phases=(Phase.explicit, Phase.generate))
def test_the_newest_step_of_any_story_is_the_request_that_went_out(in_memory: Store, story: Story) -> None:
    project = in_memory.project("stories")
    session = project.create(counter=COUNTER.name)
    for step in Living(story, session.log).walk():
        asks = (
            step.lines[-1].message.role is not Role.ASSISTANT
        )  # else nothing in the log says that there was a request
        if step.fitted is not None and asks:
            the_newest_is(step, session.log)
            the_newest_is(step, in_memory_of(session.log))
    project.erase(session.id)


def the_newest_is(step: Step, log: Log) -> None:
    assert step.fitted is not None
    made = past_step(log, -1, branch=step.transcript.branch)
    assert made.texts == tuple(step.fitted.texts)
    assert made.items == tuple(step.fitted.items)
    reports = [entry.payload.report for entry in step.after if isinstance(entry.payload, ReportEntry)]
    if step.fitted.report is not None and step.fitted.report.phase is not FitPhase.COMPACTING:
        assert made.reports[-1] == reports[-1] == step.fitted.report


def in_memory_of(log: Log) -> Log:
    """The same log as one that was read from a file."""
    return Log.restore(log.session, log.entries, counter=log.counter, media=dict(log.media))


def test_looking_back_changes_nothing(session: Session) -> None:
    talk = talking(session)
    talk.user("Fix it.")
    work(talk, 12)
    before = session.log.entries
    past_step(session.log, 3)
    assert session.log.entries == before
    assert tuple(Transcript(session.log).records) == tuple(talk.transcript.records)
