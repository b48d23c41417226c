"""Sessions of Claude Code, Codex, Gemini CLI and pi: what each client needs to find in its own files."""

from __future__ import annotations

import json

import msgspec
import pytest

from tests.exporters.making import (
    PICTURE,
    TIME,
    Json,
    call,
    human,
    injected,
    losses,
    model,
    records,
    result,
    summary,
    talk,
    tool,
    written,
)
from unabridged.errors import BadInput
from unabridged.exporters import exporter
from unabridged.framing import frame_of
from unabridged.importers import RecordedCall, read_bytes
from unabridged.message import Media, MediaKind, Opaque, Raw, Reasoning
from unabridged.report import Usage

USAGE = Usage(input=100, cached=60, cache_write=10, output=9, reasoning=4)
ASKED = (
    human("Fix it."),
    model("I look.", call("c1"), call("c1")),
    tool(result("c1", "one")),
    tool(result("c1", "two", is_error=True)),
    model("Done."),
)
CLIENTS = ("claude-code", "codex", "gemini-cli", "pi")


def payloads(conversation_records: list[Json], type: str) -> list[Json]:
    return [record["payload"] for record in conversation_records if record["type"] == type]


class TestClaudeCode:
    def test_each_line_names_the_one_before_and_results_share_a_line(self) -> None:
        lines = records("claude-code", talk(*ASKED))

        assert [line["type"] for line in lines] == ["user", "assistant", "user", "assistant"]
        assert [line["parentUuid"] for line in lines] == [None, *(line["uuid"] for line in lines[:-1])]
        assert {line["sessionId"] for line in lines} == {lines[0]["sessionId"]}
        assert {line["timestamp"] for line in lines} == {TIME}
        assert [block["content"] for block in lines[2]["message"]["content"]] == ["one", "two"]

    def test_an_answer_carries_its_model_and_its_usage_where_they_are_known(self) -> None:
        calls = (RecordedCall(answer=1, usage=USAGE, model="claude-x"), RecordedCall(answer=4))
        first, last = (
            line["message"] for line in records("claude-code", talk(*ASKED, calls=calls)) if line["type"] == "assistant"
        )

        assert (first["model"], last["model"]) == ("claude-x", "claude-x")
        assert "usage" not in last
        assert first["usage"] == {
            "input_tokens": 30,
            "cache_creation_input_tokens": 10,
            "cache_read_input_tokens": 60,
            "output_tokens": 9,
        }

    def test_a_summary_stands_behind_a_boundary_and_what_nobody_typed_is_meta(self) -> None:
        lines = records("claude-code", talk(human("Go"), model("Yes."), summary("They said go."), injected("It is 5.")))

        assert [line.get("subtype") for line in lines] == [None, None, "compact_boundary", None, None]
        assert [line.get("isCompactSummary") for line in lines] == [None, None, None, True, None]
        assert [line.get("isMeta") for line in lines] == [None, None, None, None, True]

    def test_a_message_of_which_nothing_is_left_is_counted(self) -> None:
        conversation = talk(human("Go"), model(Reasoning("Hm.")), model("Yes."))

        assert [line["type"] for line in records("claude-code", conversation)] == ["user", "assistant"]
        assert losses("claude-code", conversation) == [
            "thoughts are left out: only the model that had them can use them (1)",
            "messages are left out: nothing of them has a place here (1)",
        ]


