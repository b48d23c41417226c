"""What broke the agent of the articles, and what happens here instead. One test a fault, named after it.

Their list was made by running that agent against a provider that enforces a window and pairs of calls and results.
Faults of the shell and of permissions are tested with those; estimates and error texts with the engine and the models.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from pathlib import Path

import pytest

from tests.agent.desks import Seated, seated
from tests.agent.working import SUMMARY, call, calls
from unabridged import Conversation, Policy
from unabridged.agent.events import CallEnded, Ending, Fitted
from unabridged.agent.files.known import Known
from unabridged.agent.tool import Running
from unabridged.agent.tools.edit import Edit, Replacement
from unabridged.agent.tools.read import Read
from unabridged.agent.workspace import Workspace
from unabridged.errors import BadSetting, SessionBusy
from unabridged.message import Text
from unabridged.report import Phase, Report
from unabridged.testing import Asked, Call, Failure, Reply

pytestmark = pytest.mark.anyio
LINES = "".join(f"{number:5} | value_{number} = compute({number})\n" for number in range(500))


def looks(count: int, at_once: int = 1) -> list[Reply]:
    return [calls(*(call("look", f"f{nth}_{each}.py") for each in range(at_once))) for nth in range(count)]


def reports(at: Seated) -> list[Report]:
    return [event.report for event in at.events if isinstance(event, Fitted)]


def summaries(at: Seated) -> int:
    return sum("coding agent" not in str(served.body["messages"][0]["content"]) for served in at.provider.served)


class Asking:
    """Works for some steps, and sums up as it is told to."""

    def __init__(self, steps: int, summary: Reply | Failure, *, at_once: int = 1) -> None:
        self._lines = looks(steps, at_once)
        self._summary = summary
        self.summaries: list[int] = []

    def reply(self, asked: Asked) -> Reply | Failure:
        if "tools" not in asked.body:
            self.summaries.append(asked.tokens)
            return self._summary
        return self._lines.pop(0) if self._lines else Reply(text="Done.")


async def test_one_prompt_and_500_lines_a_step(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(30), "Done."], window=16_000, content=lambda _: LINES) as at:
        assert (await at.desk.turn("Read them all.")).ending is Ending.COMPLETED
        assert at.provider.refused == []
        assert any(report.compacted for report in reports(at))


async def test_a_chat_with_two_large_reads_a_turn(tmp_path: Path) -> None:
    lines = [line for turn in range(12) for line in (*looks(1, 2), f"Answer {turn}.")]
    async with seated(tmp_path, lines, window=16_000, content=lambda _: LINES) as at:
        for turn in range(12):
            assert (await at.desk.turn(f"Question {turn}?")).text == f"Answer {turn}."
        assert at.provider.refused == []


async def test_a_first_message_over_the_window_ends_no_session(tmp_path: Path) -> None:
    async with seated(tmp_path, ["Hello."]) as at:
        ended = await at.desk.turn("word " * 12_000)
        assert ended.ending is Ending.CANNOT_FIT
        assert (await at.desk.turn("hello")).text == "Hello."


async def test_one_result_over_the_window(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(1), "Done."], content=lambda _: LINES * 40) as at:
        assert (await at.desk.turn("Read it.")).text == "Done."
        assert at.provider.refused == []


async def test_twelve_large_results_at_once(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(2, 12), "Done."], content=lambda _: LINES) as at:
        assert (await at.desk.turn("Read them.")).text == "Done."
        assert at.provider.refused == []


async def test_a_summary_that_frees_nothing_is_not_asked_for_at_every_step(tmp_path: Path) -> None:
    model = Asking(30, Reply(text="word " * 9_000))
    async with seated(tmp_path, model, content=lambda _: LINES[:4_000]) as at:
        await at.desk.turn("Read.")
        assert at.provider.refused == []
        assert len(model.summaries) < 15
        assert all(report.tokens_after <= report.budget for report in reports(at) if report.phase is Phase.DONE)


@pytest.mark.parametrize(
    "summary",
    [Reply(), Reply(text="  "), Reply(text="Sure! Let me read the next file."), Reply(calls=(call("look", "x"),))],
)
async def test_a_summary_that_is_none_replaces_nothing_and_says_why(tmp_path: Path, summary: Reply) -> None:
    model = Asking(20, summary)
    async with seated(tmp_path, model) as at:
        assert (await at.desk.turn("Read, and never touch secrets.txt.")).ending is Ending.COMPLETED
        assert at.provider.refused == []
        assert {report.fallback for report in reports(at) if report.fallback}
        assert "never touch secrets.txt" in str(at.provider.served[-1].body["messages"])


async def test_a_summarizer_that_fails_costs_no_turn_and_is_left_alone_for_a_while(tmp_path: Path) -> None:
    model = Asking(40, Failure(status=500, says="down"))
    async with seated(tmp_path, model) as at:
        assert (await at.desk.turn("Read.")).ending is Ending.COMPLETED
        assert {report.fallback.value for report in reports(at) if report.fallback} == {"summarizer_failed"}
        asked = sum("tools" not in refused.body for refused in at.provider.refused)
        assert asked < 12


async def test_a_summary_goes_on_from_the_one_before(tmp_path: Path) -> None:
    model = Asking(60, Reply(text=SUMMARY))
    async with seated(tmp_path, model) as at:
        await at.desk.turn("Read.")
        assert len(model.summaries) > 4
        assert max(model.summaries[2:]) < 2 * min(model.summaries[2:]) + 1_000


async def test_no_thread_is_left_of_summaries(tmp_path: Path) -> None:
    async with seated(tmp_path, Asking(20, Reply(text="")), content=lambda _: LINES[:4_000]) as at:
        await at.desk.turn("Read.")
        before = threading.active_count()  # the pool that looks up addresses, and the server
        for nth in range(3):
            await at.desk.turn(f"Again {nth}.")
        assert threading.active_count() <= before


async def test_an_interrupted_call_breaks_no_later_turn(tmp_path: Path) -> None:
    async with seated(tmp_path, [calls(call("change", "wait")), "Fine."]) as at:
        turn = asyncio.ensure_future(at.desk.turn("Change."))
        while not at.provider.served:
            await asyncio.sleep(0.01)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert (await at.desk.turn("And now?")).text == "Fine."
        assert at.provider.refused == []


async def test_four_turns_at_once_are_one_and_three_that_are_told_so(tmp_path: Path) -> None:
    async with seated(tmp_path, ["One.", "Two."]) as at:
        await at.desk.turn("Begin.")
        turns = [at.desk.turn(f"Turn {nth}") for nth in range(4)]
        ended = await asyncio.gather(*turns, return_exceptions=True)
        assert sum(isinstance(each, SessionBusy) for each in ended) == 3
        assert (await at.desk.turn("After.")).ending is Ending.COMPLETED
        assert at.provider.refused == []


async def test_arguments_that_are_no_json_are_sent_back_to_no_provider(tmp_path: Path) -> None:
    async with seated(tmp_path, [calls(Call("look", '{"path": "a.py"')), calls(call("look", "a.py")), "Done."]) as at:
        assert (await at.desk.turn("Read.")).text == "Done."
        assert at.provider.refused == []


async def test_a_session_that_was_resumed_and_summed_up_can_be_resumed_again(tmp_path: Path) -> None:
    for nth in range(3):
        async with seated(tmp_path, [*looks(12), f"Answer {nth}."]) as at:
            if nth:
                at.desk.resume()
            await at.desk.turn(f"Question {nth}?")
            assert at.provider.refused == []
            assert f"Question {nth}?" in str(at.provider.served[-1].body["messages"])
    async with seated(tmp_path, ["Last."]) as at:
        assert at.desk.resume().messages == 3 * 26
        assert len(at.desk.points()) == 3


async def test_nothing_is_written_into_the_folder_that_is_worked_in(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(12), "Done."]) as at:
        await at.desk.turn("Read.")
        await at.desk.compact()
    assert os.listdir(tmp_path / "work") == []


class Looking(Asking):
    """Looks, and reads on in what was cut by the number that stands in the marker."""

    def __init__(self) -> None:
        super().__init__(1, Reply(text=SUMMARY))
        self._rest = ["pattern", "offset"]

    def reply(self, asked: Asked) -> Reply | Failure:
        named = re.search(r"read_history\(id='(\d+)'\)", str(asked.body["messages"]))
        if named is None or not self._rest:
            return super().reply(asked)
        more = {"pattern": {"pattern": "value_777 "}, "offset": {"offset": 1000, "lines": 3}}[self._rest.pop(0)]
        return calls(Call("read_history", json.dumps({"id": named[1], **more})))


async def test_a_large_output_is_stored_whole_and_read_by_page_and_by_pattern(tmp_path: Path) -> None:
    whole = "".join(f"value_{number} = {number}\n" for number in range(20_000))
    async with seated(tmp_path, Looking(), content=lambda _: whole) as at:
        await at.desk.turn("Read.")
        message, _ = at.desk.why("3")
        (part,) = message.results[0].parts
        assert isinstance(part, Text)
        assert part.text == whole
        _, found, page = [event.text for event in at.events if isinstance(event, CallEnded)]
        assert "value_777 = 777" in found
        assert page.startswith(whole[1_000:1_020].splitlines()[0])
        assert at.provider.refused == []


async def test_two_large_outputs_of_one_moment_are_not_mixed_up(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(1, 2), "Done."], content=lambda path: f"{path} " * 20_000) as at:
        await at.desk.turn("Read.")
        texts = [event.text for event in at.events if isinstance(event, CallEnded)]
        assert texts[0].startswith("f0_0.py")
        assert texts[1].startswith("f0_1.py")
        shown = [str(message) for message in at.provider.served[-1].body["messages"] if message["role"] == "tool"]
        assert "f0_1.py" not in shown[0]
        assert "f0_0.py" not in shown[1]


async def test_old_outputs_give_way_before_new_ones(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(9), "Done."], strategy="trim", content=lambda _: LINES[:3_600]) as at:
        await at.desk.turn("Read.")
        shown = [str(message) for message in at.provider.served[-1].body["messages"] if message["role"] == "tool"]
        assert "[context:" not in shown[-1]
        assert len(shown) < 9 or "[context:" in shown[0]


async def test_a_tool_that_failed_three_times_is_still_there(tmp_path: Path) -> None:
    lines = [*(calls(call("change", "missing")) for _ in range(3)), calls(call("change", "a.py")), "Done."]
    async with seated(tmp_path, lines) as at:
        await at.desk.turn("Change.")
        ended = [event for event in at.events if isinstance(event, CallEnded)]
        assert [event.is_error for event in ended] == [True, True, True, False]
        tools = {str(served.body["tools"]) for served in at.provider.served}
        assert len(tools) == 1


def test_usage_that_is_reported_once_and_never_again_calls_for_no_fit_at_every_turn() -> None:
    talk = Conversation(model="m", window=8_000)
    for nth in range(20):
        talk.user(f"Question {nth}: {'word ' * 190}")
        talk.add({"role": "assistant", "content": "Yes."})
    talk.user("And now?")
    talk.fit()
    talk.add({"role": "assistant", "content": "Yes."})
    talk.answered({"prompt_tokens": 6_300, "completion_tokens": 2, "total_tokens": 6_302})
    fits = 0
    for nth in range(11):
        talk.user(f"And {nth}?")
        fits += talk.fit().report is not None
        talk.add({"role": "assistant", "content": "Yes."})
    assert fits <= 1


async def test_what_a_tool_says_is_no_larger_than_what_it_has_to_say(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("hello\n")
    known = Known.of(Workspace.at(tmp_path))
    running = Running("c", lambda _: None)
    read, edit = Read(known), Edit(known)
    assert len((await read.run(read.arguments(path="small.txt"), running)).text) < 60
    edits = [Replacement(old="hello", new="x" * 8_000)]
    assert len((await edit.run(edit.arguments(path="small.txt", edits=edits), running)).text) < 200
    assert (tmp_path / "small.txt").read_text() == "x" * 8_000 + "\n"


@pytest.mark.parametrize("rounds", [0, -1])
def test_a_setting_that_cannot_work_is_refused_by_name(rounds: int) -> None:
    with pytest.raises(BadSetting, match="minRetainRounds"):
        Policy(min_retain_rounds=rounds)
