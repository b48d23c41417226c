"""What messages of any provider are drawn from: ids, base64 of every make, members in any order."""

from __future__ import annotations

import base64
from typing import Any

from hypothesis import strategies as st

from tests.wire.odd_json import Pairs, Verbatim, values, written

blobs = st.binary(min_size=1, max_size=20) | st.binary(min_size=1, max_size=9).map(lambda some: some * 150)
ids = st.sampled_from(["toolu_1", "call_2", "a-b_c", ""])
names = st.sampled_from(["bash", "read_file", "f"])
marks = st.sampled_from(
    [{}, {}, {"cache_control": {"type": "ephemeral", "ttl": Verbatim("1.0e1")}}, {"x_unknown": [1]}]
)


@st.composite
def base64_texts(draw: st.DrawFn) -> str:
    """Base64 of every make: as it should be, URL-safe, without padding, with line breaks, or no base64 at all."""
    blob = draw(blobs)
    plain = base64.b64encode(blob).decode()
    makes = [
        plain,
        plain,
        plain,
        base64.urlsafe_b64encode(blob).decode(),
        plain.rstrip("="),
        f"{plain[:4]}\n{plain[4:]}",
    ]
    return draw(st.sampled_from([*makes, "no base64!", ""]))


def with_marks(members: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Any order of members, marks and unknown members among them, one member perhaps given twice."""

    @st.composite
    def build(draw: st.DrawFn) -> Pairs:
        drawn = {key: draw(value) if isinstance(value, st.SearchStrategy) else value for key, value in members.items()}
        pairs = draw(st.permutations([*drawn.items(), *draw(marks).items()]))
        if draw(st.integers(0, 9)) == 0:
            pairs = [(pairs[0][0], draw(values)), *pairs]
        return Pairs(pairs)

    return build()


def data_urls() -> st.SearchStrategy[str]:
    def build(mime: str, data: str) -> str:
        return f"data:{mime};base64,{data}"

    return st.builds(build, st.sampled_from(["image/png", "application/pdf", ""]), base64_texts())


def json_of(messages: st.SearchStrategy[Any]) -> st.SearchStrategy[str]:
    """Write what a strategy gives as odd JSON."""
    return st.builds(written, messages, st.randoms(use_true_random=False))
