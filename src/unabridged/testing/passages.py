"""Texts of every kind that conversations hold, each a function of a few numbers.

A passage is a slice of an endless text of its kind. It may begin and end anywhere, in the middle of an emoji or of an
escape too: what a program read up to a limit does as well.
"""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Callable
from random import Random

from unabridged.errors import BadInput
from unabridged.summarizer import writing
from unabridged.summarizer.record import Part

_BLOCK = 6_000
"""Characters of an endless text before it repeats."""

_PROSE = (
    "the test fails because a path is read before it was written and nobody saw that the cache holds an "
    "older one fix it run everything again then say what changed where and why please keep the public names as they are"
)
_WORDS = _PROSE.split()
_NAMES = ("load", "store", "index", "cursor", "budget", "entry", "branch", "retry", "token", "window")
_CLUSTERS = (
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
_EMOJI = ("👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "🇯🇵", "❤️", "🧑🏿‍🚀", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "😀", "🇦🇹", "👨🏻‍💻")
_CJK = "文脈窓が溢れる前に古い出力を切り詰める対話记录必须完整保存任何消息都不能丢失대화가길어지면잘라낸다"
_SPECIAL = ("<|endoftext|>", "<|im_start|>system", "<|im_end|>", "<|fim_prefix|>", "</s>", "[INST]", "<tool_call>")
_HEADINGS = (
    "## Archived History Summary\n\n",
    f"{writing.TITLE}\n",
    *(f"{writing.HEADING}{part.value}\n" for part in Part),
    f"{writing.TASK} `the task`\n",
    "- `make test`: exit 0 (succeeded later)\n",
    "- … up to 12 more\n",
    "# Completed goals\n- none\n",
)
"""Lines that structure a summary, or a record made by rules."""
_IMITATIONS = (
    "[context: 12 earlier messages are not shown; ask, or run a tool again, for what you need]",
    "[context: shortened, showing the first 10 and the last 20 of 3,000 characters; run the tool again for the rest]",
    "[context: empty]",
    "[context: ",
)


def _words(random: Random) -> str:
    return " ".join(random.choices(_WORDS, k=random.randint(4, 14))) + random.choice([".\n", ". ", ",\n", "\n\n"])


def _code(random: Random) -> str:
    name, other = random.choices(_NAMES, k=2)
    return random.choice(
        [
            f"def {name}_{other}(self, {other}: int = {random.randint(0, 99)}) -> None:\n",
            f'    if not self._{name}[{other}]:\n        raise {name.title()}Error(f"no {{{other}!r}}")\n',
            f"        return {{'{name}': {other}.{name}() for {other} in self.{name}s}}\n\n",
            f"    # {' '.join(random.choices(_WORDS, k=6))}\n",
        ]
    )


def _json(random: Random) -> str:
    row = {
        name: random.choice([random.random(), random.randint(0, 10**9), None, True, 'a"b\\c\n']) for name in _NAMES[:4]
    }
    return json.dumps(row) + random.choice(["\n", ",", ",\n  "])


def _log(random: Random) -> str:
    level = random.choice(["INFO", "WARN", "ERROR", "DEBUG"])
    day = f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    at = f"{day}T{random.randint(0, 23):02}:00:{random.random():.6f}Z"
    return f"{at} {level} [{random.choice(_NAMES)}-{random.randint(1, 64)}] {' '.join(random.choices(_WORDS, k=7))}\r\n"


def _colours(random: Random) -> str:
    style = random.choice(["\x1b[31m", "\x1b[1;32m", "\x1b[38;5;208m", "\x1b[48;2;10;20;30m", "\x1b[0K"])
    return f"{style}{random.choice(_WORDS)}\x1b[0m "


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
    return "".join(random.choices(_CJK, k=random.randint(3, 12))) + random.choice("\uff0c\u3002\u3001\n ")


def _emoji(random: Random) -> str:
    return random.choice(_EMOJI) + random.choice(["", "", " ", "ok ", "\n"])


def _marks(random: Random) -> str:
    return random.choice(_CLUSTERS) + random.choice(["", "", "n", " "])


def _base64(random: Random) -> str:
    return base64.b64encode(random.randbytes(57)).decode() + random.choice(["", "\n"])


def _hex(random: Random) -> str:
    return random.randbytes(16).hex() + random.choice([" ", "\n", ""])


def _digits(random: Random) -> str:
    return f"{random.randint(0, 10**12)}{random.choice([',', ' ', ';', chr(10)])}"


def _surrogates(random: Random) -> str:
    return random.choice(["\ud83d", "\ude00", "\udfff\ud800", "word ", "😀", "\ud800 "])


def _special(random: Random) -> str:
    return random.choice(_SPECIAL) + random.choice(["", " ", "\n", "text "])


def _imitations(random: Random) -> str:
    return random.choice(_IMITATIONS) + random.choice(["\n", " ", "\nas I said\n"])


def _headings(random: Random) -> str:
    return random.choice(_HEADINGS) + random.choice(["", "- a line\n", " ".join(random.choices(_WORDS, k=6)) + "\n"])


def _spaces(random: Random) -> str:
    return random.choice(["    ", "\n\n\n", "\t\t", "x", "\u00a0", "\u2028", "\x00", "-" * 20])


_KINDS: dict[str, tuple[Callable[[Random], str], float]] = {
    "words": (_words, 4.7),
    "code": (_code, 3.8),
    "json": (_json, 2.5),
    "log": (_log, 2.7),
    "colours": (_colours, 1.4),
    "escapes": (_escapes, 1.8),
    "cjk": (_cjk, 0.93),
    "emoji": (_emoji, 0.61),
    "marks": (_marks, 1.6),
    "base64": (_base64, 1.5),
    "hex": (_hex, 1.7),
    "digits": (_digits, 2.6),
    "surrogates": (_surrogates, 2.8),
    "special": (_special, 2.4),
    "imitations": (_imitations, 3.6),
    "headings": (_headings, 3.8),
    "spaces": (_spaces, 4.0),
}
"""What makes a piece of a kind, and how many of its characters make one token (o200k)."""
KINDS = tuple(_KINDS)
"""Every kind of text: prose, code, what machines write, other scripts, and what is made to confuse."""


@functools.cache
def _block(kind: str, variant: int) -> str:
    make, _ = _KINDS[kind]
    random = Random(f"{kind}-{variant}")
    pieces: list[str] = []
    length = 0
    while length < _BLOCK:
        pieces.append(make(random))
        length += len(pieces[-1])
    return "".join(pieces)


def passage(kind: str, tokens: int, seed: int = 0) -> str:
    """Give about `tokens` tokens (o200k) of a kind, of `KINDS`; the same arguments give the same text.

    `surrogates` holds halves of characters, which no encoding takes: what a cut through JSON escapes leaves behind.

    Raises:
        BadInput: There is no such kind.
    """
    if kind not in _KINDS:
        raise BadInput(f"no texts of the kind {kind!r}: use one of {', '.join(KINDS)}")
    block = _block(kind, seed % 4)
    start = seed * 97 % len(block)
    length = max(1, int(tokens * _KINDS[kind][1]))
    repeated = block * ((start + length) // len(block) + 1)
    return repeated[start : start + length]
