"""The beginning of a list that grows stays what it was, and is a sequence like any other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.growing import Beginning


@given(
    st.lists(st.integers()), st.lists(st.integers()), st.lists(st.integers()), st.integers(-9, 9), st.integers(-9, 9)
)
def test_it_is_what_a_copy_would_be(first: list[int], more: list[int], later: list[int], start: int, stop: int) -> None:
    grows = list(first)
    seen, copy = Beginning(grows, len(grows), more), [*first, *more]
    grows += later
    assert seen == copy
    assert copy == seen
    assert list(seen) == copy
    assert len(seen) == len(copy)
    assert seen[start:stop] == copy[start:stop]
    assert [seen[at] for at in range(-len(copy), len(copy))] == [copy[at] for at in range(-len(copy), len(copy))]
    assert repr(seen) == repr(copy)
    assert seen != [*copy, 0]
    for at in (len(copy), -len(copy) - 1):
        with pytest.raises(IndexError):
            seen[at]
