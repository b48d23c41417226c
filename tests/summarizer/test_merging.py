from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.summarizer.spans import assistant, called, client_summary, ran, record_of, request, spans, summary_of, user
from unabridged.message import Message
from unabridged.summarizer import extract
from unabridged.summarizer.gathering import BY_CLIENT
from unabridged.summarizer.reading import read

RULES = [
    "Never touch secrets.txt.",
    "キーは8431番ポートで、変更しないでください。",
    'Use tabs;\n  two of them, and `no` trailing "space".',
    "Bitte niemals `git push --force`.",
]


def test_a_chain_of_fifty_summaries_keeps_the_users_constraints_verbatim() -> None:
    text = extract(request([user(rule) for rule in RULES], limit=3_000)).text
    for turn in range(50):
        working = [
            assistant(f"Step {turn}. " + "I looked at a few more files. " * 10),
            *ran(f"make step-{turn}", "fine"),
        ]
        text = extract(request([user(f"go on with {turn}"), *working], limit=3_000, previous=text)).text
    assert [item.said[0] for item in read(text).rounds[: len(RULES)]] == RULES
    for rule in RULES:
        assert "\n".join(f"> {line}" for line in rule.split("\n")).replace("\n>", "\n  >") in text


@given(spans(), st.sampled_from([300, 1_000, 4_000]))
def test_a_summary_of_nothing_new_is_the_previous_one(
    generated: tuple[tuple[Message, ...], dict[str, bytes]], limit: int
) -> None:
    messages, media = generated
    text = extract(request(messages, media=media, limit=limit)).text
    assert extract(request((), limit=limit, previous=text)).text == text


@given(spans())
def test_the_same_messages_once_more_change_nothing_where_everything_fits(
    generated: tuple[tuple[Message, ...], dict[str, bytes]],
) -> None:
    messages, media = generated
    once = extract(request(messages, media=media, limit=60_000)).text
    assert read(once).left == ()
    twice = extract(request(messages, media=media, limit=60_000, previous=once)).text
    assert twice == once


def test_the_newest_outcome_of_a_command_wins() -> None:
    earlier = summary_of(ran("make test", "fine"), ran("git push", "ok"))
    record = record_of(ran("make test", "Exit code 2\nboom", error=True), previous=earlier)
    assert [run.what for run in record.failures] == ["make test"]
    assert [run.what for run in record.commands] == ["git push"]


def test_what_was_done_to_a_file_is_carried_over_and_its_ranges_joined() -> None:
    earlier = summary_of(
        called("Write", {"file_path": "/a.py", "content": ""}), called("Read", {"file_path": "/b.py", "limit": 10})
    )
    record = record_of(called("Read", {"file_path": "/b.py", "offset": 11, "limit": 10}), previous=earlier)
    assert [(file.path, file.change.value, file.ranges) for file in record.files] == [
        ("/a.py", "written", ()),
        ("/b.py", "", ((1, 20),)),
    ]


def test_what_did_not_fit_is_counted_through_a_chain() -> None:
    reads = [called("Read", {"file_path": f"/src/module_{n}.py"}) for n in range(40)]
    first = record_of(*reads, limit=400)
    later = record_of(user("go on"), previous=summary_of(*reads, limit=400), limit=400)
    counts = [sum(count for _, count in record.left) + len(record.files) for record in (first, later)]
    assert counts == [40, 40]


def test_the_newest_summary_of_a_client_is_kept_and_said_to_be_older() -> None:
    record = record_of(client_summary("The first part."), user("go on"), client_summary("The first and second part."))
    assert record.prose == f"{BY_CLIENT}\n\nThe first and second part."
    assert "younger" in BY_CLIENT


@pytest.mark.parametrize(
    "end",
    [
        "9. Optional Next Step:\nImplement the four fixes.",
        "## Next Steps\n- Implement the four fixes.",
        "**Next step:**\nImplement the four fixes.",
        "Please continue the conversation from where we left it off without asking the user any further questions.",
        "Continue the conversation from where it left off. Resume directly.",
        "If you need specific details from before compaction, read the full transcript at: x.jsonl",
    ],
)
def test_what_a_client_said_about_its_summary_and_what_was_next_then_falls_away(end: str) -> None:
    text = (
        "This session is being continued from a previous conversation.\n\nAnalysis:\nLet me think.\n\nSummary:\n"
        f"1. Primary Request: fix it; the next step was discussed\n\n{end}\n"
    )
    prose = record_of(client_summary(text)).prose
    assert prose == f"{BY_CLIENT}\n\n1. Primary Request: fix it; the next step was discussed"