class TestCodex:
    def test_it_begins_with_the_session_and_the_model(self) -> None:
        frame = frame_of("openai_chat", model="gpt-x", system="Be careful.")
        meta, context, *rest = records("codex", talk(*ASKED, frame=frame))

        assert (meta["type"], context["type"]) == ("session_meta", "turn_context")
        assert meta["payload"]["base_instructions"] == {"text": "Be careful."}
        assert context["payload"]["model"] == "gpt-x"
        assert {record["type"] for record in rest} == {"response_item", "event_msg"}

    def test_what_a_person_typed_and_the_model_said_is_an_event_too(self) -> None:
        events = payloads(records("codex", talk(*ASKED, injected("It is 5."))), "event_msg")

        assert [(event["type"], event["message"]) for event in events] == [
            ("user_message", "Fix it."),
            ("agent_message", "I look."),
            ("agent_message", "Done."),
        ]

    def test_the_result_of_a_custom_tool_is_a_custom_result(self) -> None:
        conversation = talk(human("Go"), model(call("c1", "*** patch", custom=True)), tool(result("c1", "ok")))
        items = payloads(records("codex", conversation), "response_item")

        assert [item["type"] for item in items] == ["message", "custom_tool_call", "custom_tool_call_output"]
        assert items[1]["input"] == "*** patch"

    def test_usage_follows_the_answer_and_adds_up(self) -> None:
        calls = (RecordedCall(answer=1, usage=USAGE), RecordedCall(answer=4, usage=USAGE))
        found = records("codex", talk(*ASKED, calls=calls))
        counted = [each["info"] for each in payloads(found, "event_msg") if each["type"] == "token_count"]

        assert [each["last_token_usage"]["input_tokens"] for each in counted] == [100, 100]
        assert [each["total_token_usage"]["total_tokens"] for each in counted] == [109, 218]
        assert found[-1]["payload"]["type"] == "token_count"

    def test_a_summary_in_words_is_a_compaction(self) -> None:
        found = records("codex", talk(human("Go"), model("Yes."), summary("They said go."), human("On")))

        assert payloads(found, "compacted") == [{"message": "They said go."}]

    @pytest.mark.parametrize("dialect", ["codex", "openai_responses"])
    def test_a_summary_that_only_the_provider_reads_stands_behind_what_people_wrote(self, dialect: str) -> None:
        item = json.dumps({"type": "compaction", "encrypted_content": "x"})
        whole = item if dialect == "openai_responses" else json.dumps({"window_id": "w"})
        secret = summary(Opaque("compaction", item))
        conversation = talk(human("Go"), model("Yes."), secret)
        *before, last = conversation.messages
        held = last.__class__(
            id=last.id, role=last.role, parts=last.parts, origin=last.origin, raw=Raw(dialect=dialect, body=whole)
        )
        (compacted,) = payloads(records("codex", talk(*before, held)), "compacted")

        texts = [each["content"][0]["text"] for each in compacted["replacement_history"] if each["type"] == "message"]
        assert texts == ["Go"]
        if dialect == "codex":
            assert compacted["window_id"] == "w"
        else:
            assert compacted["replacement_history"][-1] == json.loads(item)

    def test_a_picture_is_a_data_url(self) -> None:
        items = payloads(records("codex", talk(human("Look", PICTURE))), "response_item")

        assert [block["type"] for block in items[0]["content"]] == ["input_text", "input_image"]
        assert items[0]["content"][1]["image_url"].startswith("data:image/png;base64,")


class TestGeminiCli:
    def test_results_stand_with_their_calls(self) -> None:
        document = json.loads(written("gemini-cli", talk(*ASKED)))

        assert [record["type"] for record in document["messages"]] == ["user", "gemini", "gemini"]
        calls = document["messages"][1]["toolCalls"]
        assert [each["status"] for each in calls] == ["success", "error"]
        assert [each["result"][0]["functionResponse"]["response"] for each in calls] == [
            {"output": "one"},
            {"error": "two"},
        ]

    def test_a_call_that_nothing_answers_is_cancelled(self) -> None:
        document = json.loads(written("gemini-cli", talk(human("Go"), model(call("c1")))))

        assert document["messages"][1]["toolCalls"][0]["status"] == "cancelled"

    def test_a_result_that_nothing_asked_for_is_a_record_of_its_own(self) -> None:
        document = json.loads(written("gemini-cli", talk(human("Go"), tool(result("c9", "late")), model("Yes."))))

        assert document["messages"][1]["content"] == [
            {"functionResponse": {"id": "c9", "name": "", "response": {"output": "late"}}}
        ]

    def test_usage_and_a_summary_have_the_forms_of_the_client(self) -> None:
        calls = (RecordedCall(answer=1, usage=USAGE, model="gemini-x"),)
        document = json.loads(
            written("gemini-cli", talk(human("Go"), model("Yes."), summary("They went."), calls=calls))
        )

        assert document["messages"][1]["model"] == "gemini-x"
        assert document["messages"][1]["tokens"] == {
            "input": 100,
            "output": 5,
            "cached": 60,
            "thoughts": 4,
            "tool": 0,
            "total": 109,
        }
        assert document["messages"][2]["content"][0]["text"].startswith("<state_snapshot>\nThey went.")

    def test_pictures_go_along(self) -> None:
        document = json.loads(written("gemini-cli", talk(human(PICTURE), model(call("c")), tool(result("c", PICTURE)))))

        assert document["messages"][0]["content"][0]["inlineData"]["mimeType"] == "image/png"
        assert document["messages"][1]["toolCalls"][0]["result"][1]["inlineData"]["mimeType"] == "image/png"


