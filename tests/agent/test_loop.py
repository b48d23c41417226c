"""A turn of the agent: what goes on, what ends it, and that the conversation can always go on."""

from __future__ import annotations

import asyncio

import pytest

from tests.agent.working import DIALECTS, Work, at_work, call, calls
from unabridged.agent.events import (
    CallEnded,
    CallRuns,
    CallSays,
    Ended,
    Ending,
    Move,
    Moved,
    Spent,
    StepStarted,
    Streamed,
)
from unabridged.agent.gate import CompletionGate
from unabridged.agent.state import Limits
from unabridged.entry import InterruptionEntry, StartedEntry
from unabridged.errors import BadInput
from unabridged.log import Log
from unabridged.message import Origin
from unabridged.testing import Call, Failure, Reply

pytestmark = pytest.mark.anyio


def moves(work: Work) -> list[Move]:
    return [event.move for event in work.told(Moved)]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_calls_are_carried_out_and_what_they_came_to_is_answered(dialect: str) -> None:
    lines = [calls(call("look", "a"), call("look", "b"), text="I look."), calls(call("change", "c")), "Done."]
    async with at_work(lines, dialect=dialect) as work:
        ended = await work.agent.run("Do it.")
        assert (ended.ending, ended.text, ended.steps) == (Ending.COMPLETED, "Done.", 3)
        assert work.provider.refused == []
        assert work.look.seen == ["a", "b"]
        results = [result for record in work.talk.transcript.records for result in record.message.results]
        assert [result.is_error for result in results] == [False, False, False]
        assert moves(work) == [Move.RESULTS, Move.RESULTS]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_everything_that_a_model_does_wrong_is_told_to_it_and_refused_by_nobody(dialect: str) -> None:
    wrong = calls(
        Call("lok", '{"path": "a"}'),
        Call("look", '{"pth": "a"}'),
        Call("look", "{}"),
        call("change", "missing"),
        call("change", "break"),
    )
    async with at_work([wrong, "Sorry."], dialect=dialect) as work:
        ended = await work.agent.run("Do it.")
        assert ended.ending is Ending.COMPLETED
        assert work.provider.refused == []
        texts = [event.text for event in work.told(CallEnded)]
        assert all(event.is_error for event in work.told(CallEnded))
        for text, says in zip(
            texts, ("Did you mean `look`", "takes no `pth`", "`path`", "no such thing", "a screw is loose"), strict=True
        ):
            assert says in text


async def test_arguments_that_are_cut_off_are_no_end() -> None:
    async with at_work([calls(Call("look", '{"path": "a')), "Again."]) as work:
        ended = await work.agent.run("Do it.")
        assert ended.ending is Ending.COMPLETED
        assert "no JSON" in work.told(CallEnded)[0].text
        assert work.provider.refused == []


async def test_an_answer_that_was_cut_off_goes_on_and_is_one_text() -> None:
    lines = [Reply(text="One, two, ", cut_off=True), Reply(text="three, ", cut_off=True), "four."]
    async with at_work(lines) as work:
        ended = await work.agent.run("Count.")
        assert (ended.ending, ended.text) == (Ending.COMPLETED, "One, two, three, four.")
        assert moves(work) == [Move.CONTINUES, Move.CONTINUES]


async def test_an_answer_without_an_end_ends_with_what_there_is() -> None:
    async with at_work([Reply(text="more ", cut_off=True)] * 9) as work:
        ended = await work.agent.run("Go on.")
        assert ended.text.startswith("more more")
        assert "output limit" in ended.detail


async def test_a_model_that_says_nothing_is_asked_again_and_then_it_is_said() -> None:
    async with at_work([Reply(), "Here."]) as work:
        assert (await work.agent.run("Hm?")).text == "Here."
    async with at_work([Reply()] * 9) as work:
        ended = await work.agent.run("Hm?")
        assert ended.ending is Ending.MODEL_ERROR
        assert "said nothing" in ended.detail


async def test_what_the_loop_says_is_nobodys_words() -> None:
    async with at_work([Reply(), "Here."]) as work:
        await work.agent.run("Hm?")
        origins = [record.message.origin for record in work.talk.transcript.records if record.message.text]
        assert origins == [Origin.HUMAN, Origin.INJECTED, origins[-1]]
        assert work.talk.transcript.humans == [0]


async def test_the_number_of_steps_has_a_limit_and_the_next_turn_goes_on() -> None:
    lines = [calls(call("look", str(nth))) for nth in range(3)]
    async with at_work([*lines, "Done."], limits=Limits(steps=3)) as work:
        ended = await work.agent.run("Look.")
        assert (ended.ending, ended.steps) == (Ending.MAX_STEPS, 3)
        assert (await work.agent.run()).text == "Done."
        assert work.provider.refused == []


async def test_tokens_have_a_limit() -> None:
    lines = [calls(call("look", str(nth))) for nth in range(50)]
    async with at_work(lines, limits=Limits(tokens=3_000)) as work:
        ended = await work.agent.run("Look.")
        assert ended.ending is Ending.TOKEN_BUDGET
        assert ended.spent is not None
        assert 3_000 <= ended.spent.input + ended.spent.output < 4_000


async def test_a_model_that_runs_in_circles_is_told_and_then_stopped() -> None:
    lines = [calls(call("look", "a" if nth % 2 else "b")) for nth in range(40)]
    async with at_work(lines) as work:
        ended = await work.agent.run("Look.")
        assert ended.ending is Ending.LOOP
        assert ended.steps == 11
        assert any("Repeating them will not help" in text for text in work.said())


