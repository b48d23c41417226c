"""The price list: what it knows, and what is said where it knows nothing."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.replay.sessions import claude_lines, write_lines
from unabridged.errors import BadSetting
from unabridged.models.prices.pricing import PriceList
from unabridged.replay.costs.tariff import Tariff

PRICES = PriceList(date(2026, 11, 30))


def test_it_knows_windows_and_prices_of_models() -> None:
    model = PRICES.demanded("gpt-4o")

    assert (model.name, model.provider, model.window) == ("gpt-4o", "openai", 128_000)
    assert model.rates.cached is not None
    assert 0 < model.rates.cached.base < model.rates.input.base < model.rates.output.base


def test_anthropic_charges_more_for_what_it_writes_to_the_cache() -> None:
    rates = PRICES.demanded("claude-opus-4-6").rates

    assert rates.written is not None
    assert rates.written.base == pytest.approx(1.25 * rates.input.base)


@pytest.mark.parametrize("spelling", ["claude-opus-4.8", "anthropic/claude-opus-4-8", "proxy/claude-opus-4.8"])
def test_a_model_is_found_by_the_names_that_gateways_give_it(spelling: str) -> None:
    assert PRICES.demanded(spelling).name == "claude-opus-4-8"


def test_the_label_says_which_list_it_is_and_of_which_day() -> None:
    assert PRICES.label == f"genai-prices {version('genai-prices')}, prices of 2026-11-30"


def test_an_unknown_model_has_no_price_and_may_not_be_demanded() -> None:
    assert PRICES.model("scripted") is None
    with pytest.raises(BadSetting, match="scripted"):
        PRICES.demanded("scripted")


def test_a_window_that_the_list_does_not_know_must_be_given() -> None:
    with pytest.raises(BadSetting, match="--window"):
        PRICES.window("gemini-2.5-pro")


def test_the_note_says_whose_prices_they_are_or_which_model_has_none() -> None:
    assert Tariff(PRICES).note({"gpt-4o", "claude-opus-4-6"}).startswith("claude-opus-4-6, gpt-4o by genai-prices")
    assert Tariff(PRICES).note({"scripted"}) == "unknown for scripted: name a model with --model"
    assert Tariff(PRICES, named="gpt-4o").note({"scripted"}).startswith("gpt-4o by ")


# None stands for a package that is not installed.
WITHOUT_PRICES = """
import sys
sys.modules["genai_prices"] = None
from unabridged.cli import main
main()
"""


def without_prices(session: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_PRICES, "replay", str(session), "--window", "8k", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "session.jsonl", claude_lines(12))


def test_without_the_package_all_but_the_costs_is_shown(session: Path) -> None:
    shown = without_prices(session)

    assert (shown.returncode, shown.stderr) == (0, "")
    assert "prices come with the extra `prices`" in " ".join(shown.stdout.split())


def test_a_model_that_is_named_without_the_package_says_what_to_install(session: Path) -> None:
    shown = without_prices(session, "--model", "gpt-4o")

    assert shown.returncode == 2
    assert "unabridged[prices]" in shown.stderr
    assert shown.stdout == ""
