"""What servers make of chat completions, each with its own idea of a stream."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.models.dialects import CHAT, attempts, completed, failed, gathered, items
from tests.models.servers import Says, answers, events, server, streams
from unabridged import Conversation
from unabridged.models.model import CallDelta, CallStarted, Event, Patience, ReasoningDelta, TextDelta
from unabridged.models.overflow import ErrorKind
from unabridged.report import Usage

pytestmark = pytest.mark.anyio
END: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def delta(**members: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": members}]}


def call(arguments: Any = None, *, name: str | None = None, **members: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {**members, "function": {key: value for key, value in function.items() if value is not None}}


async def heard(*chunks: dict[str, Any] | str) -> list[Event]:
    with server(streams([*chunks, END, "[DONE]"])) as (_, url):
        return await gathered(CHAT.model(url), CHAT.body)


def calls_of(found: list[Event]) -> list[tuple[str, str]]:
    """What events say of each call: its name, and its arguments."""
    begun = {event.index: event for event in found if isinstance(event, CallStarted)}
    written = {index: "" for index in begun}
    for event in found:
        if isinstance(event, CallDelta):
            written[event.index] += event.text
    listed = items(found)[0]["tool_calls"]
    assert [one["id"] for one in listed] == [event.id for event in begun.values()]
    assert len({one["id"] for one in listed}) == len(listed)
    assert [(one["function"]["name"], one["function"]["arguments"]) for one in listed] == [
        (event.name, written[event.index]) for event in begun.values()
    ]
    return [(event.name, written[event.index]) for event in begun.values()]


TWO = [("read", '{"a":1}'), ("bash", '{"b":2}')]


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [
                [call(index=0, id="c1", type="function", name="read", arguments="")],
                [call('{"a"', index=0)],
                [call(":1}", index=0)],
                [call(index=1, id="c2", type="function", name="bash")],
                [call('{"b":2}', index=1)],
            ],
            id="as OpenAI does",
        ),
        pytest.param(
            [
                [call(index=0, id="c1", name="read"), call(index=1, id="c2", name="bash")],
                [call('{"b"', index=1), call('{"a"', index=0)],
                [call(":1}", index=0), call(":2}", index=1)],
            ],
            id="interleaved",
        ),
        pytest.param(
            [
                [call(id="c1", name="read", arguments='{"a"')],
                [call(":1}")],
                [call(id="c2", name="bash")],
                [call('{"b":2}', id="c2")],
            ],
            id="without an index",
        ),
        pytest.param(
            [[call('{"a":1}', id="c1", name="read"), call('{"b":2}', id="c2", name="bash")]],
            id="whole, without an index",
        ),
        pytest.param(
            [[call('{"a":1}', index=0, id="c1", name="read")], [call('{"b":2}', index=0, id="c2", name="bash")]],
            id="whole, all with the same index",
        ),
        pytest.param([[call('{"a":1}', name="read")], [call('{"b":2}', name="bash")]], id="without ids"),
        pytest.param(
            [[call('{"a":1}', index=0, name="read", id="")], [call('{"b":2}', index=1, name="bash", id=None)]],
            id="with empty ids",
        ),
        pytest.param(
            [[call('{"a":1}', index=0, name="read", id="")], [call('{"b":2}', index=0, name="bash", id="")]],
            id="whole, all with the same index, without ids",
        ),
        pytest.param(
            [
                [call('{"a"', index=0, name="read")],
                [call(":1}", index=0, name="read")],
                [call("", index=0, name="read")],
                [call('{"b":2}', index=1, name="bash")],
            ],
            id="name with every piece, without ids",
        ),
        pytest.param(
            [
                [call('{"a"', index=0, id="c1", name="read")],
                [call(":1}", index=0, id="c1", name="read")],
                [call('{"b":2}', index=1, id="c2", name="bash")],
            ],
            id="name and id with every piece",
        ),
        pytest.param(
            [
                [call('{"a"', index=0, id="c1")],
                [call(":1}", index=0, name="read")],
                [call('{"b":2}', index=1, id="c2", name="bash")],
            ],
            id="arguments before the name",
        ),
        pytest.param(
            [
                [call('{"a"', index=0, id="c1", name="read")],
                [call(":1}", index=0, id="another")],
                [call('{"b":2}', index=1, id="c2", name="bash")],
            ],
            id="another id with every piece",
        ),
    ],
)
async def test_calls_are_understood(chunks: list[list[dict[str, Any]]]) -> None:
    assert calls_of(await heard(*(delta(tool_calls=calls) for calls in chunks))) == TWO


async def test_two_calls_of_one_tool_are_two() -> None:
    calls = [call(json.dumps({"n": n}), index=0, name="read", id="") for n in range(2)]
    asked = calls_of(await heard(*(delta(tool_calls=[each]) for each in calls)))
    assert asked == [("read", '{"n": 0}'), ("read", '{"n": 1}')]


@pytest.mark.parametrize("role", ["", "model", None])
async def test_an_answer_is_the_assistants_whatever_it_is_called(role: str | None) -> None:
    found = items(await heard(delta(content="Yes", role="assistant"), delta(content=".", role=role)))
    assert found == [{"role": "assistant", "content": "Yes."}]


async def test_arguments_that_are_an_object_become_text() -> None:
    found = calls_of(await heard(delta(tool_calls=[call({"a": 1}, name="read", id="c1")])))
    assert [(name, json.loads(text)) for name, text in found] == [("read", {"a": 1})]


async def test_what_a_call_carries_besides_is_kept() -> None:
    signed = call("{}", index=0, id="c1", name="read", extra_content={"google": {"thought_signature": "s=="}})
    found = await heard(delta(tool_calls=[signed]))
    assert items(found)[0]["tool_calls"][0] == {
        "id": "c1",
        "type": "function",
        "extra_content": {"google": {"thought_signature": "s=="}},
        "function": {"name": "read", "arguments": "{}"},
    }


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
async def test_thoughts_have_three_names(name: str) -> None:
    found = await heard(delta(**{name: "Hm"}), delta(**{name: "m."}), delta(content="Yes."))
    assert [event.text for event in found if isinstance(event, ReasoningDelta)] == ["Hm", "m."]
    assert items(found)[0] == {"role": "assistant", name: "Hmm.", "content": "Yes."}


async def test_a_thought_under_two_names_is_told_once_and_kept_twice() -> None:
    found = await heard(delta(reasoning="Hm.", reasoning_content="Hm."))
    assert [event.text for event in found if isinstance(event, ReasoningDelta)] == ["Hm."]
    assert items(found)[0] == {"role": "assistant", "reasoning": "Hm.", "reasoning_content": "Hm.", "content": None}


async def test_details_of_thoughts_are_joined_by_their_index() -> None:
    def detail(**members: Any) -> dict[str, Any]:
        return {"type": "reasoning.text", "format": "f-v1", "index": 0, **members}

    found = await heard(
        delta(reasoning_details=[detail(text="Hm")]),
        delta(reasoning_details=[detail(text="m.")]),
        delta(reasoning_details=[detail(signature="s==")]),
        delta(reasoning_details=[{"type": "reasoning.encrypted", "index": 0, "data": "xyz"}]),
        delta(content="Yes."),
    )
    assert items(found)[0]["reasoning_details"] == [
        detail(text="Hmm.", signature="s=="),
        {"type": "reasoning.encrypted", "index": 0, "data": "xyz"},
    ]
    assert "".join(event.text for event in found if isinstance(event, ReasoningDelta)) == "Hmm."


async def test_fields_that_nobody_knows_are_kept() -> None:
    found = await heard(
        delta(role="assistant", content="A", seen="one ", weight=0.5, inner={"a": "x", "n": 1}),
        delta(role="assistant", content="B", seen="two", weight=0.25, inner={"a": "y", "n": 2}, links=["u"]),
        delta(links=["v"], content=None, nothing=None),
    )
    assert items(found)[0] == {
        "role": "assistant",
        "content": "AB",
        "seen": "one two",
        "weight": 0.25,
        "inner": {"a": "xy", "n": 2},
        "links": ["u", "v"],
        "nothing": None,
    }


async def test_content_in_parts_stays_in_parts() -> None:
    def thought(text: str) -> dict[str, Any]:
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}

    found = await heard(
        delta(content=[thought("Hm")]), delta(content=[thought("m.")]), delta(content="Ye"), delta(content="s.")
    )
    assert items(found)[0]["content"] == [thought("Hmm."), {"type": "text", "text": "Yes."}]
    assert [event.text for event in found if isinstance(event, ReasoningDelta)] == ["Hm", "m."]
    assert [event.text for event in found if isinstance(event, TextDelta)] == ["Ye", "s."]


async def test_a_refusal_is_something_said() -> None:
    found = await heard(delta(role="assistant", content=None, refusal="I "), delta(refusal="won't."))
    assert "".join(event.text for event in found if isinstance(event, TextDelta)) == "I won't."
    assert items(found)[0] == {"role": "assistant", "content": None, "refusal": "I won't."}


async def test_only_the_first_of_several_choices_counts() -> None:
    both = {"choices": [{"index": 0, "delta": {"content": "A"}}, {"index": 1, "delta": {"content": "B"}}]}
    assert items(await heard(both))[0]["content"] == "A"


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["a\ud83d", "\ude00b"], ["a", "😀b"]),
        (["\ud83d", "\ude00\ud83d", "\ude00"], ["😀", "😀"]),
        (["a\ud83d"], ["a", "\ud83d"]),
        (["\ud83d", "x\ude00"], ["\ud83dx\ude00"]),
    ],
)
async def test_a_character_in_two_halves_is_one(texts: list[str], told: list[str]) -> None:
    found = await heard(*(delta(content=text) for text in texts))
    assert [event.text for event in found if isinstance(event, TextDelta)] == told
    assert items(found)[0]["content"] == "".join(told)
    thought = await heard(*(delta(reasoning=text) for text in texts))
    assert [event.text for event in thought if isinstance(event, ReasoningDelta)] == told


async def test_halves_of_two_calls_do_not_mix() -> None:
    found = await heard(
        delta(tool_calls=[call("\ud83d", index=0, id="c1", name="a"), call("\ud83d", index=1, id="c2", name="b")]),
        delta(tool_calls=[call("\ude00", index=0), call("\ude01", index=1)]),
    )
    assert calls_of(found) == [("a", "😀"), ("b", "😁")]


@pytest.mark.parametrize("end", [[END], [END, "[DONE]"], ["[DONE]"]], ids=["a reason", "both", "only [DONE]"])
async def test_each_end_mark_is_enough(end: list[Any]) -> None:
    with server(streams([delta(content="Yes."), *end])) as (_, url):
        found = await gathered(CHAT.model(url), CHAT.body)
    assert attempts(found) == 1
    assert items(found)[0]["content"] == "Yes."


async def test_a_server_that_never_closes_costs_no_answer() -> None:
    with server(streams([delta(content="Yes."), END], then="silence")) as (_, url):
        found = await gathered(CHAT.model(url, patience=Patience(idle_s=0.3, attempts=1)), CHAT.body)
    assert items(found)[0]["content"] == "Yes."


async def test_the_last_usage_counts_wherever_it_stands() -> None:
    inside = {"choices": [{"index": 0, "delta": {}, "usage": {"prompt_tokens": 5, "completion_tokens": 1}}]}
    assert completed(await heard(inside)).usage == Usage(input=5, output=1)
    later = {"choices": [], "usage": {"prompt_tokens": 6, "completion_tokens": 2}}
    assert completed(await heard(inside, later, {"choices": [], "usage": None})).usage == Usage(input=6, output=2)
    assert completed(await heard(delta(content="Yes."))).usage is None


async def test_comments_other_line_ends_and_odd_pieces_change_nothing() -> None:
    text = events([delta(content="Hé"), END, "[DONE]"]).replace(b"\n", b"\r\n")
    text = b"\xef\xbb\xbf: waiting\r\n\r\nid: 7\r\nretry: 3\r\n" + text.replace(b"data: ", b"data:")
    with server(Says(pieces=tuple(bytes([byte]) for byte in text), kind="text/plain")) as (_, url):
        assert items(await gathered(CHAT.model(url), CHAT.body))[0]["content"] == "Hé"


@pytest.mark.parametrize(
    "refusal",
    [
        {
            "error": {
                "message": "Unrecognized request argument supplied: stream_options",
                "type": "invalid_request_error",
            }
        },
        {
            "detail": [
                {"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs not permitted"}
            ]
        },
        {"error": {"message": "Unknown parameter", "param": "stream_options", "code": "unknown_parameter"}},
    ],
)
async def test_a_server_that_refuses_stream_options_is_asked_once_without(refusal: Any) -> None:
    with server(answers(refusal, status=400), CHAT.hello()) as (seen, url):
        model = CHAT.model(url)
        found = [event async for event in model.stream(CHAT.body)]
        await gathered(model, CHAT.body)
    assert attempts(found) == 1
    assert ["stream_options" in body for body in seen.decoded] == [True, False, False]
    assert all(body["stream"] for body in seen.decoded)


async def test_another_refusal_is_not_mistaken_for_that() -> None:
    refusal = {"error": {"message": "Unknown parameter: temperature", "param": "temperature"}}
    with server(answers(refusal, status=400)) as (seen, url):
        _, error = await failed(CHAT.model(url), CHAT.body)
    assert error.meaning.kind is ErrorKind.OTHER
    assert len(seen.bodies) == 1


async def test_stream_options_of_the_caller_stay() -> None:
    body = b'{"model":"m","stream":false,"stream_options":{"x":1},"messages":[]}'
    with server(CHAT.hello()) as (seen, url):
        await gathered(CHAT.model(url), body)
    assert seen.bodies == [b'{"model":"m","stream":true,"stream_options":{"x":1,"include_usage":true},"messages":[]}']


async def test_an_error_as_the_reason_to_stop_is_an_error() -> None:
    broken = {
        "error": {"code": 502, "message": "Provider disconnected"},
        "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
    }
    with server(streams([delta(content="Ye"), broken]), CHAT.hello()) as (_, url):
        found = await gathered(CHAT.model(url), CHAT.body)
    assert attempts(found) == 2
    assert items(found)[0]["content"] == "Hello"


@pytest.mark.parametrize(
    "line",
    [
        Says(pieces=(b"event: error\ndata: prompt is too long: 9 tokens > 8 maximum\n\n",)),
        streams([{"object": "error", "message": "prompt is too long: 9 tokens > 8 maximum", "code": 400}]),
        streams([{"message": "prompt is too long: 9 tokens > 8 maximum"}]),
        streams([{"choices": [{"index": 0, "error": {"message": "prompt is too long: 9 tokens > 8 maximum"}}]}]),
        answers({"object": "error", "message": "prompt is too long: 9 tokens > 8 maximum"}),
        answers({"detail": "prompt is too long: 9 tokens > 8 maximum"}),
    ],
    ids=["words", "an object", "no object", "in a choice", "a body", "a detail"],
)
async def test_errors_of_every_form_are_understood(line: Says) -> None:
    with server(line) as (seen, url):
        _, error = await failed(CHAT.model(url), CHAT.body)
    assert (error.meaning.kind, error.meaning.limit, len(seen.bodies)) == (ErrorKind.OVERFLOW, 8, 1)


async def test_a_cut_off_event_is_a_broken_stream() -> None:
    cut = Says(pieces=(events([delta(content="Ye")]), b'data: {"choices":[{"delta":{"cont'))
    with server(cut, CHAT.hello()) as (_, url):
        assert attempts(await gathered(CHAT.model(url), CHAT.body)) == 2


async def test_a_conversation_takes_what_an_odd_server_said() -> None:
    talk = Conversation(model="m")
    talk.user("Go.")
    found = await heard(delta(reasoning="Hm.", tool_calls=[call('{"a":1}', name="read")]))
    (message,) = talk.add_all(completed(found).dicts())
    talk.result(message.calls[0].id, "ok")
    sent = talk.fit().request()["messages"]
    assert sent[1]["tool_calls"][0]["id"] == sent[2]["tool_call_id"]