async def test_a_tool_that_breaks_down_again_and_again_ends_the_turn() -> None:
    lines = [calls(call("change", "break"), call("change", "break"))] * 9
    async with at_work(lines, limits=Limits(repeats=100)) as work:
        ended = await work.agent.run("Change.")
        assert (ended.ending, ended.steps) == (Ending.TOOL_FAILURE, 3)


async def test_a_provider_that_fails_ends_the_turn_and_the_next_one_goes_on() -> None:
    lines = [calls(call("look", "a")), Failure(status=401, says="Incorrect API key"), "Done."]
    async with at_work(lines) as work:
        ended = await work.agent.run("Look.")
        assert ended.ending is Ending.MODEL_ERROR
        assert "look at the key" in ended.detail
        assert (await work.agent.run()).text == "Done."


async def test_what_can_never_fit_is_said_and_taken_back() -> None:
    async with at_work(["Done."], window=4_000) as work:
        ended = await work.agent.run("word " * 9_000)
        assert ended.ending is Ending.CANNOT_FIT
        assert "window" in ended.detail
        assert (await work.agent.run("And now?")).text == "Done."


async def test_calls_that_only_look_run_beside_each_other_and_others_alone() -> None:
    made = [call("look", str(nth)) for nth in range(4)]
    async with at_work([calls(*made, call("change", "c"), call("look", "z")), "Done."]) as work:
        await work.agent.run("Look.")
        assert work.look.most == 4
        ended = [event.call_id for event in work.told(CallEnded)]
        started = [
            entry.payload.call_id
            for entry in work.talk.transcript.log.each()
            if isinstance(entry.payload, StartedEntry)
        ]
        assert started == ended
        assert [event.call_id for event in work.told(CallRuns)] == ended


async def test_what_may_not_run_does_not_and_the_model_is_told_why() -> None:
    async with at_work([calls(call("change", "secrets"), call("look", "a")), "Then not."], denied=["secrets"]) as work:
        await work.agent.run("Change.")
        first, second = work.told(CallEnded)
        assert (first.is_denied, second.is_denied) == (True, False)
        assert "not today" in first.text
        assert not any(
            isinstance(entry.payload, StartedEntry) and entry.payload.call_id == first.call_id
            for entry in work.talk.transcript.log.each()
        )


async def test_a_turn_that_is_interrupted_in_a_call_is_whole_and_says_so() -> None:
    async with at_work([calls(call("change", "wait"), call("change", "b")), "Fine."]) as work:
        turn = asyncio.ensure_future(work.agent.run("Change."))
        while not work.told(CallSays):
            await asyncio.sleep(0.01)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert work.events[-1] == work.told(Ended)[-1]
        assert work.told(Ended)[-1].ending is Ending.INTERRUPTED
        results = [result for record in work.talk.transcript.records for result in record.message.results]
        said = [str(result.parts) for result in results]
        assert "uncertain" in said[0]
        assert "never started" in said[1]
        assert (await work.agent.run("Go on.")).text == "Fine."
        assert work.provider.refused == []


async def test_an_interruption_is_in_the_log_also_where_no_call_ran() -> None:
    async with at_work([Reply(text="word " * 3_000)]) as work:
        turn = asyncio.ensure_future(work.agent.run("Talk."))
        while not work.told(Streamed):
            await asyncio.sleep(0)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert any(isinstance(entry.payload, InterruptionEntry) for entry in work.talk.transcript.log.each())
        assert work.said()[-1].startswith("word")
        assert "interrupted this turn" in work.said()[-1]
        assert (await work.agent.run("Go on.")).ending is Ending.COMPLETED
        assert work.provider.refused == []


async def test_another_process_goes_on_where_a_turn_broke_off() -> None:
    async with at_work([calls(call("look", "a")), Failure(status=500, says="down")]) as work:
        await work.agent.run("Look.")
        log: Log = work.talk.transcript.log
    async with at_work(["Seen."], log=log) as work:
        assert (await work.agent.run()).text == "Seen."
        with pytest.raises(BadInput, match="nothing was interrupted"):
            await work.agent.run()


async def test_events_come_in_the_order_that_is_promised() -> None:
    async with at_work([calls(call("look", "a")), "Done."]) as work:
        await work.agent.run("Look.")
        kinds = [type(event) for event in work.events]
        assert kinds[0] is StepStarted
        assert kinds.index(Spent) < kinds.index(CallRuns) < kinds.index(CallEnded)
        assert kinds.count(StepStarted) == kinds.count(Spent) == 2
        assert kinds[-1] is Ended


async def test_the_gate_reminds_once_and_then_the_person_is_told() -> None:
    async with at_work(["Fixed.", "Really."], gate=CompletionGate()) as work:
        ended = await work.agent.run("Fix the parser and make sure the tests pass.")
        assert (ended.ending, ended.text) == (Ending.UNVERIFIED, "Really.")
        assert "no command of this turn ran that" in ended.detail
        assert moves(work) == [Move.GATE]
    async with at_work(["It runs make."], gate=CompletionGate()) as work:
        ended = await work.agent.run("How does the build work?")
        assert (ended.ending, ended.steps) == (Ending.COMPLETED, 1)
