"""Everything that the engine can say has words here."""

from __future__ import annotations

from unabridged.plan import Cut, CutKind, Reason, Verdict
from unabridged.replay.words import (
    FALLBACKS,
    FIT_REASONS,
    REASONS,
    RESOLVED_BY,
    VERDICTS,
    place_of,
    ranges_of,
)
from unabridged.report import Fallback, FitReason, ResolvedBy


def test_every_verdict_reason_and_fallback_has_words() -> None:
    assert set(VERDICTS) == set(Verdict)
    assert set(REASONS) == set(Reason)
    assert set(FIT_REASONS) == set(FitReason)
    assert set(FALLBACKS) == set(Fallback)
    assert set(RESOLVED_BY) == set(ResolvedBy)


def test_every_kind_of_cut_says_where_it_is() -> None:
    for kind in CutKind:
        cut = Cut(message="m", kind=kind, reason=Reason.OLD_OUTPUT, part=1, total=10)
        assert place_of(cut).endswith("of part 2")


def test_a_cut_in_arguments_names_the_leaf() -> None:
    cut = Cut(message="m", kind=CutKind.ARGUMENTS, reason=Reason.OLD_ARGUMENTS, part=0, pointer="/content", total=9)

    assert place_of(cut) == "arguments of part 1 at /content"


def test_what_stays_of_a_text_is_said_in_ranges() -> None:
    cut = Cut(
        message="m",
        kind=CutKind.TEXT,
        reason=Reason.OLD_OUTPUT,
        part=0,
        keep=((0, 612), (44_101, 44_500)),
        total=44_500,
    )

    assert ranges_of(cut) == "characters 0-612 and 44,101-44,500 of 44,500 stay"


def test_media_and_reasoning_go_whole() -> None:
    for kind in (CutKind.MEDIA, CutKind.REASONING):
        assert ranges_of(Cut(message="m", kind=kind, reason=Reason.OLD_MEDIA, part=0, total=9)) == "taken out whole"
