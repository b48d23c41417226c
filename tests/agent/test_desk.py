"""A desk: sessions of a folder, what fills a request, going back and forth. Over a real store and real HTTP."""

from __future__ import annotations

import asyncio
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from tests.agent.desks import seated
from tests.agent.working import call, calls
from unabridged.agent.events import CallEnded, Ending, Fitted
from unabridged.errors import BadInput, NotFound, SessionBusy
from unabridged.report import Phase
from unabridged.testing import Call, Failure, Reply

pytestmark = pytest.mark.anyio


def looks(count: int) -> list[Reply]:
    return [calls(call("look", f"file{nth}.py"), text=f"Now file{nth}.py.") for nth in range(count)]


@pytest.mark.parametrize("strategy", ["summarize", "trim"])
async def test_one_task_of_many_steps_in_a_small_window_comes_to_its_end(tmp_path: Path, strategy: str) -> None:
    async with seated(tmp_path, [*looks(40), "All seen."], strategy=strategy) as at:
        ended = await at.desk.turn("Look at every file, and never touch secrets.txt.")
        assert (ended.ending, ended.text, ended.steps) == (Ending.COMPLETED, "All seen.", 41)
        assert at.provider.refused == []
        asked = [served.body["messages"] for served in at.provider.served]
        chats = [messages for messages in asked if "coding agent" in str(messages[0]["content"])]
        assert len(chats) == 41
        assert all("never touch secrets.txt" in str(messages[1]["content"]) for messages in chats)


async def test_the_system_text_changes_only_where_a_fit_changes_the_view_anyway(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(40), "All seen."], strategy="trim") as at:
        await at.desk.turn("Look at every file.")
        fits = [
            event for event in at.events if isinstance(event, Fitted) and event.report.phase is not Phase.COMPACTING
        ]
        systems = [system for system, _ in groupby(at.systems())]
        assert 2 <= len(systems) <= len(fits) + 1
        assert "# Session memory" not in systems[0]
        assert all("Look at every file." in system for system in systems[1:])
        sent = [served.body["messages"] for served in at.provider.served]
        for before, after in pairwise(sent):
            if before[0] == after[0]:
                continue
            assert before[1:] != after[1 : len(before)]  # the history was cut in the same request


async def test_a_session_goes_on_in_another_process(tmp_path: Path) -> None:
    async with seated(tmp_path, ["One."]) as at:
        await at.desk.turn("First words that make a title")
        first = at.desk.session
    async with seated(tmp_path, ["Two."]) as at:
        resumed = at.desk.resume()
        assert (resumed.id, resumed.title, resumed.messages) == (first, "First words that make a title", 2)
        assert not resumed.is_interrupted
        assert (await at.desk.turn("And then?")).text == "Two."
        assert [head.id for head in at.desk.sessions()] == [first]
        assert at.desk.resume(first[:8]).messages == 4
        with pytest.raises(NotFound):
            at.desk.resume("nonsense")


async def test_a_turn_that_broke_off_is_gone_on_with(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(2), Failure(status=500, says="down")]) as at:
        assert (await at.desk.turn("Look.")).ending is Ending.MODEL_ERROR
    async with seated(tmp_path, ["Seen."]) as at:
        assert at.desk.resume().is_interrupted
        assert (await at.desk.turn()).text == "Seen."
        with pytest.raises(BadInput, match="nothing was interrupted"):
            await at.desk.turn()


async def test_a_new_session_knows_nothing_of_the_one_before(tmp_path: Path) -> None:
    async with seated(tmp_path, ["One.", "Two."]) as at:
        await at.desk.turn("The password is xyzzy.")
        at.desk.new()
        assert at.desk.session == ""
        await at.desk.turn("Hello.")
        assert "xyzzy" not in str(at.provider.served[-1].body)
        assert len(at.desk.sessions()) == 2


async def test_two_turns_of_one_session_never_run_at_once(tmp_path: Path) -> None:
    async with seated(tmp_path, [calls(call("change", "wait"))]) as at, seated(tmp_path, ["Two."]) as other:
        turn = asyncio.ensure_future(at.desk.turn("Change."))
        while not at.provider.served:
            await asyncio.sleep(0.01)
        other.desk.resume()
        with pytest.raises(SessionBusy):
            await other.desk.turn("Me too.")
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert (await other.desk.turn("Now?")).text == "Two."
        assert other.provider.refused == []


async def test_what_fills_the_next_request_adds_up(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(3), "Seen."], window=32_000) as at:
        empty = at.desk.context()
        assert (empty.messages, empty.kinds) == (0, ())
        await at.desk.turn("Look.")
        found = at.desk.context()
        assert found.messages == found.shown == 8
        parts = sum(share.tokens for share in (*found.layers, *found.kinds))
        assert parts == pytest.approx(found.tokens, rel=0.1)
        assert {share.name for share in found.kinds} == {"tool outputs", "tool calls", "answers", "your words"}


