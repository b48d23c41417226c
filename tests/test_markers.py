"""Markers say what was taken out, how much, and how to get it back."""

from __future__ import annotations

import pytest

from unabridged import markers
from unabridged.message import Media, MediaKind


def test_a_shortened_text_says_how_much_of_it_is_shown() -> None:
    assert markers.shortened(((0, 2_431), (79_782, 81_402)), 81_402) == (
        "[context: shortened, showing the first 2,431 and the last 1,620 of 81,402 characters; "
        "run the tool again for the rest]"
    )


def test_a_text_that_keeps_its_head_alone_names_no_tail() -> None:
    assert markers.shortened(((0, 10),), 500) == (
        "[context: shortened, showing the first 10 of 500 characters; run the tool again for the rest]"
    )


def test_a_shortened_text_with_a_handle_says_where_the_rest_is() -> None:
    assert markers.shortened(((0, 10),), 500, handle="m7") == (
        "[context: shortened, showing the first 10 of 500 characters; read_history(id='m7') gives the rest]"
    )


@pytest.mark.parametrize(
    ("media", "marker"),
    [
        (
            Media(kind=MediaKind.IMAGE, mime="image/png", width=1280, height=800),
            "[context: an image was here (image/png, 1280x800); it is no longer visible to you]",
        ),
        (Media(kind=MediaKind.IMAGE), "[context: an image was here (unknown type); it is no longer visible to you]"),
        (
            Media(kind=MediaKind.DOCUMENT, mime="application/pdf"),
            "[context: a document was here (application/pdf); it is no longer visible to you]",
        ),
        (
            Media(kind=MediaKind.AUDIO, mime="audio/wav"),
            "[context: a recording was here (audio/wav); it is no longer visible to you]",
        ),
        (
            Media(kind=MediaKind.VIDEO, mime="video/mp4"),
            "[context: a video was here (video/mp4); it is no longer visible to you]",
        ),
    ],
    ids=["image", "unknown", "document", "audio", "video"],
)
def test_removed_media_say_what_they_were(media: Media, marker: str) -> None:
    assert markers.removed_media(media) == marker


@pytest.mark.parametrize(
    ("count", "says"),
    [(1, "1 earlier message is"), (42, "42 earlier messages are"), (1_200, "1,200 earlier messages are")],
)
def test_dropped_messages_are_counted(count: int, says: str) -> None:
    assert markers.dropped(count) == (f"[context: {says} not shown; ask, or run a tool again, for what you need]")


def test_dropped_messages_name_the_search_only_where_there_is_one() -> None:
    assert "search_history" not in markers.dropped(3)
    assert "search_history finds what they said" in markers.dropped(3, searchable=True)


def test_a_closed_call_warns_that_its_outcome_is_uncertain() -> None:
    assert markers.interrupted() == (
        "[context: this call has no result: it was interrupted, its outcome is uncertain; inspect before retrying]"
    )


def test_an_orphan_says_how_long_it_was() -> None:
    assert markers.orphaned(1_200) == "[context: a tool result without its call was left out, 1,200 characters]"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (markers.empty(), True),
        (markers.begins(), True),
        (f"{markers.empty()} and more", False),
        (f"Look: {markers.empty()}", False),
    ],
)
def test_only_a_whole_text_is_a_marker(text: str, is_one: bool) -> None:
    assert markers.is_marker(text) is is_one
