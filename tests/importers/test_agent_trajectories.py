"""SWE-agent, mini-swe-agent and OpenHands: whose words a user's message holds, and how results find their call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.importers.samples import CHAT, GAVE, document, lines, response
from tests.importers.sessions import Json, shown
from unabridged.importers import Imported, read_bytes
from unabridged.message import Origin, Reasoning
from unabridged.report import Usage


def read(value: Any) -> Imported:
    (conversation,) = read_bytes(document(value), "a.traj")
    return conversation


def origins(conversation: Imported) -> list[Origin]:
    return [message.origin for message in conversation.messages]


def test_swe_agent_observations_in_the_users_role_are_feedback_and_demonstrations_are_injected() -> None:
    history = [
        {"role": "system", "content": "Be careful."},
        {"role": "user", "content": "Look how it is done", "is_demo": True},
        {"role": "user", "content": "Fix it"},
        {"role": "assistant", "content": "ls", "thought": "I look", "action": "ls"},
        {"role": "user", "content": "a.py"},
    ]
    conversation = read({"history": history, "trajectory": []})

    assert origins(conversation) == [Origin.INJECTED, Origin.HUMAN, Origin.MODEL, Origin.TOOL_FEEDBACK]
    assert [message.text for message in conversation.frame.system] == ["Be careful."]


def test_swe_agent_results_name_their_call_in_a_list() -> None:
    history = [
        {"role": "user", "content": "Fix it"},
        CHAT[1],
        {"role": "tool", "content": GAVE, "tool_call_ids": ["c1"]},
    ]

    assert shown(read({"history": history})) == ["human: Fix it", "assistant: call c1", f"tool_feedback: c1 = {GAVE}"]


def test_swe_agent_thoughts_keep_their_signature() -> None:
    blocks = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]
    history = [{"role": "user", "content": "Fix it"}, {"role": "assistant", "content": "ls", "thinking_blocks": blocks}]

    assert read({"history": history}).messages[1].parts[0] == Reasoning("hm", "c2ln")


def test_a_history_entry_of_an_unknown_role_is_named() -> None:
    conversation = read({"history": [{"role": "user", "content": "Fix it"}, {"role": "ghost", "content": "Boo"}]})

    assert conversation.problems == ("entry 2 of the history: the unknown role 'ghost'",)


MINI = [
    {"role": "system", "content": "One command."},
    {"role": "user", "content": "Fix it"},
    {"role": "assistant", "content": "```mswea_bash_command\nls\n```"},
    {"role": "user", "content": "<returncode>0</returncode>\n<output>\na.py\n</output>"},
]


@pytest.mark.parametrize("value", [MINI, {"messages": MINI, "trajectory_format": "mini-swe-agent-1", "info": {}}])
def test_mini_swe_agent_observations_are_feedback(value: Any) -> None:
    assert origins(read(value)) == [Origin.HUMAN, Origin.MODEL, Origin.TOOL_FEEDBACK]


def test_mini_swe_agent_keeps_what_a_person_said_in_between() -> None:
    said = {"role": "user", "content": "Stop that", "extra": {"interrupt_type": "UserInterruption"}}
    messages = [*MINI, said, {"role": "exit", "content": "done"}]

    assert origins(read({"messages": messages, "trajectory_format": "mini-swe-agent-1.1"}))[-1] is Origin.HUMAN


def test_mini_swe_agent_reads_answers_of_openai_responses() -> None:
    answer = {
        "object": "response",
        "model": "gpt-x",
        "usage": {"input_tokens": 9, "output_tokens": 4},
        "output": [
            {"type": "reasoning", "summary": [], "encrypted_content": "c2VjcmV0"},
            {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{}"},
        ],
    }
    output = {"type": "function_call_output", "call_id": "c1", "output": "a.py"}
    conversation = read({"messages": [*MINI[:2], answer, output], "trajectory_format": "mini-swe-agent-1.1"})

    assert shown(conversation)[1:] == ["assistant: () + call c1", "tool_feedback: c1 = a.py"]
    assert (conversation.calls[0].model, conversation.calls[0].usage) == ("gpt-x", Usage(input=9, output=4))


TASK = {"id": 0, "source": "user", "action": "message", "args": {"content": "Fix it"}}


def event(id: int, **members: Any) -> Json:
    return {"id": id, "source": "agent", "args": {}, "extras": {}, **members}


def test_openhands_actions_of_one_answer_are_one_message() -> None:
    calls = [{"id": id, "function": {"name": "run", "arguments": "{}"}} for id in ("c1", "c2")]
    answer = response("r1", {"role": "assistant", "content": "Both.", "tool_calls": calls})
    conversation = read(
        [
            TASK,
            event(1, action="run", tool_call_metadata=answer),
            event(2, action="run", tool_call_metadata=answer | {"tool_call_id": "c2"}),
            event(3, observation="run", cause=1, content="one", tool_call_metadata=answer),
            event(4, observation="error", cause=2, content="two", tool_call_metadata=answer | {"tool_call_id": "c2"}),
        ]
    )

    assert shown(conversation)[1:] == [
        "assistant: Both. + call c1 + call c2",
        "tool_feedback: c1 = one",
        "tool_feedback: c2 = two",
    ]
    assert [result.is_error for message in conversation.messages for result in message.results] == [False, True]
    assert [(call.model, call.usage) for call in conversation.calls] == [("m", Usage(input=9, output=4))]


def test_openhands_actions_without_an_answer_become_calls_that_their_cause_pairs() -> None:
    events = [
        TASK,
        event(1, action="run", args={"command": "ls", "thought": "I look."}),
        event(2, observation="run", cause=1, content="a.py"),
    ]

    expected = ["human: Fix it", "assistant: I look. + call event-1", "tool_feedback: event-1 = a.py"]
    assert shown(read(events)) == expected
    # Early outputs hold pairs of an action and its observation.
    (paired,) = read_bytes(lines({"instance_id": "i-1", "history": [[TASK], events[1:]]}), "output.jsonl")
    assert (paired.name, shown(paired)) == ("output.jsonl#i-1", expected)


def test_openhands_facts_that_were_recalled_are_injected_and_commands_of_a_person_too() -> None:
    conversation = read(
        [
            event(0, action="system", args={"content": "You help.", "tools": [{"type": "function"}]}),
            TASK,
            event(2, source="user", action="run", args={"command": "ls"}),
            event(3, source="user", observation="run", cause=2, content="a.py"),
            event(4, observation="recall", extras={"microagent_knowledge": [{"content": "Use git."}]}),
            event(5, observation="agent_state_changed", content="", extras={}),
            event(6, source="agent", action="condensation", args={"summary": "All is well."}),
        ]
    )

    assert shown(conversation) == [
        "human: Fix it",
        'injected: {"command": "ls"}',
        "injected: a.py",
        "injected: Use git.",
        "client_summary: All is well.",
    ]
    assert dict(conversation.frame.fields) == {"tools": '[{"type": "function"}]'}


def test_openhands_sdk_events_are_told_by_their_kind() -> None:
    call = {"id": "c1", "name": "terminal", "arguments": json.dumps({"command": "ls"})}
    action = {"thought": [{"type": "text", "text": "I look."}], "tool_name": "terminal", "llm_response_id": "r1"}
    events: list[Json] = [
        {"kind": "SystemPromptEvent", "source": "agent", "system_prompt": {"type": "text", "text": "You help."}},
        {
            "kind": "MessageEvent",
            "source": "user",
            "llm_message": {"role": "user", "content": [{"type": "text", "text": "Fix it"}]},
            "extended_content": [{"type": "text", "text": "A skill."}],
        },
        {"kind": "ActionEvent", "source": "agent", "tool_call_id": "c1", "tool_call": call, **action},
        {"kind": "ActionEvent", "source": "agent", "tool_call_id": "c2", "tool_call": call | {"id": "c2"}, **action},
        {
            "kind": "ObservationEvent",
            "source": "environment",
            "tool_call_id": "c1",
            "observation": {"content": [{"type": "text", "text": "a.py"}]},
        },
        {"kind": "AgentErrorEvent", "source": "agent", "tool_call_id": "c2", "error": "no such tool"},
        {"kind": "Condensation", "source": "environment", "summary": "All is well."},
        {"kind": "MessageEvent", "source": "agent", "llm_message": {"role": "assistant", "content": "Done."}},
    ]
    conversation = read([{"id": str(at), **each} for at, each in enumerate(events)])

    assert shown(conversation) == [
        "human: Fix it",
        "injected: A skill.",
        "assistant: I look. + call c1 + call c2",
        "tool_feedback: c1 = a.py",
        "tool_feedback: c2 = no such tool",
        "client_summary: All is well.",
        "assistant: Done.",
    ]
    assert [message.text for message in conversation.frame.system] == ["You help."]


def test_mini_swe_agent_names_what_it_cannot_read() -> None:
    conversation = read({"messages": [*MINI, {"content": "?"}, {"role": 3}], "trajectory_format": "mini-swe-agent-1"})

    assert len(conversation.messages) == 3
    assert [problem.partition(":")[0] for problem in conversation.problems] == ["message 5", "message 6"]


def test_openhands_events_of_neither_kind_are_named() -> None:
    assert read([TASK, event(1, action="message"), {"id": 2, "source": "agent"}]).problems == (
        "event 3: neither an action nor an observation",
    )


def test_openhands_sdk_tools_may_give_pictures_or_only_a_text_of_their_own() -> None:
    picture = {"type": "image", "image_urls": ["data:image/png;base64,cG5n"]}
    observed = [{"content": [picture, {"type": "later"}]}, {"output": "a.py"}, {"content": "done"}]
    first = {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": "Fix it"}}
    events = [
        {"kind": "ObservationEvent", "source": "environment", "tool_call_id": f"c{at}", "observation": each}
        for at, each in enumerate(observed)
    ]
    conversation = read([{"id": str(at), **each} for at, each in enumerate([first, *events])])

    assert shown(conversation)[1:] == [
        "tool_feedback: c0 = <image> + <later>",
        "tool_feedback: c1 = a.py",
        "tool_feedback: c2 = done",
    ]
