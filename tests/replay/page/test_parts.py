"""Differences between what is stored and what was shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unabridged.message import Media, MediaKind, Reasoning, Text, ToolCall, ToolResult
from unabridged.replay.page.parts import difference, shown, units

# Few characters, so that beginnings and ends often agree; one of them takes two units in JavaScript.
TEXTS = st.text("ab\n\U0001f642\ud83d\ude42", max_size=12)


@given(TEXTS, TEXTS)
def test_a_difference_gives_the_text_back(before: str, after: str) -> None:
    head, middle, tail = difference(before, after)

    stored = before.encode("utf-16-le", "surrogatepass")
    made = stored[: 2 * head] + middle.encode("utf-16-le", "surrogatepass") + stored[len(stored) - 2 * tail :]
    assert made == after.encode("utf-16-le", "surrogatepass")


def test_characters_beyond_the_first_plane_count_as_two() -> None:
    assert units("a\U0001f642\ud800") == 4


def test_what_is_the_same_is_only_named() -> None:
    parts = (Text("one"), ToolCall("c", "read", "{}"))

    assert shown(parts, parts) == [["=", 0], ["=", 1]]


def test_a_cut_is_its_two_ends_and_what_stands_between_them() -> None:
    result = ToolResult("c", (Text("head" + "x" * 90 + "tail"),))
    cut = ToolResult("c", (Text("head[cut]tail"),))

    assert shown((cut,), (result,)) == [["p", 0, [["d", 0, 4, "[cut]", 4]]]]


def test_where_reasoning_was_left_out_the_others_still_find_what_they_were_made_from() -> None:
    stored = (Reasoning("why", "s"), Text("so"), ToolCall("c", "write", '{"text":"' + "x" * 40 + '"}'))
    cut = ToolCall("c", "write", '{"text":"xx[cut]"}')

    assert shown((stored[1], cut), stored) == [["=", 1], ["d", 2, 11, "[cut]", 2]]


def test_a_picture_that_gave_way_to_a_marker_is_told_whole() -> None:
    picture = Media(kind=MediaKind.IMAGE, mime="image/png", size=10)

    assert shown((Text("[gone]"),), (picture,)) == [["t", "[gone]"]]
