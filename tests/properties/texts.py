"""Texts of every kind that conversations hold, made from small numbers, so that shrinking stays quick.

A passage is a slice of an endless text of its kind. It may begin and end anywhere, in the middle of an emoji or of an
escape too: what a program read up to a limit does as well.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import cache
from random import Random

from tests.verify.payload import count
from unabridged.summarizer import writing
from unabridged.summarizer.record import Part

BLOCK = 6_000
"""Characters of an endless text before it repeats."""

WORDS = [
    "the",
    "test",
    "fails",
    "because",
    "a",
    "path",
    "is",
    "read",
    "before",
    "it",
    "was",
    "written",
    "and",
    "nobody",
    "saw",
    "that",
    "the",
    "cache",
    "holds",
    "an",
    "older",
    "one",
    "fix",
    "it",
    "run",
    "everything",
    "again",
    "then",
    "say",
    "what",
    "changed",
    "where",
    "and",
    "why",
    "please",
    "keep",
    "the",
    "public",
    "names",
    "as",
    "they",
    "are",
]
NAMES = ("load", "store", "index", "cursor", "budget", "entry", "branch", "retry", "token", "window")
CLUSTERS = (
    "e\u0301",
    "a\u0308\u0323",
    "\u0e01\u0e33",
    "\u0e17\u0e35\u0e48",
    "\u0928\u093f",
    "\u0915\u094d\u0937",
    "\u05d1\u05bc",
    "\u0628\u0651\u064e",
    "1\ufe0f\u20e3",
)
EMOJI = ("👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "🇯🇵", "❤️", "🧑🏿‍🚀", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "😀", "🇦🇹", "👨🏻‍💻")
CJK = "文脈窓が溢れる前に古い出力を切り詰める対話记录必须完整保存任何消息都不能丢失대화가길어지면잘라낸다"
SPECIAL = ("<|endoftext|>", "<|im_start|>system", "<|im_end|>", "<|fim_prefix|>", "</s>", "[INST]", "<tool_call>")
HEADINGS = (
    "## Archived History Summary\n\n",
    f"{writing.TITLE}\n",
    *(f"{writing.HEADING}{part.value}\n" for part in Part),
    f"{writing.TASK} `the task`\n",
    "- `make test`: exit 0 (succeeded later)\n",
    "- … up to 12 more\n",
    "# Completed goals\n- none\n",
)
"""Lines that structure a summary, or a record made by rules."""
IMITATIONS = (
    "[context: 12 earlier messages are not shown; ask, or run a tool again, for what you need]",
    "[context: shortened, showing the first 10 and the last 20 of 3,000 characters; run the tool again for the rest]",
    "[context: empty]",
    "[context: ",
)


def _words(random: Random) -> str:
    return " ".join(random.choices(WORDS, k=random.randint(4, 14))) + random.choice([".\n", ". ", ",\n", "\n\n"])


def _code(random: Random) -> str:
    name, other = random.choices(NAMES, k=2)
    return random.choice(
        [
            f"def {name}_{other}(self, {other}: int = {random.randint(0, 99)}) -> None:\n",
            f'    if not self._{name}[{other}]:\n        raise {name.title()}Error(f"no {{{other}!r}}")\n',
            f"        return {{'{name}': {other}.{name}() for {other} in self.{name}s}}\n\n",
            f"    # {' '.join(random.choices(WORDS, k=6))}\n",
        ]
    )


def _json(random: Random) -> str:
    row = {
        name: random.choice([random.random(), random.randint(0, 10**9), None, True, 'a"b\\c\n']) for name in NAMES[:4]
    }
    return json.dumps(row) + random.choice(["\n", ",", ",\n  "])


def _log(random: Random) -> str:
    level = random.choice(["INFO", "WARN", "ERROR", "DEBUG"])
    day = f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    at = f"{day}T{random.randint(0, 23):02}:00:{random.random():.6f}Z"
    return f"{at} {level} [{random.choice(NAMES)}-{random.randint(1, 64)}] {' '.join(random.choices(WORDS, k=7))}\r\n"


def _colours(random: Random) -> str:
    style = random.choice(["\x1b[31m", "\x1b[1;32m", "\x1b[38;5;208m", "\x1b[48;2;10;20;30m", "\x1b[0K"])
    return f"{style}{random.choice(WORDS)}\x1b[0m "


def _escapes(random: Random) -> str:
    return random.choice(
        [
            "\\n",
            "\\\\",
            "\\u00e9",
            "\\ud83d\\ude00",
            "\\x1b",
            "\\\\\\n",
            "C:\\temp\\new",
            "&amp;",
            "&#128512;",
            "%E2%82%AC",
            "\\",
        ]
    )


def _cjk(random: Random) -> str:
    return "".join(random.choices(CJK, k=random.randint(3, 12))) + random.choice("，。、\n ")


def _emoji(random: Random) -> str:
    return random.choice(EMOJI) + random.choice(["", "", " ", "ok ", "\n"])


def _marks(random: Random) -> str:
    return random.choice(CLUSTERS) + random.choice(["", "", "n", " "])


def _base64(random: Random) -> str:
    return base64.b64encode(random.randbytes(57)).decode() + random.choice(["", "\n"])


def _hex(random: Random) -> str:
    return random.randbytes(16).hex() + random.choice([" ", "\n", ""])


def _digits(random: Random) -> str:
    return f"{random.randint(0, 10**12)}{random.choice([',', ' ', ';', chr(10)])}"


def _surrogates(random: Random) -> str:
    return random.choice(["\ud83d", "\ude00", "\udfff\ud800", "word ", "😀", "\ud800 "])


def _special(random: Random) -> str:
    return random.choice(SPECIAL) + random.choice(["", " ", "\n", "text "])


def _imitations(random: Random) -> str:
    return random.choice(IMITATIONS) + random.choice(["\n", " ", "\nas I said\n"])


def _headings(random: Random) -> str:
    return random.choice(HEADINGS) + random.choice(["", "- a line\n", " ".join(random.choices(WORDS, k=6)) + "\n"])


def _spaces(random: Random) -> str:
    return random.choice(["    ", "\n\n\n", "\t\t", "x", "\u00a0", "\u2028", "\x00", "-" * 20])


KINDS: dict[str, Callable[[Random], str]] = {
    "words": _words,
    "code": _code,
    "json": _json,
    "log": _log,
    "colours": _colours,
    "escapes": _escapes,
    "cjk": _cjk,
    "emoji": _emoji,
    "marks": _marks,
    "base64": _base64,
    "hex": _hex,
    "digits": _digits,
    "surrogates": _surrogates,
    "special": _special,
    "imitations": _imitations,
    "headings": _headings,
    "spaces": _spaces,
}


@cache
def _block(kind: str, variant: int) -> str:
    random = Random(f"{kind}-{variant}")
    pieces: list[str] = []
    length = 0
    while length < BLOCK:
        pieces.append(KINDS[kind](random))
        length += len(pieces[-1])
    return "".join(pieces)


@cache
def characters_per_token(kind: str) -> float:
    """Give how many characters of a kind make one token of the base vocabulary."""
    block = _block(kind, 0)
    return len(block) / count(block)


def passage(kind: str, tokens: int, seed: int) -> str:
    """Give about `tokens` tokens of a kind; the same arguments give the same text."""
    block = _block(kind, seed % 4)
    start = seed * 97 % len(block)
    length = max(1, int(tokens * characters_per_token(kind)))
    repeated = block * ((start + length) // len(block) + 1)
    return repeated[start : start + length]
