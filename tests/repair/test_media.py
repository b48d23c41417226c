"""Pictures stay within what a request to Anthropic may carry."""

from __future__ import annotations

from tests.repair.mending import anthropic, openai


def pictures(count: int, size: str) -> str:
    return " ".join(f"U{{img:{size}}}:p A" for _ in range(count))


def test_twenty_large_pictures_are_accepted() -> None:
    mended = anthropic(f"U:task A {pictures(20, '2048x100')}")
    assert mended.items == mended.came


def test_with_more_than_twenty_the_large_ones_give_way_to_markers() -> None:
    mended = anthropic(f"U:task A {pictures(1, '2048x100')} {pictures(20, '800x600')}")
    assert str(mended).startswith("U:task A U{-img}:p A U{img:800x600}:p A")
    assert mended.repairs == {"media": 1}


def test_the_marker_says_what_the_picture_was() -> None:
    mended = anthropic(f"U:task A {pictures(1, '2048x100')} {pictures(20, '800x600')}")
    assert mended.sent()[2]["content"] == [
        {"type": "text", "text": "p"},
        {"type": "text", "text": "[context: an image was here (image/png, 2048x100); it is no longer visible to you]"},
    ]


def test_above_a_hundred_the_oldest_go() -> None:
    mended = anthropic(f"U:task A {pictures(103, '80x60')}")
    assert str(mended).split()[2:10:2] == ["U{-img}:p", "U{-img}:p", "U{-img}:p", "U{img:80x60}:p"]
    assert mended.repairs == {"media": 3}


def test_pictures_in_results_count_too() -> None:
    batch = "A[c1] T(c1){img:2048x100}"
    mended = anthropic(f"U:task {batch} {pictures(20, '800x600')}")
    assert str(mended).startswith("U:task A[c1] T(c1-img) U{img:800x600}:p")


def test_other_providers_take_them() -> None:
    mended = openai(f"U:task A {pictures(25, '2048x100')}")
    assert mended.items == mended.came
