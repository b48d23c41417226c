"""What every store keeps its word on, whichever engine it is on."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from tests.store.entries import said
from tests.store.talking import again, blobs, conversation, digest, ids, shown, texts
from unabridged import Conversation
from unabridged.entry import BranchEntry, CheckpointEntry, Entry, MessageEntry, RefusedEntry, UndoEntry, UnknownEntry
from unabridged.errors import BadInput, BadSetting, CannotFit, Conflict, NotFound
from unabridged.log import Log
from unabridged.store import Session, Store
from unabridged.store.lines import encode_entry
from unabridged.testing.notation import messages, say
from unabridged.testing.pictures import png
from unabridged.tokens.estimate import EstimateCounter
from unabridged.transcript import Transcript

ODD = (
    "\x00 in between",
    "half \ud83d of a pair",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
    "\\u0000 \\ud800 \\",
    "\u2028\x85\x1f\ufeff",
    "é" * 3 + "\r\n",
)
FORMS = {
    "openai_chat": {"role": "user", "content": "as it came", "x_trace": [1.0e5, {"a": None}]},
    "openai_responses": {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "as it came"}],
        "extra": {"": 1},
    },
    "anthropic": {
        "role": "user",
        "content": [{"type": "text", "text": "as it came", "cache_control": {"type": "ephemeral"}}],
    },
    "gemini": {"role": "user", "parts": [{"text": "as it came"}], "unknown": -0.0},
}


# -- sessions


def test_a_session_is_there_for_whoever_opens_it(store: Store) -> None:
    project = store.project("home")
    made = project.create(title="Fix the build", id="s-1")
    opened = project.open("s-1")
    assert (opened.id, opened.title, opened.project) == ("s-1", "Fix the build", "home")
    assert opened.log.counter == made.log.counter != ""
    assert store.projects() == ["home"]


def test_a_session_without_an_id_gets_one_of_its_own(store: Store) -> None:
    project = store.project("home")
    assert len({project.create().id for _ in range(3)} | {head.id for head in project.sessions()}) == 3


def test_an_id_that_is_taken_is_refused_and_the_session_stays(store: Store) -> None:
    project = store.project("home")
    project.create(id="s-1", title="first").log.append(said("hello"))
    with pytest.raises(BadInput, match="already"):
        project.create(id="s-1", title="second")
    assert [head.title for head in project.sessions()] == ["first"]
    assert texts(project.open("s-1").log) == ["hello"]


def test_an_id_that_no_database_takes_is_refused_and_never_found(store: Store) -> None:
    for id in ("\x00", "half \ud800", "x" * 401):
        with pytest.raises(BadInput, match="give another"):
            store.project("home").create(id=id)
        with pytest.raises(NotFound):
            store.project("home").open(id)
        with pytest.raises(BadInput, match="give another"):
            store.project(id)


def test_sessions_are_listed_by_pages_in_either_order(store: Store) -> None:
    project = store.project("home")
    for number in range(5):
        project.create(id=f"s-{number}").log.append(*[said("x", id=f"m-{n}") for n in range(number)])
    first = project.sessions(limit=2)
    second = project.sessions(limit=2, after=first[-1].id)
    assert [head.id for head in (*first, *second)] == ["s-4", "s-3", "s-2", "s-1"]
    assert [head.id for head in project.sessions(after="s-1", newest_first=False)] == ["s-2", "s-3", "s-4"]
    assert [head.entries for head in project.sessions(limit=10)] == [4, 3, 2, 1, 0]
    assert project.sessions(limit=0) == []
    assert project.sessions(after="s-0") == []
    with pytest.raises(NotFound):
        project.sessions(after="nobody")
    with pytest.raises(BadSetting, match="limit"):
        project.sessions(limit=-1)
    assert [head.id for head in project.all()] == [f"s-{number}" for number in range(5)]


def test_a_head_says_when_a_session_was_used_last(store: Store) -> None:
    session = store.project("home").create(id="s-1")
    assert store.project("home").head("s-1").updated == store.project("home").head("s-1").created
    (entry,) = session.log.append(said("hello"))
    head = store.project("home").head("s-1")
    assert (head.updated, head.entries) == (entry.time, 1)


def test_a_session_can_be_renamed(store: Store) -> None:
    project = store.project("home")
    project.create(id="s-1", title="old")
    project.rename("s-1", "new \x00 and \ud800 odd")
    assert project.head("s-1").title == project.open("s-1").title == "new \ufffd and \ufffd odd"
    with pytest.raises(NotFound):
        project.rename("s-2", "nobody")


def test_an_erased_session_is_gone_with_all_that_only_it_had(store: Store) -> None:
    project = store.project("home")
    shared, own = png(10, 10, "shared"), png(10, 10, "own")
    for id, pictures in (("s-1", (shared, own)), ("s-2", (shared,))):
        talk = conversation(project.create(id=id))
        for picture in pictures:
            talk.transcript.append(shown(picture, id=f"{id}-{len(picture)}"), media={digest(picture): picture})
        refuse_too_much(talk)
    project.erase("s-1")
    with pytest.raises(NotFound):
        project.erase("s-1")
    assert [head.id for head in project.sessions()] == ["s-2"]
    assert blobs(store) == 2  # the shared picture, and the large text of the other session
    assert project.open("s-2").log.media[digest(shared)] == shared
    project.erase("s-2")
    tables = ("sessions", "entries", "refused", "blobs", "blob_uses", "queue")
    assert [store.database.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables] == [0] * len(tables)


def refuse_too_much(talk: Conversation) -> None:
    say(talk, "U:huge:9k")
    with pytest.raises(CannotFit):
        talk.fit()


def test_what_was_kept_of_an_erased_session_is_never_of_another_one(store: Store) -> None:
    erased = store.project("home").create(id="s-1")
    store.project("home").erase("s-1")
    others = [store.project("elsewhere").create(id=f"s-{number}") for number in range(2)]

    assert len({erased.key, *(other.key for other in others)}) == 3


def test_a_session_that_was_erased_meanwhile_is_not_found_by_who_still_has_it_open(store: Store) -> None:
    project = store.project("home")
    session = project.create(id="s-1")
    session.log.append(said("hello"))
    project.erase("s-1")
    with pytest.raises(NotFound):
        session.log.append(said("still there?", id="m-2"))
    with pytest.raises(NotFound), session.turn(wait_s=0):
        pass


# -- appending


def test_a_writer_that_is_late_gets_a_conflict_and_nothing_is_written(store: Store, session: Session) -> None:
    late = again(store, session)
    session.log.append(said("first", id="m-1"))
    with pytest.raises(Conflict) as conflict:
        late.log.append(said("second", id="m-2"), said("third", id="m-3"))
    assert (conflict.value.expected, conflict.value.actual) == (0, 1)
    assert texts(session.log) == ["first"]


def test_who_got_a_conflict_can_write_after_reading_again_and_not_before(store: Store, session: Session) -> None:
    late = Transcript(again(store, session).log)
    session.log.append(said("first", id="m-1"))
    for _ in range(2):
        with pytest.raises(Conflict):
            late.append(said("second", id="m-2").message)
    read = Transcript(late.log)
    read.append(said("second", id="m-2").message)
    assert texts(again(store, session).log) == ["first", "second"]


def test_a_writer_that_states_another_position_gets_a_conflict(session: Session) -> None:
    session.log.append(said("one", id="m-1"), said("two", id="m-2"), expected=0)
    for expected in (0, 1, 3, -1, 2**70):
        with pytest.raises(Conflict):
            session.log.append(said("three", id="m-3"), expected=expected)
    session.log.append(said("three", id="m-3"), expected=2)
    assert texts(session.log) == ["one", "two", "three"]


def test_a_step_is_written_as_one_and_read_in_it_as_written(store: Store, session: Session) -> None:
    other = again(store, session)
    with session.log.step():
        session.log.append(said("call", id="m-1"))
        session.log.append(said("result", id="m-2"))
        assert texts(session.log) == ["call", "result"]
        assert len(session.log) == 2
        assert (texts(other.log), len(other.log)) == ([], 0)
    assert texts(again(store, session).log) == ["call", "result"]


def test_a_step_that_fails_leaves_nothing(store: Store, session: Session) -> None:
    session.log.append(said("before", id="m-1"))
    talk = conversation(session)
    with suppress(ZeroDivisionError), session.log.step():
        say(talk, "U:task:2k A:answer")
        talk.transcript.append(shown(b"abc", id="picture"), media={digest(b"abc"): b"abc"})
        refuse_too_much(talk)
        talk.transcript.branch_from(None, why="edit")
        raise ZeroDivisionError
    assert blobs(store) == 0
    for log in (session.log, again(store, session).log):
        assert texts(log) == ["before"]
        assert (log.next_seq, log.branches) == (1, ("main",))


def test_who_believes_in_a_step_that_failed_writes_nothing_more(store: Store, session: Session) -> None:
    talk = conversation(session)
    with suppress(ZeroDivisionError), session.log.step():
        say(talk, "U:task")
        raise ZeroDivisionError
    with pytest.raises(Conflict):
        talk.user("on top of what is not there")
    say(conversation(session), "U:again")
    assert texts(again(store, session).log) == ["again"]


def test_a_refusal_in_a_step_is_seen_in_it_and_undone_with_it(store: Store, session: Session) -> None:
    Transcript(session.log).append(*messages("U:task A:answer U:pending"))
    with suppress(ZeroDivisionError), session.log.step():
        refuse_and_go_on(session.log)
        raise ZeroDivisionError
    assert ids(session.log, "main") == ids(again(store, session).log, "main") == "U:task A:answer U:pending"
    with session.log.step():
        refuse_and_go_on(session.log)
    assert ids(session.log, "main") == ids(again(store, session).log, "main") == "U:task A:answer U:smaller"


def refuse_and_go_on(log: Log) -> None:
    transcript = Transcript(log)
    transcript.record(RefusedEntry(("U:pending",), "too large"))
    assert [record.message.id for record in transcript.records] == ["U:task", "A:answer"]
    transcript.append(*messages("U:smaller"))
    assert ids(log, "main") == "U:task A:answer U:smaller"


def test_an_append_that_fails_takes_nothing_else_of_its_step_with_it(store: Store, session: Session) -> None:
    wrong = BranchEntry(branch="b" * 500, ancestry=(), why="import")
    with session.log.step():
        Transcript(session.log).append(*messages("U:task"))
        with pytest.raises(BadInput):
            session.log.append(*map(MessageEntry, messages("A:half")), RefusedEntry(("U:task",), "no"), wrong)
        Transcript(session.log).append(*messages("A:answer"))
    assert ids(session.log, "main") == ids(again(store, session).log, "main") == "U:task A:answer"
    assert session.log.next_seq == 2


def test_a_step_inside_a_step_belongs_to_it(session: Session) -> None:
    with suppress(ZeroDivisionError), session.log.step():
        with session.log.step():
            session.log.append(said("inner"))
        raise ZeroDivisionError
    assert texts(session.log) == []


def test_nothing_is_appended_to_a_branch_that_is_not(session: Session) -> None:
    with pytest.raises(NotFound):
        session.log.append(said("hello"), branch="branch-1")
    with pytest.raises(BadInput, match="branch"):
        session.log.append(BranchEntry(branch="b" * 500, ancestry=(), why="import"))
    assert session.log.append() == ()
    assert session.log.next_seq == 0


def test_an_entry_of_an_unknown_kind_is_kept_and_is_nothing_else(store: Store, session: Session) -> None:
    kinds = ["vote", "undo", "checkpoint", "branch", "message", "report done", "frame", "k" * 5_000]
    talk = conversation(session)
    say(talk, "U:task A:1500 U:more:1500 A:1500 U:next")
    talk.fit()
    made = session.log.append(*(UnknownEntry(kind, json.dumps({"type": kind, "for": [1, 2]})) for kind in kinds))
    opened = again(store, session).log
    assert tuple(opened.entries[-len(kinds) :]) == made
    assert (opened.damaged(), opened.branches) == ((), ("main",))
    assert Transcript(opened).in_force() == talk.transcript.in_force() != ((), ())
    assert Transcript(opened).frame == talk.transcript.frame != ""


def test_a_message_is_found_by_any_id(store: Store, session: Session) -> None:
    names = [*ODD, "m" * 10_000, "m" * 10_001, "\\#" + "0" * 64]
    Transcript(session.log).append(*(said("odd", id=name).message for name in names))
    opened = Transcript(again(store, session).log)
    assert list(opened.position) == [record.message.id for record in opened.records] == names
    assert [opened.position[name] for name in names] == list(range(len(names)))
    with pytest.raises(BadInput, match="already"):
        opened.append(said("again", id=names[-2]).message)


def test_any_text_comes_back(store: Store, session: Session) -> None:
    said_before = [*ODD, "x" * 1_000_000, "\ud800" * 20_000]
    talk = conversation(session, window=900_000)
    for text in said_before:
        talk.user(text)
    body = talk.fit().body()
    opened = again(store, session)
    assert texts(opened.log) == said_before
    assert opened.log.damaged() == ()
    assert conversation(opened, window=900_000).preview().body() == body


def test_a_message_goes_back_out_in_its_providers_own_form(store: Store) -> None:
    for dialect, form in FORMS.items():
        session = store.project("home").create(id=dialect)
        talk = Conversation(dialect=dialect, window=50_000, log=session.log)
        written = json.dumps(form, indent=1)
        talk.add(written)
        opened = Conversation(dialect=dialect, window=50_000, log=again(store, session).log)
        assert list(opened.preview().texts) == [written] == list(talk.fit().texts)


# -- branches, refusals, checkpoints


def test_rewind_edit_regenerate_and_fork_are_there_for_whoever_opens_the_session(
    store: Store, session: Session
) -> None:
    main = Transcript(session.log)
    main.append(*messages("U:task A:draft U:more A:final"))
    rewound = main.branch_from("A:draft", why="rewind")
    edited = rewound.branch_from("U:task", why="edit", inclusive=False)
    edited.append(*messages("U:other A:answer"))
    regenerated = main.branch_from("U:more", why="regenerate")
    regenerated.append(*messages("A:better"))
    opened = again(store, session).log
    assert opened.branches == ("main", "branch-1", "branch-2", "branch-3")
    assert [ids(opened, branch) for branch in opened.branches] == [
        "U:task A:draft U:more A:final",
        "U:task A:draft",
        "U:other A:answer",
        "U:task A:draft U:more A:better",
    ]
    assert Transcript(opened).branch == "branch-3"


def test_a_refused_message_is_out_of_its_branch_and_stays_in_the_log(store: Store, session: Session) -> None:
    talk = conversation(session)
    say(talk, "U:task A:answer")
    refuse_too_much(talk)
    say(talk, "U:small")
    opened = again(store, session).log
    assert ids(opened, "main") == "U:task A:answer U:small"
    kept = [entry.payload.message.id for entry in opened.entries if isinstance(entry.payload, MessageEntry)]
    assert "U:huge:9k" in kept
    assert conversation(again(store, session)).preview().body() == talk.fit().body()


def test_what_a_branch_refuses_of_its_ancestor_stays_there(store: Store, session: Session) -> None:
    main = Transcript(session.log)
    main.append(*messages("U:task A:answer U:pending"))
    forked = main.branch_from("U:pending", why="fork")
    forked.record(RefusedEntry(("U:pending",), "too large"))
    forked.append(*messages("U:smaller"))
    opened = again(store, session).log
    assert ids(opened, "main") == "U:task A:answer U:pending"
    assert ids(opened, "branch-1") == "U:task A:answer U:smaller"
    late = Transcript(opened, branch="branch-1").branch_from("A:answer", why="fork")
    assert [record.message.id for record in late.records] == ["U:task", "A:answer"]


def test_checkpoints_of_a_chain_are_in_force_for_whoever_opens_the_session(store: Store, session: Session) -> None:
    talk = conversation(session)
    say(talk, "U:task")
    for number in range(24):
        say(talk, f"A[c{number}] T(c{number}):{4_000 if number % 5 == 4 else 300}")
        body = talk.fit().body()
        opened = again(store, session)
        assert conversation(opened).preview().body() == body
        assert Transcript(opened.log).in_force() == talk.transcript.in_force()
    made = [entry.payload for entry in session.log.entries if isinstance(entry.payload, CheckpointEntry)]
    assert {payload.checkpoint.step for payload in made} == {True, False}


def test_an_undo_takes_back_what_was_in_force_and_an_undo_of_what_is_gone_does_nothing(
    store: Store, session: Session
) -> None:
    talk = conversation(session)
    say(talk, "U:task A:1500 U:more:1500 A:1500 U:next")
    first = talk.fit().checkpoint
    assert first is not None
    talk.transcript.record(UndoEntry(first.id))
    assert Transcript(again(store, session).log).in_force() == ((), ())
    second = talk.fit().checkpoint
    assert second is not None
    talk.transcript.record(*[UndoEntry(first.id), UndoEntry("nobody")] * 30)
    chain, _ = Transcript(again(store, session).log).in_force()
    assert [checkpoint.id for checkpoint in chain] == [second.id]
    talk.transcript.record(UndoEntry(second.id))
    assert Transcript(again(store, session).log).in_force() == ((), ())


def test_earlier_entries_are_byte_identical_after_any_number_of_fits(store: Store, session: Session) -> None:
    talk = conversation(session)
    say(talk, "U:task")
    stored: list[bytes] = []
    for number in range(12):
        say(talk, f"A[c{number}] T(c{number}):900")
        before = [encode_entry(entry) for entry in session.log.entries]
        for _ in range(3):
            talk.fit()
        after = [encode_entry(entry) for entry in again(store, session).log.entries]
        assert after[: len(before)] == before
        assert before[: len(stored)] == stored
        stored = before
    assert any(b'"checkpoint"' in line for line in stored)


def test_digests_are_those_of_a_log_in_memory(session: Session) -> None:
    plain = Log(session.id)
    for log in (session.log, plain):
        transcript = Transcript(log)
        transcript.append(*messages("U:task A:draft U:more"))
        transcript.record(RefusedEntry(("U:more",), "too large"))
        transcript.append(*messages("U:less"))
        transcript.branch_from("A:draft", why="fork").append(*messages("U:other"))
    assert [digests(entry) for entry in session.log.entries] == [digests(entry) for entry in plain.entries]


def digests(entry: Entry) -> tuple[str, str, str]:
    return entry.log_digest, entry.transcript_digest, entry.normal_digest


def test_prices_of_another_counter_are_never_taken_for_those_of_the_session(store: Store) -> None:
    session = store.project("home").create(id="s-1")
    other = Transcript(session.log, counter=EstimateCounter())
    other.append(*messages("U:task:700 A:answer:300"))
    session.log.append(*map(MessageEntry, messages("U:raw:400")))
    opened = Transcript(again(store, session).log)
    counted = Transcript(Log.restore("s-1", session.log.entries, counter=session.log.counter, media={}))
    assert opened.counter.name == counted.counter.name == session.log.counter != other.counter.name
    assert (opened.total, list(opened.records)) == (counted.total, list(counted.records))
    assert (
        Transcript(again(store, session).log, counter=EstimateCounter()).total.text.tokens != opened.total.text.tokens
    )


def test_a_session_whose_counter_is_not_installed_is_counted_anew(store: Store) -> None:
    session = store.project("home").create(id="s-1", counter="another/1")
    Transcript(session.log).append(*messages("U:task:700 A:answer:300"))
    opened = Transcript(again(store, session).log)
    assert opened.counter.name != "another/1"
    assert opened.total == Transcript(Log.restore("s-1", session.log.entries, counter="another/1", media={})).total
    opened.append(*messages("U:more"))
    assert texts(again(store, session).log)[-1:] == texts(opened.log)[-1:]
