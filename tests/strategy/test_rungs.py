"""The rungs of the ladder: what each takes, and what it leaves."""

from __future__ import annotations

import json

import pytest

from tests.scene import Scene
from unabridged.message import Message, Origin, Role, Text, ToolResult
from unabridged.plan import CutKind, Reason
from unabridged.strategy.rungs import fair
from unabridged.testing.notation import tokens

REST = "A[z] T(z):1.4k A:done:3.4k U:next A:done U:last"
"""Behind about 1,400 tokens it makes the request reach its budget, and leaves room again once these are stubs."""
MADE_OF_REST = "A[z] T(z~) A:done:3.4k U:next A:done U:last"


@pytest.mark.parametrize(
    ("sizes", "room", "shares"),
    [
        ([100, 100, 100], 300, [100, 100, 100]),
        ([100, 100, 100], 30, [10, 10, 10]),
        ([10, 500, 500], 210, [10, 100, 100]),  # what is small stays whole
        ([500, 10, 300], 610, [300, 10, 300]),
        ([500, 10, 300], 1_000, [500, 10, 300]),
        ([100, 100], -5, [0, 0]),
        ([], 100, []),
    ],
)
def test_room_is_shared_max_min_fair(sizes: list[int], room: int, shares: list[int]) -> None:
    assert fair(sizes, room) == shares


def test_an_old_output_becomes_a_stub_of_head_and_tail() -> None:
    scene = Scene(f"U:task A[c1] T(c1):1.4k {REST}")
    fitted = scene.fit()
    (size,) = scene.sizes(fitted, "T(c1):1.4k")
    assert 60 < size <= 120
    original = tokens(1_400, "T(c1):1.4k")
    head, marker, tail = str(fitted.messages()[2]["content"]).split("\n")
    assert original.startswith(head)
    assert original.endswith(tail)
    assert marker.startswith("[context: shortened, showing the first ")


def test_the_last_output_to_be_cut_is_cut_only_as_far_as_needed() -> None:
    scene = Scene(f"U:task A[c1] T(c1):1.4k {REST}")
    fitted = scene.fit()
    assert fitted.report is not None
    assert 120 < scene.sizes(fitted, "T(z):1.4k")[0] < 1_400
    assert fitted.report.target - 60 <= fitted.tokens <= fitted.report.target


def test_a_short_output_is_left_alone() -> None:
    scene = Scene(f"U:task A[c1] T(c1):190 A[c2] T(c2):1.4k {REST}")
    assert scene.view() == f"U:task A[c1] T(c1):190 A[c2] T(c2~) {MADE_OF_REST}"


def test_cut_arguments_stay_json_with_the_same_keys_and_types() -> None:
    scene = Scene(f"U:task A[c1:1.4k] T(c1) {REST}")
    shown = json.loads(scene.fit().messages()[1]["tool_calls"][0]["function"]["arguments"])
    assert {key: type(value) for key, value in shown.items()} == {
        "path": str,
        "line": int,
        "content": str,
        "force": bool,
    }
    assert (shown["path"], shown["line"], shown["force"]) == ("a.py", 3, True)
    assert "[context: shortened, showing the first " in shown["content"]


def test_cut_arguments_stay_an_object_in_the_other_dialect() -> None:
    scene = Scene(f"U:task A[c1:1.4k] T(c1) {REST}", dialect="anthropic")
    shown = scene.fit().messages()[1]["content"][0]["input"]
    assert (shown["path"], shown["line"], shown["force"]) == ("a.py", 3, True)
    assert "[context: shortened, showing the first " in shown["content"]


def test_a_message_whose_arguments_are_cut_loses_its_signed_reasoning() -> None:
    scene = Scene(f"U:task A{{think}}[c1:1.4k] T(c1) {REST}", dialect="anthropic")
    assert scene.view() == f"U:task A[c1~] T(c1) {MADE_OF_REST}"


def test_reasoning_stays_where_only_the_output_is_cut() -> None:
    scene = Scene(f"U:task A{{think}}[c1] T(c1):1.4k {REST}", dialect="anthropic")
    assert scene.view() == f"U:task A{{think}}[c1] T(c1~) {MADE_OF_REST}"


def test_a_batch_of_calls_keeps_the_arguments_that_are_short() -> None:
    scene = Scene(f"U:task A[c1:1.4k,c2] T(c1) T(c2) {REST}")
    assert scene.view() == f"U:task A[c1~,c2] T(c1) T(c2) {MADE_OF_REST}"


