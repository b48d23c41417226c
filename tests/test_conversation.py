"""The front door: everything an agent loop needs around one transcript."""

from __future__ import annotations

from typing import Any

import pytest

from unabridged import BadInput, CannotFit, Conversation, Policy, Usage
from unabridged.entry import RefusedEntry
from unabridged.log import Log
from unabridged.message import Origin, Role
from unabridged.report import FitReason
from unabridged.testing import violations
from unabridged.testing.notation import body, tokens


def said(talk: Conversation) -> list[str]:
    """The texts of the next request's messages."""
    return [message["content"] for message in talk.fit().messages()]


def refused(talk: Conversation) -> list[RefusedEntry]:
    return [entry.payload for entry in talk.transcript.log.entries if isinstance(entry.payload, RefusedEntry)]


def test_a_request_holds_the_frame_and_what_was_said() -> None:
    tools = [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object", "properties": {}}}}]
    talk = Conversation(model="m", system="Be brief.", tools=tools, temperature=0)
    talk.user("Hello.")
    assert talk.fit().request() == {
        "model": "m",
        "temperature": 0,
        "tools": tools,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello."}],
    }


def test_an_anthropic_request_has_its_system_text_beside_the_messages() -> None:
    talk = Conversation(dialect="anthropic", model="m", system="Be brief.", max_tokens=500)
    talk.user("Hello.")
    request = talk.fit().request()
    assert (request["model"], request["system"], request["max_tokens"]) == ("m", "Be brief.", 500)
    assert [message["role"] for message in request["messages"]] == ["user"]


def test_an_answer_goes_back_as_it_came_unknown_fields_included() -> None:
    talk = Conversation(model="m")
    talk.user("Hello.")
    answer = {"role": "assistant", "content": "Hi.", "x_score": [1, 2], "annotations": []}
    talk.add(answer)
    talk.user("Bye.")
    assert talk.fit().messages()[1] == answer


def test_a_message_may_be_given_as_json_text() -> None:
    talk = Conversation(model="m")
    message = talk.add('{"role": "user", "content": "Hello."}')
    assert (message.role, message.text, message.origin) == (Role.USER, "Hello.", Origin.HUMAN)


def test_a_client_may_say_that_nobody_typed_a_message() -> None:
    talk = Conversation(model="m")
    message = talk.add({"role": "user", "content": "Reminder."}, origin=Origin.INJECTED)
    assert not message.is_human


def test_what_is_no_message_is_refused_and_nothing_is_appended() -> None:
    talk = Conversation(model="m")
    with pytest.raises(BadInput, match="has the unknown `role`"):
        talk.add({"role": "robot", "content": "beep"})
    assert len(talk.transcript.log) == 0


@pytest.mark.parametrize("dialect", ["openai_chat", "anthropic"])
def test_results_stand_behind_the_call_that_they_answer(dialect: str) -> None:
    talk = Conversation(dialect=dialect, model="m")
    talk.user("List it.")
    talk.add(body("A[c1,c2]", dialect))
    talk.result("c1", "a.py")
    talk.result("c2", "no such folder", is_error=True)
    assert violations(dialect, talk.fit().request()) == []


def test_results_of_one_turn_are_one_message_where_the_provider_wants_it() -> None:
    talk = Conversation(dialect="anthropic", model="m")
    talk.user("List it.")
    talk.add(body("A[c1,c2]", "anthropic"))
    talk.result("c1", "a.py")
    talk.result("c2", "no such folder", is_error=True)
    results = talk.fit().messages()[2]["content"]
    assert [(block["tool_use_id"], block.get("is_error", False)) for block in results] == [("c1", False), ("c2", True)]


def test_message_ids_sort_by_the_order_in_which_they_were_made() -> None:
    talk = Conversation(model="m")
    ids = [talk.user(f"message {number}").id for number in range(200)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 200


def test_a_message_that_can_never_fit_is_taken_out_of_the_branch_and_stays_in_the_log() -> None:
    talk = Conversation(model="m", window=8_000)
    talk.user(tokens(9_000))
    with pytest.raises(CannotFit):
        talk.fit()
    assert talk.transcript.records == []
    (entry,) = refused(talk)
    assert entry.why.startswith("the request needs at least 9,0")
    assert len(talk.transcript.log) == 2


def test_after_a_refusal_a_smaller_message_works() -> None:
    talk = Conversation(model="m", window=8_000)
    talk.user("Hello.")
    talk.fit()
    talk.add({"role": "assistant", "content": "Hi."})
    talk.user(tokens(9_000))
    with pytest.raises(CannotFit):
        talk.fit()
    talk.user("Bye.")
    assert said(talk) == ["Hello.", "Hi.", "Bye."]


def test_a_refusal_takes_back_no_answer_of_the_model() -> None:
    talk = Conversation(model="m", window=8_000)
    talk.user("Go.")
    talk.fit()
    talk.add({"role": "assistant", "content": "Going."})
    talk.user(tokens(5_000))
    talk.user(tokens(7_900))
    with pytest.raises(CannotFit):
        talk.fit()
    assert [record.message.text for record in talk.transcript.records] == ["Go.", "Going."]


def test_a_refused_request_makes_the_next_one_no_larger() -> None:
    talk = Conversation(model="m", window=8_000)
    talk.user("Hello.")
    before = talk.fit().tokens
    for _ in range(3):
        talk.user(tokens(9_000))
        with pytest.raises(CannotFit):
            talk.fit()
    assert talk.fit().tokens == before


def test_a_message_that_turned_out_too_large_for_the_provider_does_not_stop_the_next() -> None:
    talk = Conversation(model="m", window=200_000)
    talk.user("Hello.")
    talk.add({"role": "assistant", "content": "Hi."})
    talk.user(tokens(9_000))
    talk.fit()
    with pytest.raises(CannotFit):
        talk.overflowed(8_000)
    talk.user("Bye.")
    fitted = talk.fit()
    assert fitted.tokens < 8_000
    assert fitted.messages()[-1]["content"] == "Bye."


def test_usage_of_the_last_request_is_learned_from() -> None:
    talk = Conversation(model="m")
    talk.user(tokens(1_000))
    talk.fit()
    talk.answered({"prompt_tokens": 1_700, "completion_tokens": 5, "total_tokens": 1_705})
    assert talk.fit().tokens == 1_700


def test_usage_of_anthropic_includes_what_came_from_the_cache() -> None:
    talk = Conversation(dialect="anthropic", model="m")
    talk.user(tokens(1_000))
    talk.fit()
    talk.answered(
        {"input_tokens": 3, "cache_read_input_tokens": 1_500, "cache_creation_input_tokens": 197, "output_tokens": 5}
    )
    assert talk.fit().tokens == 1_700


def test_usage_may_be_given_as_a_value() -> None:
    talk = Conversation(model="m")
    talk.user(tokens(1_000))
    talk.fit()
    talk.answered(Usage(input=1_700))
    assert talk.fit().tokens == 1_700


def test_usage_before_a_request_is_refused() -> None:
    with pytest.raises(BadInput, match="usage without a request: call `fit` first"):
        Conversation(model="m").answered({"prompt_tokens": 5})


def test_a_response_without_usage_teaches_nothing() -> None:
    talk = Conversation(model="m")
    talk.user(tokens(1_000))
    before = talk.fit().tokens
    talk.answered({})
    assert talk.fit().tokens == before


def test_an_overflow_is_answered_with_a_smaller_request() -> None:
    talk = Conversation(model="m", window=200_000)
    for _ in range(4):
        talk.user(tokens(1_000))
        talk.add({"role": "assistant", "content": tokens(1_000)})
    talk.user("Go on.")
    assert talk.fit().tokens > 8_000
    fitted = talk.overflowed(limit=4_000)
    assert fitted.tokens <= 3_200
    assert fitted.report is not None
    assert fitted.report.reason is FitReason.PROVIDER_OVERFLOW


def test_what_the_provider_named_as_its_window_holds_from_then_on() -> None:
    talk = Conversation(model="m", policy=Policy(max_context_tokens=100_000))
    talk.user("Hello.")
    talk.fit()
    talk.overflowed(limit=32_768)
    talk.add({"role": "assistant", "content": tokens(30_000)})
    talk.user("Go on.")
    assert talk.fit().tokens <= 26_214


def test_a_limit_that_cannot_be_true_does_not_end_the_conversation() -> None:
    talk = Conversation(model="m")
    talk.user("Hello.")
    talk.fit()
    talk.overflowed(limit=0)
    assert said(talk) == ["Hello."]


def test_a_conversation_goes_on_from_a_log() -> None:
    talk = Conversation(model="m", window=8_000)
    for number in range(12):
        talk.user(f"question {number}")
        talk.add({"role": "assistant", "content": tokens(700)})
    talk.user("Go on.")
    body_before = talk.fit().body()
    log = Log.restore("session", talk.transcript.log.entries, counter=talk.transcript.log.counter, media={})
    again = Conversation(model="m", window=8_000, log=log)
    assert again.fit().body() == body_before


def test_a_log_that_goes_on_continues_the_branch_that_was_opened_last() -> None:
    talk = Conversation(model="m")
    first = talk.user("Hello.")
    talk.add({"role": "assistant", "content": "Hi."})
    branch = talk.transcript.branch_from(first.id, why="regenerate")
    again = Conversation(model="m", log=talk.transcript.log)
    assert again.transcript.branch == branch.branch
    assert said(again) == ["Hello."]


def test_a_session_of_sixty_turns_past_its_window_is_never_refused() -> None:
    talk = Conversation(dialect="anthropic", model="m", system="Be brief.", window=8_000)
    for number in range(60):
        talk.user(f"question {number}")
        talk.fit()
        talk.add(body("A{think:50}[c1]", "anthropic"))
        talk.result("c1", tokens(100 + 37 * number, str(number)))
        fitted = talk.fit()
        request: dict[str, Any] = fitted.request()
        assert violations("anthropic", request) == []
        assert fitted.tokens < 6_400
        talk.add({"role": "assistant", "content": tokens(40)})
    assert len(talk.transcript.records) == 240


def thinks(limit: int, budget: int, *, window: int, **more: Any) -> Conversation:
    thinking = {"type": "enabled", "budget_tokens": budget}
    return Conversation(
        dialect="anthropic", model="m", max_tokens=limit, window=window, thinking=thinking, temperature=1, **more
    )


def test_a_lowered_output_limit_takes_the_thinking_budget_with_it() -> None:
    talk = thinks(64_000, 40_000, window=64_000)
    talk.user("Hello.")
    request = talk.fit().request()
    assert (request["max_tokens"], request["thinking"]) == (32_000, {"type": "enabled", "budget_tokens": 20_000})
    assert violations("anthropic", request) == []


def test_a_loop_goes_on_without_thinking_where_what_must_stay_leaves_no_room_for_it() -> None:
    edits = {"edits": [{"type": "clear_thinking_20251015"}]}
    talk = thinks(6_000, 3_000, window=20_000, context_management=edits)
    talk.user(tokens(18_000))
    talk.add(body("A{think}[c1]", "anthropic"))
    talk.result("c1", tokens(3_000))
    fitted = talk.fit()
    request = fitted.request()
    assert fitted.report is not None
    assert fitted.report.reason is FitReason.FLOOR_OVER_BUDGET
    assert (request["max_tokens"], request["thinking"]) == (625, {"type": "disabled"})
    assert request["messages"][1]["content"][0]["type"] == "thinking"
    assert violations("anthropic", request) == []
