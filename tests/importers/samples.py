"""A small file of every format that is read: a question, a call, its result, an answer. Written for these tests."""

from __future__ import annotations

import json
from typing import Any

from tests.importers.sessions import Session, call, text

Json = dict[str, Any]

QUESTION, ANSWER = "Which tests fail?", "One test fails."
CALLED, GAVE = ("run", {"command": "pytest"}), "1 failed, 3 passed"


def lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def document(value: Any) -> bytes:
    return json.dumps(value).encode()


def rollout(*records: tuple[str, Json]) -> bytes:
    """A Codex rollout: (type, payload) each."""
    stamped = enumerate(records)
    return lines(
        *(
            {"timestamp": f"2026-01-01T00:00:{at:02d}Z", "type": type, "payload": payload}
            for at, (type, payload) in stamped
        )
    )


def item(type: str, **members: Any) -> tuple[str, Json]:
    return "response_item", {"type": type, **members}


def spoken(role: str, words: str) -> tuple[str, Json]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": words}])


def typed(words: str) -> tuple[str, Json]:
    return "event_msg", {"type": "user_message", "message": words}


def used(total: int, last: int, *, output: int = 5) -> tuple[str, Json]:
    info = {
        "total_token_usage": {"input_tokens": total},
        "last_token_usage": {"input_tokens": last, "cached_input_tokens": 1, "output_tokens": output},
    }
    return "event_msg", {"type": "token_count", "info": info}


def function_call(id: str, *, name: str = CALLED[0]) -> tuple[str, Json]:
    return item("function_call", call_id=id, name=name, arguments=json.dumps(CALLED[1]))


def output(id: str, words: str = GAVE) -> tuple[str, Json]:
    return item("function_call_output", call_id=id, output=words)


def events(*pairs: tuple[str, Json], **envelope: Any) -> bytes:
    """Events of Copilot CLI: (type, data) each."""
    stamped = enumerate(pairs)
    return lines(
        *(
            {"type": type, "data": data, "id": f"e{at}", "timestamp": f"2026-01-01T00:00:{at:02d}Z", "parentId": None}
            | envelope
            for at, (type, data) in stamped
        )
    )


def copilot_call(id: str) -> Json:
    return {"toolCallId": id, "name": CALLED[0], "arguments": CALLED[1], "type": "function"}


CHAT: list[Json] = [
    {"role": "user", "content": QUESTION},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": CALLED[0], "arguments": json.dumps(CALLED[1])}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": GAVE},
    {"role": "assistant", "content": ANSWER},
]

CODEX = rollout(
    ("session_meta", {"id": "s", "cwd": "/", "base_instructions": {"text": "Be careful."}}),
    ("turn_context", {"model": "gpt-x"}),
    spoken("user", QUESTION),
    typed(QUESTION),
    function_call("c1"),
    output("c1"),
    used(10, 10),
    spoken("assistant", ANSWER),
    used(30, 20),
)

COPILOT = events(
    ("session.start", {"sessionId": "s", "producer": "copilot-agent", "selectedModel": "gpt-x"}),
    ("system.message", {"role": "system", "content": "Be careful."}),
    ("user.message", {"content": QUESTION}),
    ("assistant.message", {"content": "", "toolRequests": [copilot_call("c1")], "model": "gpt-x"}),
    ("tool.execution_complete", {"toolCallId": "c1", "success": True, "result": {"content": GAVE}}),
    ("assistant.message", {"content": ANSWER, "toolRequests": [], "model": "gpt-x"}),
)

GEMINI_RECORDS: list[Json] = [
    {"id": "u1", "timestamp": "2026-01-01T00:00:00Z", "type": "user", "content": [{"text": QUESTION}]},
    {
        "id": "g1",
        "timestamp": "2026-01-01T00:00:01Z",
        "type": "gemini",
        "content": "",
        "model": "gemini-x",
        "tokens": {"input": 10, "output": 3, "cached": 2, "thoughts": 4, "total": 17},
        "toolCalls": [
            {
                "id": "c1",
                "name": CALLED[0],
                "args": CALLED[1],
                "status": "success",
                "timestamp": "2026-01-01T00:00:02Z",
                "result": [{"functionResponse": {"id": "c1", "name": CALLED[0], "response": {"output": GAVE}}}],
            }
        ],
    },
    {"id": "g2", "timestamp": "2026-01-01T00:00:03Z", "type": "gemini", "content": ANSWER, "model": "gemini-x"},
]
GEMINI = document({"sessionId": "s", "projectHash": "h", "startTime": "t", "messages": GEMINI_RECORDS})

PI_MESSAGES: list[Json] = [
    {"role": "user", "content": QUESTION},
    {
        "role": "assistant",
        "content": [{"type": "toolCall", "id": "c1", "name": CALLED[0], "arguments": CALLED[1]}],
        "model": "m",
        "usage": {"input": 3, "output": 2, "cacheRead": 4, "cacheWrite": 1},
    },
    {"role": "toolResult", "toolCallId": "c1", "content": [{"type": "text", "text": GAVE}], "isError": False},
    {"role": "assistant", "content": [{"type": "text", "text": ANSWER}], "model": "m"},
]
STAMP = "2026-01-01T00:00:00Z"
PI = lines(
    {"type": "session", "version": 3, "id": "s", "timestamp": STAMP, "cwd": "/"},
    *(
        {
            "type": "message",
            "id": f"e{place}",
            "parentId": f"e{place - 1}" if place else None,
            "timestamp": STAMP,
            "message": message,
        }
        for place, message in enumerate(PI_MESSAGES)
    ),
)

