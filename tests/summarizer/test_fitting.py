from __future__ import annotations

import pytest

from tests.summarizer.spans import assistant, called, client_summary, ran, record_of, summary_of, tokens, user
from unabridged.message import Message
from unabridged.summarizer.record import Change, Part


def edited(path: str) -> list[Message]:
    return called("Edit", {"file_path": path, "old_string": "x"})


def opened(path: str) -> list[Message]:
    return called("Read", {"file_path": path})


TALK = [
    piece for n in range(80) for piece in (user(f"I see, part {n} " + "as well " * 12), assistant(f"Part {n} is done."))
]
WORK = [
    *(message for n in range(30) for message in opened(f"/repo/src/read_{n}.py")),
    *(message for n in range(30) for message in ran(f"make part-{n}", "fine")),
]


@pytest.mark.parametrize("limit", [150, 250, 400, 800])
def test_demands_and_open_to_dos_stay_when_everything_else_has_to_leave(limit: int) -> None:
    listed = called("TodoWrite", {"todos": [{"content": "write the manual", "status": "pending"}]})
    text = summary_of(user("Never touch secrets.txt."), TALK, WORK, listed, TALK, limit=limit)
    assert "> Never touch secrets.txt." in text
    assert "- [ ] write the manual" in text
    assert tokens(text) <= limit


def test_short_words_that_demand_nothing_leave_before_demands() -> None:
    yes = [piece for n in range(300) for piece in (user(f"yes {n}"), assistant(f"Part {n}."))]
    rules = [f"Never use the module number {n} of the old tree again." for n in range(20)]
    said = {words for item in record_of(*(user(rule) for rule in rules), yes, limit=700).rounds for words in item.said}
    assert said >= set(rules)


def test_of_demands_the_short_ones_stay() -> None:
    long = "You must never use any of these, as I said before: " + "the module of the old tree, " * 40
    said = {words for item in record_of(user("Use tabs only."), user(long), limit=200).rounds for words in item.said}
    assert "Use tabs only." in said
    assert long not in said


def test_one_long_demand_leaves_room_for_the_rest() -> None:
    long = "You must never use this. " * 600
    record = record_of(user(long), edited("/repo/a.py"), ran("make", "Exit code 1\nboom", error=True), limit=500)
    assert [file.path for file in record.files] == ["/repo/a.py"]
    assert len(record.failures) == 1


def test_modified_files_stay_when_those_that_were_read_leave() -> None:
    record = record_of(edited("/repo/kept.py"), *(opened(f"/repo/read_{n}.py") for n in range(400)))
    assert record.files[0].path == "/repo/kept.py"
    assert record.left_of(Part.FILES) == 401 - len(record.files) > 0


def test_files_written_for_a_moment_leave_before_files_that_were_modified() -> None:
    record = record_of(
        edited("/repo/kept.py"),
        *(called("Write", {"file_path": f"/tmp/x_{n}", "content": ""}) for n in range(400)),
        TALK,
        limit=900,
    )
    assert [file.path for file in record.files if file.change is Change.EDITED] == ["/repo/kept.py"]


def test_open_failures_stay_when_mended_ones_leave() -> None:
    broken = ran("make broken", "Exit code 2\nboom", error=True)
    mended = [
        message
        for n in range(40)
        for message in (*ran(f"make {n}", "Exit code 2", error=True), *ran(f"make {n}", "fine"))
    ]
    record = record_of(broken, mended, limit=1_500)
    assert "make broken" in [run.what for run in record.failures]
    assert record.left_of(Part.FAILURES) == 41 - len(record.failures) > 0


def test_commands_that_left_something_stay_when_others_leave() -> None:
    commit = ran("git commit -am x", "[main 9759b67d] the parser\n 1 file changed")
    record = record_of(commit, *(ran(f"make part-{n}", "fine\nfine") for n in range(200)), limit=1_200)
    assert record.commands[0].says == "[main 9759b67d] the parser"


@pytest.mark.parametrize("part", [Part.FILES, Part.COMMANDS, Part.FAILURES])
def test_what_is_not_listed_is_counted(part: Part) -> None:
    pieces = {
        Part.FILES: [opened(f"/repo/read_{n}.py") for n in range(60)],
        Part.COMMANDS: [ran(f"make part-{n}", "fine") for n in range(60)],
        Part.FAILURES: [ran(f"make part-{n}", "Exit code 1", error=True) for n in range(60)],
    }
    record = record_of(*pieces[part], limit=300)
    assert len(record.listed(part)) + record.left_of(part) == 60
    assert "more" in summary_of(*pieces[part], limit=300)


def test_what_a_client_summed_up_has_its_share_beside_much_talk() -> None:
    prose = "The parser was rewritten from scratch. " * 200
    record = record_of(client_summary(prose), TALK, limit=1_000)
    assert 250 <= tokens(record.prose) <= 450


def test_recent_rounds_are_told_at_length_and_older_ones_in_brief() -> None:
    told = [
        piece for n in range(12) for piece in (user(f"what about {n}?"), assistant(f"Answer {n}. " + "It is so. " * 70))
    ]
    notes = [item.notes[-1] for item in record_of(told, limit=1_500).rounds if item.notes]
    assert len(notes[0]) < 300 < len(notes[-1])


def test_a_limit_that_holds_nothing_gives_nothing() -> None:
    assert summary_of(user("Never touch secrets.txt."), limit=10) == ""
