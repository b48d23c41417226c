"""One model: its window, its three numbers and its prices, each with who says so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import msgspec

from unabridged.catalog.records import LearnedRecord, ModelRecord, Number, Price
from unabridged.models.endpoints import is_loopback, place_of
from unabridged.models.learned_windows import LearnedWindow, LearnedWindows
from unabridged.models.local.server import USUAL
from unabridged.models.local.weights import KNOWN
from unabridged.models.prices.cost import Rate
from unabridged.models.prices.pricing import INSTALL, PriceList
from unabridged.models.registry import Limits, limits_of
from unabridged.models.served import FoundServer
from unabridged.models.windows import Known, Source, window_of

HERE = "local"


class Card(msgspec.Struct, frozen=True):
    """A model, for machines and for people."""

    title: str
    record: ModelRecord
    rows: list[list[str]]


class _Place(msgspec.Struct, frozen=True):
    """Where a model is asked about: "" is the provider's own address."""

    endpoint: str = ""
    served: bool = False
    window: int | None = None
    detail: str = ""


def asked_about(name: str, servers: Sequence[FoundServer], learned: LearnedWindows) -> list[Card]:
    """Give a card for each place that serves a model, or for the model alone where none does."""
    kept = [each for each in learned.all() if each.model == name]
    prices = PriceList(date.today())
    places = [*_served(name, servers), *_local(name)] or [_Place()]
    return [_card(name, place, kept, prices) for place in places]


def _served(name: str, servers: Sequence[FoundServer]) -> list[_Place]:
    return [
        _Place(f"{server.base_url}/v1", True, model.window, f"{server.kind.value} at {server.base_url}")
        for server in servers
        for model in server.models
        if model.name == name
    ]


def _local(name: str) -> list[_Place]:
    weights = KNOWN.get(name)
    if weights is None:
        return []
    return [_Place(HERE, True, USUAL, f"on this machine, where it is not started with more: up to {weights.window:,}")]


def _card(name: str, place: _Place, kept: Sequence[LearnedWindow], prices: PriceList) -> Card:
    learned = next((each for each in kept if each.endpoint == place_of(place.endpoint)), None)
    window = window_of(name, Known(learned=learned, server=place.window), endpoint=place.endpoint)
    detail = place.detail if window.source is Source.SERVER else window.detail
    limits = limits_of(name, endpoint=place.endpoint)
    price = None if _is_here(place.endpoint) else _price(name, prices)
    record = ModelRecord(
        name=name,
        endpoint=place_of(place.endpoint),
        known=place.served or limits is not None or price is not None or bool(kept),
        window=Number(window.tokens, window.source.value, detail),
        context=_listed(limits and limits.context, limits),
        max_input=_listed(limits and limits.max_input, limits),
        max_output=_listed(limits and limits.max_output, limits),
        price=price,
        learned=[LearnedRecord(each.model, each.endpoint, each.tokens, each.seen) for each in kept],
    )
    title = f"{name}, {place.detail}" if place.detail else name
    return Card(title, record, _rows(record, prices))


def _listed(tokens: int | None, limits: Limits | None) -> Number | None:
    return Number(tokens, Source.REGISTRY.value, limits.detail) if tokens and limits else None


def _is_here(endpoint: str) -> bool:
    return endpoint == HERE or is_loopback(endpoint)


def _price(name: str, prices: PriceList) -> Price | None:
    found = prices.model(name)
    if found is None:
        return None
    rates = found.rates
    return Price(rates.input.base, rates.output.base, _base(rates.cached), _base(rates.written), prices.label)


def _base(rate: Rate | None) -> float | None:
    return None if rate is None else rate.base


def _rows(record: ModelRecord, prices: PriceList) -> list[list[str]]:
    numbers = (
        ("window", record.window),
        ("context", record.context),
        ("largest input", record.max_input),
        ("largest output", record.max_output),
    )
    rows: list[list[str]] = []
    said = ""
    for label, each in numbers:
        if each is not None:
            who = each.source if each.detail == said else f"{each.source}: {each.detail}"
            rows.append([label, f"{each.tokens:,}", who])
            said = each.detail
    rows += _price_rows(record, prices)
    for each in record.learned:
        rows.append(["learned", f"{each.window:,}", f"{each.endpoint or 'at its own address'}, seen {each.seen[:10]}"])
    return rows


def _price_rows(record: ModelRecord, prices: PriceList) -> list[list[str]]:
    price = record.price
    if price is None:
        if _is_here(record.endpoint):
            return [["price", "none", "it runs on this machine"]]
        return [["price", "unknown", "not listed" if prices.is_there else INSTALL]]
    kinds = (("input", price.input), ("cached", price.cached), ("cache write", price.written), ("output", price.output))
    rows = [[kind, f"${each:g}", "a million tokens"] for kind, each in kinds if each is not None]
    rows[0][-1] += f", by {price.source}"
    return rows
