"""Something the turn produced itself: fitted at the step boundary, before the model reads it, and never summarized.

The two halves agree: what a client's tool gave back on a new request, and what a tool of the server gave back inside
the turn, are the same view for the same bytes.
"""

from __future__ import annotations

import json

import pytest

from tests.server.reading import Came, Json
from tests.server.seed_scene import BUDGET, WINDOW, Chat, House, Talker, bulk, calling, house
from unabridged.server.settings import ClientTool, CommandTool

COMMAND = "for n in $(seq 4000); do echo line $n of the build log; done"
"""Prints about four times what the window holds."""
MARKER = "[context: shortened, showing"
STRATEGIES = ("trim", "summarize")


def commanding(made: House, name: str = "home", **policy: object) -> Chat:
    """A project whose model may run commands, and has a tool of the client's that gives back whatever it is given."""
    tools = (ClientTool(name="fetch_command"),)
    command = CommandTool(enabled=True, approval="never")
    return made.project(name, policy=policy, client_tools=tools, command=command)


def needs_sandbox(came: Came) -> None:
    """Skip where no sandbox can be made: there is no tool for commands then."""
    results = came.of("tool_result")
    if results and "no tool called" in results[0]["text"]:
        pytest.skip("commands have no sandbox here")


def output(request: Json) -> str:
    """Give the newest output as the model reads it."""
    return next(message["content"] for message in reversed(request["messages"]) if message["role"] == "tool")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_output_too_big_for_the_window_does_not_end_the_turn_that_produced_it(place: str, strategy: str) -> None:
    with house(place, Talker(calling("run_command", command=COMMAND), "Built.")) as made:
        chat = commanding(made, strategy=strategy)
        came = chat.turn(None, "Build it.")
        needs_sandbox(came)
        (result,) = came.of("tool_result")
        (step,) = came.of("context")
        assert made.provider.refused == []
        assert made.summaries == []  # a step never summarizes, whatever the strategy
        read = output(made.asked[-1])
    assert (came.status, came.text) == ("completed", "Built.")
    assert (step["phase"], step["resolved_by"], step["strategy"]) == ("step", "trim", strategy)
    assert step.get("compacted", 0) == 0
    assert step["tokens_after"] <= step["budget"] == BUDGET
    assert step["tool_call_ids"] == [result["call_id"]]
    assert result["characters"] > 4 * WINDOW
    assert MARKER in read  # so that the model knows that its view was cut
    assert read.startswith("line 1 of the build log")


def test_the_output_is_fitted_before_the_model_reads_it(file: str) -> None:
    with house(file, Talker(calling("run_command", command=COMMAND), "Built.")) as made:
        came = commanding(made).turn(None, "Build it.")
        needs_sandbox(came)
    places = [name for name in came.kinds if name not in ("tool_output", "message")]
    assert places == ["session", "tool_call", "tool_result", "context(step)", "delta", "end"]


def test_a_step_never_summarizes_also_where_the_conversation_is_old_enough(file: str) -> None:
    lines = [*["Fine."] * 4, calling("run_command", command=COMMAND), "Built."]
    with house(file, Talker(*lines)) as made:
        chat = commanding(made, strategy="summarize")
        session = chat.talk([bulk(900, f"q{number}") for number in range(4)])[0].session
        came = chat.turn(session, "Build it.")
        needs_sandbox(came)
        assert made.summaries == []
        assert made.provider.refused == []
    assert came.status == "completed"
    assert [report["phase"] for report in came.of("context")] == ["step"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_clients_result_and_a_servers_give_the_same_view_for_the_same_bytes(file: str, strategy: str) -> None:
    lines = [calling("run_command", command=COMMAND), "Built.", calling("fetch_command", command=COMMAND), "Built."]
    with house(file, Talker(*lines)) as made:
        chat = commanding(made, strategy=strategy)
        inside = chat.turn(None, "Build it.")
        needs_sandbox(inside)
        from_server = made.asked[-1]
        whole = [p for m in chat.messages(inside.session) for p in m["parts"] if p["type"] == "tool_result"]
        begun = chat.turn(None, "Build it.")
        given = [{"call_id": begun.end["awaiting"][0], "output": whole[0]["output"]}]
        outside = chat.turn(begun.session, tool_results=given)
        from_client = made.asked[-1]
        assert made.provider.refused == []
        assert made.summaries == []
    assert (inside.status, outside.status) == ("completed", "completed")
    assert MARKER in output(from_server)
    assert output(from_server) == output(from_client)
    shown = [
        (report["phase"], report["resolved_by"], report.get("truncated", 0), report["tokens_after"] <= report["budget"])
        for came in (inside, outside)
        for report in came.of("context")
    ]
    assert shown == [("step", "trim", 1, True)] * 2
    assert json.dumps(whole[0]["output"])[1:-1] not in json.dumps(from_client)
