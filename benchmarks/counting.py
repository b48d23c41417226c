"""How fast the counters are and how near the estimate comes, each kind of text against a second exact implementation.

python -m benchmarks.counting
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from random import Random
from statistics import fmean

from bpe_openai import get_encoding

from tests.shared import DATA
from tests.tokens.kinds import ORDINARY, RANDOM
from tests.tokens.texts import real_kinds
from unabridged.tokens.estimate import EstimateCounter
from unabridged.tokens.exact import ExactCounter

Count = Callable[[str], int]

SEEDS = range(12)
LEAST_CHARACTERS = 200_000
"""Of every kind for a measure of speed: the same few texts are counted over and over."""
GROUPS = ("English", "Russian", "Chinese", "Markdown", "Python", "JSON", "log", "base64", "printable", "all planes")


def main() -> None:
    """Print both tables."""
    reference = get_encoding("o200k_base")

    def second(text: str) -> int:
        return len(reference.encode_ordinary(text))

    speeds(second)
    print()
    errors(second)


def speeds(second: Count) -> None:
    """Print millions of characters a second of CPU; `new`: words that the estimate sees for the first time."""
    exact, estimate = ExactCounter().count, EstimateCounter().count
    for count in (exact, estimate, second):
        count("The vocabularies are loaded.")
    print("speed, million characters a second of CPU")
    print(f"{'':<14}{'exact':>8}{'bpe-openai':>12}{'estimate':>10}{'  new':>8}")
    makers = {**ORDINARY, **RANDOM}
    for kind in GROUPS:
        texts = [makers[kind](Random(seed)) for seed in SEEDS]
        new = _speed(estimate, texts, 1)
        times = LEAST_CHARACTERS // sum(map(len, texts)) + 1
        row = [_speed(exact, texts, times), _speed(second, texts, times), _speed(estimate, texts, times)]
        print(f"{kind:<14}{row[0]:>8.1f}{row[1]:>12.1f}{row[2]:>10.1f}{new:>8.1f}")


def _speed(count: Count, texts: list[str], times: int) -> float:
    started = time.process_time()
    for _ in range(times):
        for text in texts:
            count(text)
    return times * sum(map(len, texts)) / max(1e-9, time.process_time() - started) / 1e6


def errors(second: Count) -> None:
    """Print the estimate as a share of the exact count, and where the exact counters differ."""
    print("estimate / exact (exact: how many of the texts the two exact counters disagree on)")
    print(f"{'':<32}{'chars/token':>12}{'mean':>7}{'lowest':>8}{'highest':>9}{'error':>7}{'exact':>7}")
    for title, kinds in _groups():
        rows = [_row(kind, texts, second) for kind, texts in kinds.items()]
        print(f"{title:<66}{fmean(rows):>9.3f}" if rows else f"{title}: none here")


def _groups() -> Iterator[tuple[str, Mapping[str, list[str]]]]:
    yield "ordinary kinds, mean error", {kind: _texts(make) for kind, make in ORDINARY.items()}
    yield "random kinds, mean error", {kind: _texts(make) for kind, make in RANDOM.items()}
    yield "recorded conversations, mean error", dict(real_kinds(DATA)) if DATA.is_dir() else {}


def _texts(make: Callable[[Random], str]) -> list[str]:
    return [make(Random(seed)) for seed in SEEDS]


def _row(kind: str, texts: list[str], second: Count) -> float:
    exact, estimate = ExactCounter().count, EstimateCounter().count
    counts = [exact(text) for text in texts]
    ratios = [estimate(text) / count for text, count in zip(texts, counts, strict=True)]
    error = fmean(abs(ratio - 1) for ratio in ratios)
    different = sum(second(text) != count for text, count in zip(texts, counts, strict=True))
    dense = sum(map(len, texts)) / sum(counts)
    print(
        f"{kind:<32}{dense:>12.2f}{fmean(ratios):>7.2f}{min(ratios):>8.2f}{max(ratios):>9.2f}{error:>7.3f}{different:>7}"
    )
    return error


if __name__ == "__main__":
    main()