async def test_compact_is_tried_made_and_taken_back(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(6), "Seen."], window=32_000) as at:
        with pytest.raises(BadInput, match="no session yet"):
            await at.desk.compact()
        await at.desk.turn("Look.")
        before = at.desk.context().tokens
        planned = at.desk.preview_compact()
        assert planned is not None
        assert at.desk.context().tokens == before
        report = await at.desk.compact("the third file")
        assert report is not None
        assert report.compacted > 0
        assert at.desk.context().tokens < before
        at.desk.undo()
        assert at.desk.context().tokens == pytest.approx(before, rel=0.02)


async def test_why_a_message_is_not_shown_is_told(tmp_path: Path) -> None:
    async with seated(tmp_path, [*looks(30), "Seen."]) as at:
        await at.desk.turn("Look.")
        message, fates = at.desk.why("3")
        assert "file0.py" in str(message)
        assert fates
        with pytest.raises(BadInput, match="numbered from 1"):
            at.desk.why("nothing")


class Kept:
    """Files that are kept, in memory: what was asked of it."""

    def __init__(self) -> None:
        self.did: list[str] = []

    def begin(self, turn: str) -> None:
        self.did.append("begin")

    def restore(self, turn: str) -> list[str]:
        self.did.append("restore")
        return ["a.py"]

    def undo(self) -> list[str]:
        self.did.append("undo")
        return ["a.py"]

    def affected(self, turn: str) -> list[str]:
        return ["a.py"]

    def diff(self, turn: str | None = None) -> str:
        return "+x"


async def test_going_back_and_forth_deletes_nothing(tmp_path: Path) -> None:
    files = Kept()
    async with seated(tmp_path, ["One.", "Two.", "Three."], files=files) as at:
        await at.desk.turn("First.")
        await at.desk.turn("Second.")
        newest, first = at.desk.points()
        assert (first.text, newest.text, newest.number) == ("First.", "Second.", 3)
        assert at.desk.affected(newest.id) == ["a.py"]
        rewound = at.desk.rewind(newest.id)
        assert (rewound.text, rewound.files) == ("Second.", ("a.py",))
        assert [point.text for point in at.desk.points()] == ["First."]
        at.desk.undo_rewind()
        assert [point.text for point in at.desk.points()] == ["Second.", "First."]
        with pytest.raises(BadInput, match="nothing was rewound"):
            at.desk.undo_rewind()
        at.desk.rewind(newest.id, files=False)
        await at.desk.turn("Otherwise.")
        assert [point.text for point in at.desk.points()] == ["Otherwise.", "First."]
        assert files.did == ["begin", "begin", "restore", "undo", "begin"]
        assert at.desk.diff() == "+x"
        with pytest.raises(NotFound):
            at.desk.rewind("nothing")


async def test_a_fork_leaves_the_other_branch_as_it_is(tmp_path: Path) -> None:
    async with seated(tmp_path, ["One.", "Two."]) as at:
        await at.desk.turn("First.")
        branch = at.desk.fork()
        await at.desk.turn("Second.")
        assert branch != "main"
        assert len(at.desk.points()) == 2
        count, spent = at.desk.usage()
        assert count == 2
        assert spent.input == sum(served.tokens for served in at.provider.served)


async def test_a_helper_works_in_a_session_of_its_own_and_reports(tmp_path: Path) -> None:
    sends = calls(Call("task", '{"title": "find it", "prompt": "Where is it?"}'))
    lines = [sends, *looks(2), "It is in file1.py, line 3.", "Found."]
    async with seated(tmp_path, lines, window=32_000) as at:
        ended = await at.desk.turn("Find it.")
        assert ended.text == "Found."
        (report,) = [event for event in at.events if isinstance(event, CallEnded)]
        assert (report.tool, report.headline) == ("task", "3 steps")
        assert report.text == "It is in file1.py, line 3."
        helper = at.provider.served[1].body
        names = {tool["function"]["name"] for tool in helper["tools"]}
        assert {"change", "task"}.isdisjoint(names)
        assert "Find it." not in str(helper["messages"])
        assert len(at.desk.sessions()) == 1
        titles = [head.title for head in at.desk.shop.project.sessions()]
        assert sorted(titles) == ["Find it.", "task: find it"]


async def test_a_helper_that_fails_is_told_of(tmp_path: Path) -> None:
    sends = calls(Call("task", '{"title": "find it", "prompt": "Where?"}'))
    async with seated(tmp_path, [sends, Failure(status=500, says="down"), "Not found."]) as at:
        assert (await at.desk.turn("Find it.")).text == "Not found."
        (report,) = [event for event in at.events if isinstance(event, CallEnded)]
        assert report.is_error
        assert "stopped after 0 steps" in report.text


async def test_what_left_the_view_is_found_again(tmp_path: Path) -> None:
    finds = calls(Call("search_history", '{"query": "content of file0.py"}'))
    async with seated(tmp_path, [*looks(20), finds, "There."]) as at:
        await at.desk.turn("Look.")
        found = [event for event in at.events if isinstance(event, CallEnded)][-1]
        assert found.tool == "search_history"
        assert "The content of file0.py" in found.text
