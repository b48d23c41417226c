"""`import --into` and `export --from`: conversations as sessions of a store, and logs there and back as they are."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from typer.testing import CliRunner, Result

from tests.importers.samples import SAMPLES
from tests.properties.events import Story
from tests.properties.stories import stories
from tests.properties.walking import COUNTER, Walker
from unabridged import Conversation, Usage
from unabridged.cli import application
from unabridged.importers import read_file
from unabridged.log import Log
from unabridged.message import Message
from unabridged.store import open_store
from unabridged.store.filing import file_log, is_whole, title_of, write_session
from unabridged.store.jsonl import JsonlWriter, read_log
from unabridged.testing.notation import say
from unabridged.transfer.options import FORMATS


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNABRIDGED_STORE", str(tmp_path / "own" / "sessions.db"))
    (tmp_path / "talk.jsonl").write_bytes(SAMPLES["Claude Code session"])
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(application(), list(map(str, arguments)), env={"COLUMNS": "200"})


def told(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def logged(path: Path, task: str = "task") -> Log:
    """Write a log with branches, checkpoints, usage, a picture and a large output."""
    session = "s-1"
    log = Log(session, counter=Conversation(model="m").transcript.counter.name)
    talk = Conversation(model="m", window=8_000, max_tokens=500, log=log)
    say(talk, "U{img}:" + task)
    for number in range(12):
        fitted = talk.fit()
        talk.answered(Usage(input=fitted.sent.price))
        say(talk, f"A[c{number}] T(c{number}):{4_000 if number == 2 else 700}")
    talk.transcript.branch_from(talk.transcript.records[4].message.id, why="rewind")
    say(Conversation(model="m", window=8_000, log=log), "U:again A:done")
    with JsonlWriter(path, session=session, counter=log.counter) as writer:
        writer.append(log.entries, log.media)
    return log


class TestLogs:
    def test_there_and_back_a_log_is_the_same_file(self, here: Path) -> None:
        log = logged(here / "log.jsonl")
        said = run("import", "log.jsonl", "--into", "store.db", "--project", "p")
        assert (said.exit_code, said.stderr) == (0, "")
        assert said.stdout == f"log.jsonl: session s-1 in store.db, project p, {len(log):,} entries\n"

        said = run("export", "s-1", "--from", "store.db", "--project", "p", "--to", "log", "-o", "back.jsonl")
        assert (said.exit_code, said.stderr) == (0, "")
        assert (here / "back.jsonl").read_bytes() == (here / "log.jsonl").read_bytes()

    def test_the_session_is_the_one_that_the_log_was(self, here: Path) -> None:
        log = logged(here / "log.jsonl")
        run("import", "log.jsonl", "--into", "store.db")

        with open_store("store.db") as store:
            project = store.project("default")
            stored = project.open("s-1").log
            assert stored.entries == log.entries
            assert stored.branches == log.branches
            assert stored.damaged() == ()
            assert dict(stored.media)[next(iter(log.media))] == log.media[next(iter(log.media))]
            head = project.head("s-1")
            assert (head.title, head.created) == ("task", log.entries[0].time)
            one, other = (Conversation(model="m", window=8_000, log=each) for each in (log, stored))
            assert one.fit().body() == other.fit().body()

    def test_once_more_is_nothing_new_and_what_was_added_is_brought(self, here: Path) -> None:
        log = logged(here / "log.jsonl")
        run("import", "log.jsonl", "--into", "store.db")
        said = run("import", "log.jsonl", "--into", "store.db")
        assert said.exit_code == 0
        assert said.stdout.endswith("entries, 0 of them new\n")

        with JsonlWriter(here / "log.jsonl", session="s-1") as writer:
            start = log.next_seq
            say(Conversation(model="m", log=log), "U:more")
            writer.append(log.since(start), log.media)
        assert run("import", "log.jsonl", "--into", "store.db").stdout.endswith("entries, 1 of them new\n")

    def test_another_log_of_the_same_session_is_refused(self, here: Path) -> None:
        logged(here / "one.jsonl")
        logged(here / "two.jsonl", "other")
        run("import", "one.jsonl", "--into", "store.db")
        said = run("import", "two.jsonl", "--into", "store.db")

        assert (said.exit_code, said.stdout) == (1, "")
        assert said.stderr == "session 's-1' is in project 'default' already, and is another\n"

    def test_a_packed_log_is_unpacked(self, here: Path) -> None:
        logged(here / "log.jsonl")
        (here / "packed.gz").write_bytes(gzip.compress((here / "log.jsonl").read_bytes()))
        assert run("import", "packed.gz", "--into", "store.db").exit_code == 0

    def test_of_a_damaged_log_the_messages_are_imported(self, here: Path) -> None:
        log = logged(here / "log.jsonl")
        lines = (here / "log.jsonl").read_bytes().splitlines(keepends=True)
        (here / "log.jsonl").write_bytes(b"".join(lines[:9] + lines[10:]))
        said = run("import", "log.jsonl", "--into", "store.db", "--json")

        assert said.exit_code == 0
        kept = told(said)
        assert any("gap_in_seq" in problem for problem in kept[0]["problems"])
        assert all(each["entries"] < len(log) for each in kept)
        assert [each["session"] for each in kept] == ["s-1", "s-1-main"]

    def test_a_log_that_a_crash_cut_off_is_kept_as_it_is(self, here: Path) -> None:
        logged(here / "log.jsonl")
        whole = (here / "log.jsonl").read_bytes()
        (here / "log.jsonl").write_bytes(whole[:-30])
        (kept,) = told(run("import", "log.jsonl", "--into", "store.db", "--json"))

        assert kept["session"] == "s-1"
        assert any("torn_last_line" in problem for problem in kept["problems"])
        assert kept["entries"] == len(read_log(here / "log.jsonl").entries)

    def test_one_branch_can_be_taken_alone(self, here: Path) -> None:
        logged(here / "log.jsonl")
        said = run("import", "log.jsonl", "--into", "store.db", "--conversation", "main")
        assert said.exit_code == 0
        with open_store("store.db") as store:
            (head,) = store.project("default").sessions()
            assert store.project("default").open(head.id).log.branches == ("main",)


class TestConversations:
    @pytest.mark.parametrize("name", sorted(SAMPLES))
    def test_every_format_becomes_sessions_and_comes_back(self, here: Path, name: str) -> None:
        (here / "file").write_bytes(SAMPLES[name])
        originals = read_file(here / "file")
        said = run("import", "file", "--into", "default", "--json")
        assert said.exit_code == 0, said.stderr
        kept = told(said)
        assert len(kept) == 1 if name == "unabridged log" else len(kept) == len(originals)

        ids = [each["session"] for each in kept]
        assert run("export", *ids, "--from", "default", "--to", "log", "-o", "out").exit_code == 0 or len(ids) == 1
        with open_store(here / "own" / "sessions.db") as store:
            for each, original in zip(kept, originals, strict=False):
                log = store.project("default").open(each["session"]).log
                assert messages(log) == list(original.messages)

    def test_a_title_is_what_a_person_said_first(self, here: Path) -> None:
        (kept,) = told(run("import", "talk.jsonl", "--into", "default", "--json"))
        assert kept["title"] == "Which tests fail?"
        assert kept["store"] == str(here / "own" / "sessions.db")
        assert "Which tests fail?" in run("sessions").stdout

    def test_the_same_file_twice_is_one_line(self, here: Path) -> None:
        run("import", "talk.jsonl", "--into", "default")
        said = run("import", "talk.jsonl", "--into", "default")
        assert (said.exit_code, said.stdout) == (1, "")
        assert "project 'default' has it already, as session " in said.stderr

    def test_a_bad_file_is_one_line_and_the_others_are_imported(self, here: Path) -> None:
        (here / "bad.txt").write_text("Dear diary\n\n")
        said = run("import", "bad.txt", "missing.jsonl", "talk.jsonl", "--into", "default")

        assert said.exit_code == 1
        assert [line.partition(":")[0] for line in said.stderr.splitlines()] == ["bad.txt", "missing.jsonl"]
        assert len(run("sessions").stdout.splitlines()) == 1

    @pytest.mark.parametrize("to", FORMATS)
    def test_a_session_is_written_in_every_format(self, here: Path, to: str) -> None:
        (kept,) = told(run("import", "talk.jsonl", "--into", "default", "--json"))
        said = run("export", kept["session"], "--from", "default", "--to", to, "-o", "out")

        assert said.exit_code == 0, said.stderr
        (back,) = read_file(here / "out")
        assert next(message.text for message in back.messages if message.is_human) == "Which tests fail?"

    def test_a_branch_of_a_session_can_be_exported(self, here: Path) -> None:
        logged(here / "log.jsonl")
        run("import", "log.jsonl", "--into", "default")
        for branch, last in (("main", "tool"), ("branch-1", "assistant")):
            name = "s-1" if branch == "branch-1" else branch
            said = run("export", "s-1", "--from", "default", "--to", "openai", "--conversation", name, "-o", branch)
            assert said.exit_code == 0, said.stderr
            assert json.loads((here / branch).read_text())["messages"][-1]["role"] == last

    def test_a_session_that_is_not_there_is_one_line_and_the_others_are_exported(self, here: Path) -> None:
        logged(here / "log.jsonl")
        run("import", "log.jsonl", "--into", "default")
        said = run("export", "nobody", "s-1", "--from", "default", "--to", "log", "-o", "out")

        assert said.exit_code == 1
        assert said.stderr == "no session 'nobody' in project 'default': `unabridged sessions` lists them\n"
        assert [path.name for path in (here / "out").iterdir()] == ["s-1.unabridged.jsonl"]

    def test_where_no_store_is_nothing_is_exported_or_made(self, here: Path) -> None:
        said = run("export", "x", "--from", "missing.db", "--to", "log")
        assert (said.exit_code, said.stdout) == (1, "")
        assert len(said.stderr.splitlines()) == 1
        assert not (here / "missing.db").exists()


@pytest.mark.parametrize(
    "options",
    [
        ["import", "talk.jsonl", "--project", "p"],
        ["import", "talk.jsonl", "--into", "a.db", "-o", "b"],
        ["export", "talk.jsonl", "--to", "log", "--project", "p"],
        ["export", "s", "--from", "a.db", "--to", "log", "-o", "-"],
    ],
)
def test_options_that_cannot_work_exit_with_2(here: Path, options: list[str]) -> None:
    assert run(*options).exit_code == 2


def messages(log: Log) -> list[Message]:
    return [record.message for record in Conversation(model="m", log=log).transcript.records]


def test_a_title_is_one_short_line() -> None:
    talk = Conversation(model="m")
    talk.user("\n  First\nline " + "and more " * 100)
    title = title_of(record.message for record in talk.transcript.records)
    assert title.startswith("First line and more")
    assert len(title) == 80
    assert title_of([]) == ""


@given(stories(most_events=20))
@settings(max_examples=15, phases=(Phase.explicit, Phase.generate))
def test_any_story_goes_into_a_store_and_comes_back_as_the_same_file(
    tmp_path_factory: pytest.TempPathFactory, story: Story
) -> None:
    folder = tmp_path_factory.mktemp("story")
    walker = Walker(story)
    walker.transcript.log.counter = COUNTER.name
    for _ in walker.walk():
        pass
    log = walker.transcript.log
    with JsonlWriter(folder / "log", session=log.session, counter=log.counter, fsync=False) as writer:
        writer.append(log.entries, log.media)
    opened = read_log(folder / "log")
    assert is_whole(opened)
    with open_store(":memory:") as store:
        filed = file_log(store.project("p"), opened)
        session = store.project("p").open(filed.session)
        assert session.log.entries == log.entries
        write_session(session, folder / "back")
    assert (folder / "back").read_bytes() == (folder / "log").read_bytes()
