"""Tool output and pictures that are too much."""

from __future__ import annotations

import json
import re

from tests.scene import Scene, texts_of
from unabridged.policy import Policy
from unabridged.report import FitReason, Phase


def test_a_result_larger_than_the_window_is_shortened_before_the_model_reads_it() -> None:
    scene = Scene("U:task A[c1] T(c1):32k", system="Be brief.")
    fitted = scene.fit()
    (whole,) = texts_of(scene.message("T(c1):32k"))
    head, marker, tail = fitted.messages()[2]["content"].split("\n")
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert f" of {len(whole):,} characters" in marker
    assert fitted.report is not None
    assert fitted.report.phase is Phase.STEP


def test_the_full_text_of_a_shortened_result_stays_in_the_log() -> None:
    scene = Scene("U:task A[c1] T(c1):32k")
    before = scene.transcript.log.entries
    scene.fit()
    assert scene.transcript.log.entries[: len(before)] == before


def test_ten_results_that_each_fit_share_what_their_sum_does_not() -> None:
    ids = "abcdefghij"
    scene = Scene(f"U:task A[{','.join(ids)}] T(a):100 " + " ".join(f"T({id}):1.4k" for id in ids[1:]))
    fitted = scene.fit()
    small, *large = scene.sizes(fitted, "T(a):100", *(f"T({id}):1.4k" for id in ids[1:]))
    assert small == 100
    assert max(large) - min(large) <= 25
    assert fitted.report is not None
    assert 0.9 * fitted.report.target <= fitted.tokens <= fitted.report.target


def test_a_giant_result_is_cut_itself_and_does_not_wipe_out_the_small_ones_before_it() -> None:
    before = "U:task " + " ".join(f"A[c{number}] T(c{number}):150" for number in range(8))
    scene = Scene(before)
    scene.fit()
    assert scene.say("A[c9] T(c9):5.7k").view() == f"{before} A[c9] T(c9~)"


def test_pictures_do_not_vanish_without_a_trace() -> None:
    before = "A[c2] T(c2):1.2k A[c3] T(c3):1.2k A:a:3.4k U:first"
    scene = Scene(f"U:task U{{img}} A:seen A[c1] T(c1){{img}} {before}", dialect="anthropic")
    assert scene.view() == "U:task U{-img} A:seen A[c1] T(c1-img) A[c2] T(c2~) A[c3] T(c3~) A:a:3.4k U:first"


def test_pictures_that_become_illegal_are_no_overflow() -> None:
    scene = Scene("U:task A " + "U{img:2048x100}:look A " * 21 + "U:next", dialect="anthropic", window=200_000)
    report = scene.report()
    assert (report.reason, report.repairs) == (FitReason.REPAIRED, (("media", 21),))
    assert (report.dropped, report.truncated) == (0, 0)


def test_what_was_read_last_is_shortened_last() -> None:
    scene = Scene("U:task " + " ".join(f"A[c{number}] T(c{number}):900" for number in range(9)))
    cut = ["~" in word for word in scene.view().split() if word.startswith("T")]
    assert cut == sorted(cut, reverse=True)
    assert cut[0] is True
    assert cut[-1] is False


def test_what_is_missing_says_how_to_get_it_back() -> None:
    script = "U:task " + "U{img}:look A:seen A[c1] T(c1):900 A:a:300 U:q:60 " * 9 + "U:next"
    fitted = Scene(script, window=6_000, dialect="anthropic", policy=Policy(recent_share=0.0)).fit()
    markers = re.findall(r"\[context: [^\]]*\]", json.dumps(fitted.messages()))
    kinds = [marker for marker in markers if "shortened" in marker or "not shown" in marker]
    assert len(kinds) > 1
    assert all("run the tool again for the rest" in each or "ask, or run a tool again" in each for each in kinds)