class TestPi:
    def test_each_line_names_the_one_before(self) -> None:
        head, *lines = records("pi", talk(*ASKED))

        assert (head["type"], head["version"]) == ("session", 3)
        assert [line["parentId"] for line in lines] == [None, *(line["id"] for line in lines[:-1])]
        assert [line["message"]["role"] for line in lines] == [
            "user",
            "assistant",
            "toolResult",
            "toolResult",
            "assistant",
        ]
        assert [line["message"]["toolName"] for line in lines[2:4]] == ["read", "read"]
        assert [line["message"]["isError"] for line in lines[2:4]] == [False, True]

    def test_a_summary_is_a_compaction_and_what_nobody_typed_a_custom_message(self) -> None:
        lines = records("pi", talk(human("Go"), model("Yes."), summary("They went."), injected("It is 5.")))

        assert [line["type"] for line in lines] == ["session", "message", "message", "compaction", "custom_message"]
        assert lines[3]["summary"] == "They went."

    def test_thoughts_and_pictures_go_along_and_words_stand_for_what_cannot(self) -> None:
        conversation = talk(
            human("Go", PICTURE), model(Reasoning("Hm."), Reasoning("", "x"), Opaque("web", "{}"), "Yes.")
        )
        _, asked, answer = records("pi", conversation)

        assert [block["type"] for block in asked["message"]["content"]] == ["text", "image"]
        assert [block["type"] for block in answer["message"]["content"]] == ["thinking", "text", "text"]
        assert losses("pi", conversation) == [
            "thoughts are left out: only their own provider can read them (1)",
            "items are said in words: only their own provider can read them (1)",
        ]


@pytest.mark.parametrize("to", CLIENTS)
def test_pairs_of_one_id_stay_pairs(to: str) -> None:
    (back,) = read_bytes(written(to, talk(*ASKED)).encode(), "b.file")

    assert [part.parts for message in back.messages for part in message.results] == [
        part.parts for message in ASKED for part in message.results
    ]


@pytest.mark.parametrize("to", CLIENTS)
def test_usage_and_models_come_back(to: str) -> None:
    known = Usage(input=100, cached=60, output=9, reasoning=4 if to in ("codex", "gemini-cli") else 0)
    calls = (RecordedCall(answer=1, usage=known, model="x"), RecordedCall(answer=4, model="x"))
    (back,) = read_bytes(written(to, talk(*ASKED, calls=calls)).encode(), "b.file")

    assert [(each.usage, each.model) for each in back.calls if each.usage] == [(known, "x")]
    assert len(back.calls) == 2


@pytest.mark.parametrize("to", CLIENTS)
def test_system_texts_are_the_clients_own_and_counted_where_they_have_no_place(to: str) -> None:
    conversation = talk(*ASKED, frame=frame_of("openai_chat", system="Be careful."))
    told = "system texts are left out: the client brings its own (1)"

    assert losses(to, conversation) == ([] if to == "codex" else [told])


@pytest.mark.parametrize("to", ["claude-code", "gemini-cli", "pi"])
def test_arguments_that_are_no_object_become_one(to: str) -> None:
    conversation = talk(
        human("Go"), model(call("c1", "{torn"), call("c2", "*** patch", custom=True), call("c3", "[1]"))
    )
    (back,) = read_bytes(written(to, conversation).encode(), "b.file")

    found = [json.loads(each.arguments) for each in back.messages[1].calls]
    assert all(isinstance(each, dict) for each in found)
    assert [list(each.values()) for each in found][1] == ["*** patch"]


@pytest.mark.parametrize("to", CLIENTS)
def test_pictures_of_which_only_the_address_is_known_keep_it(to: str) -> None:
    linked = Media(kind=MediaKind.IMAGE, mime="image/png", url="https://example.com/a.png")

    assert "https://example.com/a.png" in written(to, talk(human("Look", linked), model("Yes.")))


def test_a_time_that_cannot_be_read_is_the_epoch() -> None:
    message = msgspec.structs.replace(human("Go"), time="yesterday")

    assert records("pi", talk(message))[1]["message"]["timestamp"] == 0


def test_an_unknown_format_is_named_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="unknown format 'word': use one of openai, openai-responses"):
        exporter("word")
