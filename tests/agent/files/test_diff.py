"""A diff makes one text out of the other, by the judgement of git."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.agent.files.diff import difference

lines = st.lists(st.sampled_from(["a", "b", "c", "", "long line", "é"]), max_size=30)
ends = st.sampled_from(["", "\n"])


def applied(before: str, diff: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "f").write_text(before)
        done = subprocess.run(
            ["git", "apply", "--unidiff-zero", "-"], cwd=folder, input=diff.encode(), capture_output=True, check=False
        )
        assert done.returncode == 0, (done.stderr, diff)
        return Path(folder, "f").read_text()


@settings(max_examples=40)
@given(before=lines, after=lines, end=ends, other_end=ends)
def test_the_diff_of_two_texts_turns_one_into_the_other(
    before: list[str], after: list[str], end: str, other_end: str
) -> None:
    old, new = "\n".join(before) + end, "\n".join(after) + other_end
    found = difference(old, new, "f")
    assert (found.diff == "") == (old == new)
    if old != new:
        assert applied(old, found.diff) == new
        body = found.diff.split("\n")[2:]
        assert found.added == sum(line.startswith("+") for line in body)
        assert found.removed == sum(line.startswith("-") for line in body)


@pytest.mark.parametrize("step", [3, 50])
def test_so_does_the_diff_of_long_texts(step: int) -> None:
    old = [f"line {n}" if n % 5 else "same" for n in range(5_000)]
    new = [*[f"changed {n}" if n % step == 1 else line for n, line in enumerate(old)][7:], "more"]
    before, after = "\n".join(old) + "\n", "\n".join(new)
    found = difference(before, after, "f")
    assert applied(before, found.diff) == after
    assert found.added < 5_000 * 2 / step + 100  # close to what really changed


def test_texts_that_share_nothing_are_replaced_without_a_long_search() -> None:
    before = "".join(f"x{n % 7}\n" for n in range(30_000))
    after = "".join(f"y{n % 7}\n" for n in range(30_000))
    found = difference(before, after, "f")
    assert (found.added, found.removed, found.where) == (30_000, 30_000, ((1, 30_000),))
