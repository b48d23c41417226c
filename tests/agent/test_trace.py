"""The trace: a line a step, sizes and times, and nothing that anybody said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.working import at_work, call, calls
from unabridged.agent.trace import StepTrace, Tracer, TurnTrace, append_to, read_trace, trace_of

pytestmark = pytest.mark.anyio


async def test_a_line_a_step_says_what_it_took_and_nothing_that_was_said(tmp_path: Path) -> None:
    path = trace_of("s", tmp_path)
    tracer = Tracer(lambda line: append_to(path, line), lambda usage: usage.input / 1_000_000)
    async with at_work([calls(call("look", "secret-name")), "The secret is 42."]) as work:
        await work.agent.run("Find the secret.")
        for event in work.events:
            tracer.take(event)
    first, second, turn = read_trace(path)
    assert isinstance(first, StepTrace)
    assert isinstance(second, StepTrace)
    assert isinstance(turn, TurnTrace)
    assert [(called.tool, called.is_error) for called in first.calls] == [("look", False)]
    assert (first.step, second.step, turn.steps, turn.ending) == (1, 2, 2, "completed")
    assert first.usage is not None
    assert second.usage is not None
    assert turn.cost == pytest.approx((first.usage.input + second.usage.input) / 1_000_000)
    assert b"secret" not in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_torn_line_costs_nothing_but_itself(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    line = TurnTrace(time="now", ending="completed", steps=1, seconds=1.0)
    append_to(path, line)
    with path.open("ab") as file:
        file.write(b'{"type":"turn","ti\n\xff\xfe\n')
    append_to(path, line)
    assert read_trace(path) == [line, line]
    assert read_trace(tmp_path / "none") == []


def test_a_folder_that_cannot_be_written_loses_the_trace_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    append_to(tmp_path / "file" / "t.jsonl", TurnTrace(time="", ending="completed", steps=1, seconds=0.0))
