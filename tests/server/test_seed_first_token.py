"""The number that explains a slow first token; what a streaming client sees, and when."""

from __future__ import annotations

from tests.server.reading import Came
from tests.server.seed_scene import CHAT, Gate, Talker, bulk, house, is_summary, path_of

FULL = [bulk(1_000, f"q{number}") for number in range(7)]


def test_compacting_is_said_ahead_of_the_summary_and_not_with_it(place: str) -> None:
    gate = Gate(is_summary)
    with house(place, Talker(), gate=gate) as made:
        chat = made.project(policy={"strategy": "summarize"})
        session = chat.talk(FULL[:5])[0].session
        with chat.streaming(path_of(session), {"message": FULL[5] + FULL[6]}) as frames:
            first = next(frames)  # nobody has let the summarizer answer yet
            assert (first.event, first.data["phase"]) == ("context", "compacting")
            assert first.data["strategy"] == "summarize"
            assert first.data["tokens_before"] >= first.data["budget"]
            assert first.data["summary_model"] == CHAT
            gate.next()
            assert made.summaries == []
            gate.open()
            came = Came((first, *frames))
        assert made.summaries != []
    assert came.kinds[:4] == ["context(compacting)", "context(done)", "session", "delta"]
    assert came.status == "completed"


def test_the_context_frame_is_the_first_thing_that_a_turn_emits_before_the_session(file: str) -> None:
    gate = Gate(lambda body: "hold this" in str(body))
    with house(file, Talker(), gate=gate) as made:
        chat = made.project()
        session = chat.talk(FULL[:5])[0].session
        with chat.streaming(path_of(session), {"message": "hold this " + FULL[5] + FULL[6]}) as frames:
            first, second = next(frames), next(frames)  # while the model has said nothing yet
            gate.next()
            gate.open()
            came = Came((first, second, *frames))
    assert (first.event, first.data["phase"], first.number) == ("context", "done", 1)
    assert (second.event, second.data["session_id"]) == ("session", session)
    assert came.kinds[2] == "delta"


def test_where_nothing_has_to_go_the_session_is_the_first_thing(file: str) -> None:
    with house(file, Talker("Hello.")) as made:
        came = made.project().turn(None, "Hi.")
    assert came.kinds == ["session", "delta", "message", "end"]
    assert came.text == came.end["text"] == "Hello."


def test_every_compacting_has_its_done_also_where_the_summary_is_too_late(file: str) -> None:
    gate = Gate(is_summary)
    with house(file, Talker(), gate=gate) as made:
        chat = made.project(policy={"strategy": "summarize", "summarizer_timeout_s": 0.2})
        came = chat.talk([bulk(1_000, f"q{number}") for number in range(10)])
    phases = [[report["phase"] for report in turn.of("context")] for turn in came]
    assert ["compacting", "done"] in phases
    assert all(phase in ([], ["done"], ["compacting", "done"]) for phase in phases)


def test_a_turn_can_be_stopped_while_it_compacts_and_its_compacting_has_its_done(place: str) -> None:
    gate = Gate(is_summary)
    with house(place, Talker(), gate=gate) as made:
        chat = made.project(policy={"strategy": "summarize"})
        session = chat.talk(FULL[:5])[0].session
        with chat.streaming(path_of(session), {"message": FULL[5] + FULL[6]}) as frames:
            first = next(frames)
            gate.next()
            turn = first.id.partition(".")[0]
            stopped = chat.http.post(f"/chat/sessions/{session}/turns/{turn}/stop")
            came = Came((first, *frames))
        assert stopped.status_code == 202
        gate.open()
        after = chat.turn(session, "Go on.")
    assert came.status == "stopped"
    assert [report["phase"] for report in came.of("context")] == ["compacting", "done"]
    assert after.status == "completed"


def test_a_client_that_does_not_stream_gets_the_same_reports_with_its_answer(file: str) -> None:
    with house(file, Talker()) as made:
        chat = made.project(policy={"strategy": "summarize"})
        session = chat.talk(FULL[:5])[0].session
        asked = {"message": FULL[5] + FULL[6], "stream": False}
        answer = chat.http.post(path_of(session), json=asked)
    assert answer.status_code == 200
    assert [report["phase"] for report in answer.json()["context"]] == ["compacting", "done"]
    assert (answer.json()["status"], answer.json()["text"]) == ("completed", "Done.")
