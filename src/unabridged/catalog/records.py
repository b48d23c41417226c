"""What `unabridged models` knows, as records: each one object a line with `--json`. Sizes are tokens."""

from __future__ import annotations

import msgspec


class KeyRecord(msgspec.Struct, frozen=True, tag="key", tag_field="what"):
    """A provider whose key is in the environment."""

    provider: str
    variable: str
    model: str
    """The one to begin with."""


class ServedRecord(msgspec.Struct, frozen=True, tag="served", tag_field="what"):
    """A model of a server that answers. One record without a name where a server lists none."""

    server: str
    base_url: str
    name: str
    window: int | None
    trained: int | None
    loaded: bool | None
    wants_key: bool


class LocalRecord(msgspec.Struct, frozen=True, tag="local", tag_field="what"):
    """A local model."""

    name: str
    title: str
    installed: bool
    file: str
    window: int
    license: str
    remark: str


class LearnedRecord(msgspec.Struct, frozen=True, tag="learned", tag_field="what"):
    """What a refusal taught."""

    name: str
    endpoint: str
    window: int
    seen: str


class DefaultRecord(msgspec.Struct, frozen=True, tag="default", tag_field="what"):
    """The model that is used where nobody says; without a name there is none."""

    name: str
    why: str
    base_url: str | None
    says: str


class Number(msgspec.Struct, frozen=True):
    """One number, and who says so."""

    tokens: int
    source: str
    detail: str


class Price(msgspec.Struct, frozen=True):
    """US dollars for a million tokens, of a request that is not too long for the first of its tiers."""

    input: float
    output: float
    cached: float | None
    written: float | None
    source: str


class ModelRecord(msgspec.Struct, frozen=True, tag="model", tag_field="what", kw_only=True):
    """One model."""

    name: str
    endpoint: str
    known: bool
    """Somebody lists it, serves it, or was refused by it; else the window is a safe guess."""
    window: Number
    context: Number | None
    max_input: Number | None
    max_output: Number | None
    price: Price | None
    learned: list[LearnedRecord]


class DoneRecord(msgspec.Struct, frozen=True, tag="done", tag_field="what", kw_only=True):
    """What a command did."""

    command: str
    name: str
    changed: int
    file: str | None = None
