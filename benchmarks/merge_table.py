"""Chooses what the estimate knows of o200k: the tokens that save most on sample texts, within a number of bytes.

    python -m benchmarks.merge_table SAMPLES 150000 > merges.txt

SAMPLES holds a folder per kind of text, named `<weight>-<kind>`, with UTF-8 files in it. A kind counts by its weight,
however many texts it has. A token comes with all tokens that its own merging passes through, so that the estimate can
reach it. From the start in: the first 1,500 merges, all pairs of ASCII letters, all white space, and all long rulers.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import pairwise
from pathlib import Path

from unabridged.tokens.estimate import character_tokens, merged

FIRST_MERGES = 6_000
ROUND = 250
"""Tokens taken before all savings are worked out again."""
LONGEST_SPACE = 32
SPACES = "\t\n\v\f\r "
WRITTEN = "␉␊␋␌␍␠"
FOR_FILE = str.maketrans(SPACES, WRITTEN)


class Vocabulary:
    """All of o200k, by the bytes of a token."""

    def __init__(self) -> None:
        self._encoding = import_module("quicktok").get_encoding("o200k_base")
        self.ranks: dict[bytes, int] = {}
        for rank in range(self._encoding.n_vocab):
            try:
                self.ranks[self._encoding.decode_single_token_bytes(rank)] = rank
            except (KeyError, ValueError, RuntimeError):
                continue  # a gap between the vocabulary and its special tokens
        self.texts = {text: rank for token, rank in self.ranks.items() if usable(text := readable(token))}

    def shares(self, texts: Iterable[str]) -> dict[int, float]:
        """Give the share that every token has in these texts."""
        seen: Counter[int] = Counter()
        for text in texts:
            seen.update(self._encoding.encode_ordinary(text))
        return {rank: times / seen.total() for rank, times in seen.items()}

    def steps(self, token: str) -> set[str]:
        """Give the token and every token that its merging passes through."""
        parts = [bytes([byte]) for byte in token.encode()]
        passed = {token}
        while len(parts) > 1:
            pairs = [self.ranks.get(a + b, sys.maxsize) for a, b in pairwise(parts)]
            at = pairs.index(min(pairs))
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            passed.add(readable(parts[at]))
        return {text for text in passed if text in self.texts}


def readable(token: bytes) -> str:
    """Give a token as text; what is no text by itself is empty."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return ""


def usable(text: str) -> bool:
    """Tell whether the estimate can make use of a token: digits and single ASCII characters it counts without."""
    if not text or any(character.isdigit() or character in WRITTEN for character in text):
        return False
    if text.isspace() and text.isascii():
        return 1 < len(text) <= LONGEST_SPACE
    return len(text) > 1 or not text.isascii()


def given(text: str, rank: int) -> bool:
    """Tell whether a token is in from the start."""
    ruler = len(text) >= 8 and not text[0].isalnum() and text == text[0] * len(text)
    pair = len(text) == 2 and text.isalpha()
    return rank < FIRST_MERGES or (text.isascii() and (ruler or pair or text.isspace()))


def weights(vocabulary: Vocabulary, samples: Path) -> dict[str, float]:
    """Give how often every usable token occurs in the samples."""
    by_rank: dict[int, float] = {}
    for folder in sorted(path for path in samples.iterdir() if path.is_dir()):
        weight = float(folder.name.partition("-")[0])
        texts = [path.read_bytes().decode() for path in sorted(folder.iterdir())]
        for rank, share in vocabulary.shares(texts).items():
            by_rank[rank] = by_rank.get(rank, 0.0) + weight * share
    return {text: by_rank[rank] for text, rank in vocabulary.texts.items() if rank in by_rank}


def cost(text: str, ranks: Mapping[str, int]) -> int:
    """Give the tokens that the estimate counts for one token, with what it knows so far."""
    parts = merged(text, ranks)
    return sum(1 if part in ranks or part.isascii() else character_tokens(part) for part in parts)


def size(tokens: Iterable[str]) -> int:
    """Give the bytes that tokens take in the file."""
    return sum(len(token.encode()) + 1 for token in tokens)


def choose(vocabulary: Vocabulary, wanted: Mapping[str, float], limit: int) -> list[str]:
    """Give the tokens to know, in the order in which they merge."""
    chosen: set[str] = set()
    for text, rank in vocabulary.texts.items():
        if given(text, rank):
            chosen |= vocabulary.steps(text)
    while size(chosen) < limit:
        # As in the estimate, a rank is a place in the file.
        ranks = {text: place for place, text in enumerate(sorted(chosen, key=vocabulary.texts.__getitem__))}
        gains = {
            text: weight * (cost(text, ranks) - 1) / size(vocabulary.steps(text) - chosen)
            for text, weight in wanted.items()
            if text not in chosen
        }
        best = sorted((text for text, gain in gains.items() if gain > 0), key=lambda text: (-gains[text], text))
        if not best:
            break
        for text in best[:ROUND]:
            chosen |= vocabulary.steps(text)
    return sorted(chosen, key=vocabulary.texts.__getitem__)


def main() -> None:
    """Write the table to standard output."""
    samples, limit = Path(sys.argv[1]), int(sys.argv[2])
    vocabulary = Vocabulary()
    for token in choose(vocabulary, weights(vocabulary, samples), limit):
        sys.stdout.write((token.translate(FOR_FILE) if token.isspace() or token[-1].isspace() else token) + "\n")


if __name__ == "__main__":
    main()
