"""Files of every format with JSON values in them that are not what they should be, for properties."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.importers.samples import SAMPLES

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
)


def mutated(draw: st.DrawFn, value: Any) -> Any:
    """The same JSON value with something in it that is not what it should be."""
    if isinstance(value, dict) and value and draw(st.integers(0, 3)):
        key = draw(st.sampled_from(sorted(value)))
        return value | {key: mutated(draw, value[key])}
    if isinstance(value, list) and value and draw(st.integers(0, 3)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], mutated(draw, value[at]), *value[at + 1 :]]
    return draw(JUNK)


WITH_RECORDS = sorted(name for name in SAMPLES if name != "aider chat history")


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    data = SAMPLES[draw(st.sampled_from(WITH_RECORDS))]
    records = [json.loads(line) for line in data.splitlines() if line]
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(records) - 1))
        records[at] = mutated(draw, records[at])
    return b"\n".join(json.dumps(record).encode() for record in records)
