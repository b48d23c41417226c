"""Each rule of Gemini: a sound request passes, and the same request broken one way does not."""

from __future__ import annotations

from typing import Any

import pytest

from unabridged.testing import Violation, violations

Content = dict[str, Any]


def user(*parts: object) -> Content:
    return {"role": "user", "parts": list(parts) or [{"text": "Go on."}]}


def model(*parts: object) -> Content:
    return {"role": "model", "parts": list(parts) or [{"text": "Done."}]}


def call(name: object = "ls", **more: object) -> Content:
    return {"functionCall": {"name": name, "args": {}}, **more}


def answer(name: object = "ls", response: object = None) -> Content:
    return {"functionResponse": {"name": name, "response": {} if response is None else response}}


def found(*contents: object, **more: object) -> list[Violation]:
    return violations("gemini", {"contents": list(contents), **more})


SOUND: dict[str, list[object]] = {
    "a call and its response": [user(), model(call()), user(answer()), model(), user()],
    "as many responses as calls": [user(), model(call(), call("cat")), user(answer("cat"), answer()), user()],
    "words beside calls and responses": [user(), model({"text": "I look."}, call()), user({"text": "a"}, answer())],
    "a call after a response": [user(), model(call()), user(answer()), model(call()), user(answer())],
    "turns of one role in a row": [user(), user(), model(), model(), user()],
    "no role": [{"parts": [{"text": "a"}]}],
    "the older role of responses": [user(), model(call()), {"role": "function", "parts": [answer()]}],
    "empty text and thoughts alone": [user({"text": ""}), model({"text": "hm", "thought": True}), user()],
    "snake_case": [
        user({"inline_data": {"mime_type": "image/png", "data": "AAAA"}}),
        model({"function_call": {"name": "ls"}, "thought_signature": "c2ln"}),
        user({"function_response": {"name": "ls", "response": {}}}),
    ],
    "code that the service ran": [
        user(),
        model({"executableCode": {"language": "PYTHON", "code": "1"}}, {"codeExecutionResult": {"output": "1"}}),
        user(),
    ],
    "a model's turn last, as older models take it": [user(), model()],
    "a signature that is not to be had": [
        user(),
        model(call(thoughtSignature="skip_thought_signature_validator")),
        user(answer()),
    ],
    "a file that lies elsewhere": [user({"fileData": {"fileUri": "gs://a/b", "mimeType": "image/png"}})],
}


@pytest.mark.parametrize("what", SOUND)
def test_a_sound_request_has_no_violations(what: str) -> None:
    assert found(*SOUND[what]) == []


def test_one_string_is_a_sound_request() -> None:
    assert violations("gemini", {"contents": "hello"}) == []


