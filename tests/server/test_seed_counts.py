"""Three counts, because "we dropped three messages" is not "we summarised the earlier part"."""

from __future__ import annotations

from collections import Counter

from tests.server.seed_scene import Talker, first_fit, house, reading, worked
from unabridged.server.settings import ClientTool


def test_dropped_is_we_dropped_messages_and_compacted_is_we_summed_up_the_earlier_part(place: str) -> None:
    with house(place, Talker()) as made:
        trims, sums = made.project("trims"), made.project("sums", policy={"strategy": "summarize"})
        trimmed, summed = first_fit(trims), first_fit(sums)
        states = [
            Counter(m["context"]["state"] for m in chat.messages(came.session))
            for chat, came in ((trims, trimmed), (sums, summed))
        ]
        last = made.asked[-1]["messages"]
    dropped, compacted = trimmed.report, summed.report
    assert (dropped["dropped"] > 0, dropped.get("compacted", 0)) == (True, 0)
    assert (compacted["compacted"] > 0, compacted.get("dropped", 0)) == (True, 0)
    assert (states[0]["dropped"], states[0]["compacted"]) == (dropped["dropped"], 0)
    assert (states[1]["compacted"], states[1]["dropped"]) == (compacted["compacted"], 0)
    assert any("Archived History Summary" in str(message["content"]) for message in last)


def test_truncated_is_messages_that_are_still_there_with_something_cut_out(file: str) -> None:
    with house(file, reading(8)) as made:
        chat = made.project(client_tools=(ClientTool(name="read"),))
        came = worked(chat, 8, 900)
        states = Counter(message["context"]["state"] for message in chat.messages(came[0].session))
        shortened = [m for m in made.asked[-1]["messages"] if "[context: shortened" in str(m["content"])]
    counted = sum(report.get("truncated", 0) for turn in came for report in turn.of("context"))
    assert counted > 0
    assert states["truncated"] == len(shortened)
    assert (states["dropped"], states["compacted"]) == (0, 0)
