"""A model's window, and who says so: the first of setting, cap, refusal, server, registry, default."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged import Policy
from unabridged.budget import Budget
from unabridged.errors import BadSetting
from unabridged.models.learned_windows import LearnedWindow, LearnedWindows
from unabridged.models.openai_chat import OpenAIChatModel
from unabridged.models.windows import Known, Source, Window, window_of, window_of_model

SIZES = st.none() | st.integers(1_000, 10**7)


def refused(tokens: int, model: str = "gpt-5") -> LearnedWindow:
    return LearnedWindow(model=model, endpoint="", tokens=tokens, seen="2026-11-30T12:00:00Z")


def told(window: Window) -> tuple[int, Source]:
    return window.tokens, window.source


def test_each_source_holds_until_a_better_one_speaks() -> None:
    known = Known()
    assert told(window_of("nonsense", known)) == (128_000, Source.DEFAULT)
    assert told(window_of("gpt-5", known)) == (272_000, Source.REGISTRY)
    known = Known(server=100_000)
    assert told(window_of("gpt-5", known)) == (100_000, Source.SERVER)
    known = Known(server=100_000, learned=refused(90_000))
    assert told(window_of("gpt-5", known)) == (90_000, Source.LEARNED)
    known = Known(server=100_000, learned=refused(90_000), cap=80_000)
    assert told(window_of("gpt-5", known)) == (80_000, Source.CAP)
    known = Known(server=100_000, learned=refused(90_000), cap=80_000, given=70_000)
    assert told(window_of("gpt-5", known)) == (70_000, Source.GIVEN)


def test_what_a_refusal_named_holds_against_the_registry_either_way() -> None:
    assert told(window_of("gpt-5", Known(learned=refused(300_000)))) == (300_000, Source.LEARNED)
    assert told(window_of("gpt-5", Known(learned=refused(30_000)))) == (30_000, Source.LEARNED)


def test_a_server_that_runs_with_less_than_it_once_refused_has_the_smaller_window() -> None:
    assert told(window_of("m", Known(server=4_096, learned=refused(8_192)))) == (4_096, Source.SERVER)


def test_a_server_that_says_more_than_was_learned_is_named_with_the_way_out() -> None:
    window = window_of("m", Known(server=65_536, learned=refused(8_192, "m")))

    assert told(window) == (8_192, Source.LEARNED)
    assert window.detail == (
        "a request was refused on 2026-11-30; the server says 65,536: `unabridged models forget m` if that is so now"
    )


def test_the_cap_only_lowers() -> None:
    assert told(window_of("gpt-5", Known(cap=1_000_000))) == (272_000, Source.REGISTRY)
    assert told(window_of("gpt-5", Known(cap=100_000, given=200_000))) == (100_000, Source.CAP)
    assert window_of("gpt-5", Known(cap=100_000)).detail.startswith("the project's cap; without it 272,000: openai/gpt")


def test_the_three_numbers_stand_beside_whatever_holds() -> None:
    window = window_of("gpt-5", Known(given=50_000))

    assert (window.context, window.max_input, window.max_output) == (400_000, 272_000, 128_000)
    nobody = window_of("nonsense", Known(given=50_000))
    assert (nobody.context, nobody.max_input, nobody.max_output) == (None, None, None)


@pytest.mark.parametrize(("known", "name"), [(Known(given=999), "window"), (Known(cap=1), "maxContextTokens")])
def test_a_size_that_holds_no_conversation_is_refused(known: Known, name: str) -> None:
    with pytest.raises(BadSetting, match=name):
        window_of("gpt-5", known)


@given(given=SIZES, cap=SIZES, learned=SIZES, server=SIZES, name=st.sampled_from(["gpt-5", "nonsense", ""]))
def test_a_window_is_no_larger_than_a_setting_a_cap_or_a_refusal(
    given: int | None, cap: int | None, learned: int | None, server: int | None, name: str
) -> None:
    kept = None if learned is None else refused(learned)
    window = window_of(name, Known(given=given, cap=cap, learned=kept, server=server))

    assert window.tokens <= min(size for size in (cap, given, 10**7) if size is not None)
    if given is None:
        assert window.tokens <= min(size for size in (learned, server, 10**7) if size is not None)
    assert window.detail


@given(cap=st.integers(1_000, 10**6), server=SIZES)
def test_the_budget_takes_the_window_with_any_cap_that_lowered_it(cap: int, server: int | None) -> None:
    window = window_of("gpt-5", Known(cap=cap, server=server))

    assert Budget.of(Policy(), window=window.tokens).limit < window.tokens


async def test_a_connected_model_is_asked_and_what_was_learned_at_its_address_counts(tmp_path: Path) -> None:
    learned = LearnedWindows(tmp_path / "windows.json")
    model = OpenAIChatModel("qwen3:8b", base_url="http://127.0.0.1:11434/v1", window=40_960)
    try:
        assert told(window_of_model(model, learned=learned)) == (40_960, Source.SERVER)
        learned.learn("qwen3:8b", model.endpoint, 4_096)
        assert told(window_of_model(model, learned=learned)) == (4_096, Source.LEARNED)
        assert told(window_of_model(model, given=2_048, learned=learned)) == (2_048, Source.GIVEN)
        assert told(window_of_model(model, cap=3_000, learned=learned)) == (3_000, Source.CAP)
    finally:
        await model.close()