CALL_AFTER = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
RESPONSE_AFTER = "Please ensure that function response turn comes immediately after a function call turn."
NUMBER = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of "
    "the function call turn."
)
MIXED = (
    "Please ensure that function call turn contains at least one function_call part which can not be mixed with "
    "function_response parts."
)
BROKEN: dict[str, tuple[list[object], str, str, str]] = {
    "no contents": (
        [],
        "contents_missing",
        "contents",
        "* GenerateContentRequest.contents: contents is not specified\n",
    ),
    "a role of another dialect": (
        [{"role": "assistant", "parts": [{"text": "a"}]}],
        "role_unknown",
        "contents.0.role",
        "Please use a valid role: user, model.",
    ),
    "a member of another dialect": (
        [{"role": "user", "parts": [{"text": "a"}], "content": "a"}],
        "content_field_unknown",
        "contents.0.content",
        "Invalid JSON payload received. Unknown name \"content\" at 'contents[0]': Cannot find field.",
    ),
    "no parts": (
        [user(), {"role": "model", "parts": []}],
        "parts_empty",
        "contents.1.parts",
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n",
    ),
    "a part without data": (
        [user({})],
        "part_without_data",
        "contents.0.parts.0",
        (
            "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one "
            "initialized field\n"
        ),
    ),
    "a part with two data": (
        [user({"text": "a", "inlineData": {"mimeType": "image/png", "data": "AAAA"}})],
        "part_with_two_data",
        "contents.0.parts.0",
        "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'inline_data'",
    ),
    "a part of another dialect": (
        [user({"type": "text", "text": "a"})],
        "part_field_unknown",
        "contents.0.parts.0.type",
        "Invalid JSON payload received. Unknown name \"type\" at 'contents[0].parts[0]': Cannot find field.",
    ),
    "a response without a name": (
        [user(), model(call()), user(answer(""))],
        "name_empty",
        "contents.2.parts.0.function_response.name",
        "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n",
    ),
    "a response that is a list": (
        [user(), model(call()), user(answer(response=[1]))],
        "not_an_object",
        "contents.2.parts.0.function_response.response",
        (
            'Invalid JSON payload received. Unknown name "response" at '
            "'contents[2].parts[0].function_response': Proto field is not repeating, cannot start list."
        ),
    ),
    "arguments that are text": (
        [user(), model({"functionCall": {"name": "f", "args": "{}"}}), user(answer("f"))],
        "not_an_object",
        "contents.1.parts.0.function_call.args",
        "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct)",
    ),
    "a signature that is no base64": (
        [user(), model(call(thoughtSignature="!")), user(answer())],
        "signature_not_base64",
        "contents.1.parts.0.thought_signature",
        "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"!\"",
    ),
    "a model first": ([model(), user()], "starts_with_model", "contents.0", "History must start with a user turn."),
    "a call first": ([model(call()), user(answer())], "call_after_model", "contents.0", CALL_AFTER),
    "a call after a model's turn": (
        [user(), model(), model(call()), user(answer())],
        "call_after_model",
        "contents.2",
        CALL_AFTER,
    ),
    "a response without a call": ([user(), user(answer())], "response_without_call", "contents.1", RESPONSE_AFTER),
    "a response after something else": (
        [user(), model(call()), user(), user(answer())],
        "response_without_call",
        "contents.3",
        RESPONSE_AFTER,
    ),
    "responses in turns of their own": (
        [user(), model(call(), call()), user(answer()), user(answer())],
        "responses_uneven",
        "contents.1",
        NUMBER,
    ),
    "a call that nothing answers": ([user(), model(call()), user()], "responses_uneven", "contents.1", NUMBER),
    "an open call at the end": ([user(), model(call())], "responses_uneven", "contents.1", NUMBER),
    "a call and a response in one turn": (
        [user(), model(call(), answer()), user(answer())],
        "call_out_of_place",
        "contents.1",
        MIXED,
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_request_is_refused_in_the_providers_words(what: str) -> None:
    contents, rule, where, says = BROKEN[what]
    assert Violation(rule, where, says) in found(*contents)


MISSING = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:ls` , position 2. "
)


def test_newer_models_want_a_signature_with_the_first_call_of_a_turn() -> None:
    unsigned = [user(), model(call()), user(answer())]
    assert found(*unsigned, model="gemini-2.5-pro") == []
    assert found(*unsigned, model="gemini-3-pro-preview") == [
        Violation("call_without_signature", "contents.1", MISSING)
    ]
    signed = model(call(thought_signature="c2ln"), call())
    assert found(user(), signed, user(answer(), answer()), model="models/gemini-3-pro-preview") == []


def test_calls_of_earlier_turns_need_no_signature() -> None:
    earlier = [user(), model(call()), user(answer()), model(), user()]
    assert found(*earlier, model="gemini-3-flash") == []


def test_newest_models_do_not_go_on_from_a_turn_of_their_own() -> None:
    (violation,) = found(user(), model(), model="gemini-3.5-flash")
    assert violation == Violation(
        "ends_with_model", "contents.1", "Requests ending with a model turn are not supported."
    )
    for name in ("gemini-2.5-pro", "gemini-3-pro", "gemini-3.1-pro", "gemini-pro-latest"):
        assert found(user(), model(), model=name) == []