SWE_AGENT = document(
    {
        "history": [
            {"role": "system", "content": "Be careful.", "agent": "main", "message_type": "system_prompt"},
            {**CHAT[0], "agent": "main", "message_type": "observation"},
            {**CHAT[1], "thought": "", "action": "pytest", "agent": "main", "message_type": "action"},
            {"role": "tool", "content": GAVE, "agent": "main", "tool_call_ids": ["c1"]},
            {**CHAT[3], "agent": "main", "message_type": "action"},
        ],
        "info": {},
    }
)

MINI_SWE_AGENT = document(
    {
        "trajectory_format": "mini-swe-agent-1.1",
        "info": {},
        "messages": [
            {"role": "system", "content": "Be careful."},
            *CHAT[:2],
            {**CHAT[2], "extra": {"returncode": 1}},
            {**CHAT[3], "extra": {"response": {"model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 4}}}},
        ],
    }
)


def response(id: str, message: Json) -> Json:
    usage = {"prompt_tokens": 9, "completion_tokens": 4}
    return {
        "tool_call_id": "c1",
        "model_response": {"id": id, "model": "m", "choices": [{"message": message}], "usage": usage},
    }


OPENHANDS = document(
    [
        {"id": 0, "source": "user", "action": "message", "args": {"content": QUESTION}},
        {
            "id": 1,
            "source": "agent",
            "action": "run",
            "args": {"command": "pytest"},
            "tool_call_metadata": response("r1", CHAT[1]),
        },
        {
            "id": 2,
            "source": "agent",
            "cause": 1,
            "observation": "run",
            "content": GAVE,
            "extras": {},
            "tool_call_metadata": response("r1", CHAT[1]),
        },
        {"id": 3, "source": "agent", "action": "message", "args": {"content": ANSWER}},
    ]
)

LANGGRAPH = document(
    {
        "values": {
            "messages": [
                {"type": "human", "content": QUESTION},
                {
                    "type": "ai",
                    "content": "",
                    "tool_calls": [{"id": "c1", "name": CALLED[0], "args": CALLED[1], "type": "tool_call"}],
                    "response_metadata": {"model_name": "m"},
                    "usage_metadata": {"input_tokens": 9, "output_tokens": 4, "input_token_details": {"cache_read": 2}},
                },
                {"type": "tool", "content": GAVE, "tool_call_id": "c1", "status": "success"},
                {"type": "ai", "content": ANSWER},
            ]
        },
        "checkpoint": {},
    }
)

INSPECT_LOG: Json = {
    "version": 2,
    "eval": {},
    "samples": [
        {
            "id": 1,
            "epoch": 1,
            "messages": [
                {"id": "m1", "role": "user", "source": "input", "content": QUESTION},
                {
                    "id": "m2",
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "c1", "function": CALLED[0], "arguments": CALLED[1]}],
                    "model": "m",
                },
                {"id": "m3", "role": "tool", "tool_call_id": "c1", "content": GAVE},
                {"id": "m4", "role": "assistant", "content": ANSWER},
            ],
        }
    ],
}
INSPECT = document(INSPECT_LOG)

SHAREGPT = document(
    [
        {
            "conversations": [
                {"from": "human", "value": QUESTION},
                {"from": "function_call", "value": json.dumps({"name": CALLED[0], "arguments": CALLED[1]})},
                {"from": "observation", "value": GAVE},
                {"from": "gpt", "value": ANSWER},
            ]
        }
    ]
)

# The client ends its own lines with two blanks.
AIDER_LINES = [
    "# aider chat started at 2026-01-01 00:00:00",
    "",
    "> Aider v0.1  ",
    "> Model: gpt-x with diff edit format  ",
    "",
    f"#### {QUESTION}  ",
    "",
    ANSWER,
    "",
    "> Tokens: 1,234 sent, 56 received.  ",
    "",
]
AIDER = "\n".join(AIDER_LINES).encode()

RESPONSES = document(
    {
        "model": "gpt-x",
        "input": [
            {"role": "user", "content": QUESTION},
            {"type": "function_call", "call_id": "c1", "name": CALLED[0], "arguments": json.dumps(CALLED[1])},
            {"type": "function_call_output", "call_id": "c1", "output": GAVE},
            {"role": "assistant", "content": ANSWER},
        ],
    }
)

GEMINI_REQUEST = document(
    {
        "contents": [
            {"role": "user", "parts": [{"text": QUESTION}]},
            {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": CALLED[0], "args": CALLED[1]}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "c1", "name": CALLED[0], "response": {"output": GAVE}}}],
            },
            {"role": "model", "parts": [{"text": ANSWER}]},
        ]
    }
)

CLAUDE = (
    Session().user(QUESTION).assistant("m1", call("c1", CALLED[0])).results("c1").assistant("m2", text(ANSWER)).data()
)

SAMPLES: dict[str, bytes] = {
    "Claude Code session": CLAUDE,
    "Codex rollout": CODEX,
    "Copilot CLI session": COPILOT,
    "Gemini CLI session": GEMINI,
    "pi session": PI,
    "OpenHands events": OPENHANDS,
    "LangGraph thread": LANGGRAPH,
    "Inspect log": INSPECT,
    "ShareGPT file": SHAREGPT,
    "aider chat history": AIDER,
    "SWE-agent trajectory": SWE_AGENT,
    "mini-swe-agent trajectory": MINI_SWE_AGENT,
    "OpenAI Responses items": RESPONSES,
    "Gemini contents": GEMINI_REQUEST,
    "OpenAI messages": document({"model": "m", "messages": CHAT}),
}
"""By the name of the importer that reads it."""