def test_old_pictures_give_way_to_markers_oldest_first() -> None:
    scene = Scene("U:task " + "U{img}:look A " * 10 + "U:next")
    assert scene.view() == "U:task " + "U{-img}:look A " * 6 + "U{img}:look A " * 4 + "U:next"


def test_a_removed_picture_leaves_a_marker_in_its_place() -> None:
    scene = Scene("U:task U{img} A[z] T(z):1.45k A:done:3.9k U:next A:done U:last")
    assert scene.fit().messages()[1]["content"] == [
        {"type": "text", "text": "[context: an image was here (image/png, 800x600); it is no longer visible to you]"}
    ]


def test_pictures_in_outputs_give_way_too() -> None:
    scene = Scene("U:task A[c1] T(c1){img} A[z] T(z):1.45k A:done:3.9k U:next A:done U:last", dialect="anthropic")
    assert scene.view() == "U:task A[c1] T(c1-img) A[z] T(z~) A:done:3.9k U:next A:done U:last"


def test_outputs_of_the_unread_step_share_the_room_that_is_left() -> None:
    scene = Scene("U:task:3k A:done U:next A[a,b,c,d] T(a):100 T(b):1k T(c):1.2k T(d):1.4k")
    fitted = scene.fit()
    small, *large = scene.sizes(fitted, "T(a):100", "T(b):1k", "T(c):1.2k", "T(d):1.4k")
    assert small == 100
    assert max(large) - min(large) <= 20
    assert min(large) > 300


def test_equal_outputs_are_cut_equally() -> None:
    words = [f"T(c{letter}):900" for letter in "abcdefghij"]
    scene = Scene(f"U:task A[{','.join('c' + letter for letter in 'abcdefghij')}] {' '.join(words)}")
    sizes = scene.sizes(scene.fit(), *words)
    assert max(sizes) - min(sizes) <= 20
    assert sum(sizes) > 3_000


def test_a_picture_that_the_model_has_not_seen_is_taken_last() -> None:
    scene = Scene("U:task A[c1] T(c1){img} A[z] T(z):1.45k A:done:3.2k U:next A[c2] T(c2){img}", dialect="anthropic")
    assert scene.view() == "U:task A[c1] T(c1-img) A[z] T(z~) A:done:3.2k U:next A[c2] T(c2){img}"


def test_what_a_person_wrote_is_cut_inside_with_head_and_tail() -> None:
    scene = Scene("U:task:5k A:done U:next:3k")
    fitted = scene.fit()
    shown = fitted.messages()[0]["content"]
    assert shown.startswith("task ")
    assert "[context: shortened, showing the first " in shown


@pytest.mark.parametrize(
    ("script", "kinds"),
    [
        (f"U:task A[c1] T(c1):1.4k {REST}", {(CutKind.TEXT, Reason.OLD_OUTPUT)}),
        ("U:task A[c1:4k] T(c1) A:done:2k U:next", {(CutKind.ARGUMENTS, Reason.OLD_ARGUMENTS)}),
        ("U:task " + "U{img}:look A " * 10 + "U:next", {(CutKind.MEDIA, Reason.OLD_MEDIA)}),
        ("U:task A[c1] T(c1):9k", {(CutKind.TEXT, Reason.OVERSIZED_OUTPUT)}),
        ("U:task:5k A:done U:next:3k", {(CutKind.TEXT, Reason.TASK_CUT)}),
    ],
)
def test_every_cut_says_what_it_is_and_why(script: str, kinds: set[tuple[CutKind, Reason]]) -> None:
    checkpoint = Scene(script).fit().checkpoint
    assert checkpoint is not None
    assert {(cut.kind, cut.reason) for cut in checkpoint.plan.cuts} == kinds


@pytest.mark.parametrize("size", range(1_300, 1_420, 30))
def test_a_stub_that_comes_out_a_token_too_long_drops_no_message(size: int) -> None:
    assert Scene(f"U:task A[c1] T(c1):{size} {REST}").report().dropped == 0


def test_outputs_of_machine_data_use_the_room_that_is_left() -> None:
    scene = Scene("U:task A[a,b,c,d,e]")
    for id in "abcde":
        output = ToolResult(id, (Text("".join(f"{(at * 2654435761 + ord(id)) % 2**32:08x}" for at in range(240))),))
        scene.transcript.append(Message(id=id, role=Role.TOOL, parts=(output,), origin=Origin.TOOL_FEEDBACK))
    fitted = scene.fit()
    assert fitted.report is not None
    assert 0.9 * fitted.report.target <= fitted.tokens <= fitted.report.target
