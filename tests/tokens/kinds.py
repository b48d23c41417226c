"""Kinds of text that conversations are made of, each made from a seed: prose, code, machine data, random characters.

A text of a kind has at least 200 tokens. `ORDINARY` is what agents and people write and read; there the estimate is to
be near. `RANDOM` is what nobody writes; there it only must not fall too low.
"""

from __future__ import annotations

import argparse
import base64
import difflib
import functools
import json
import string
import tempfile
import textwrap
import uuid
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.shared import REPOSITORY
from tests.tokens.languages import SENTENCES

Maker = Callable[[Random], str]

WORDS = [
    "account",
    "active",
    "broken",
    "cache",
    "config",
    "default",
    "error",
    "failed",
    "handler",
    "index",
    "item",
    "limit",
    "message",
    "network",
    "order",
]
EMOJI = [chr(c) for a, z in ((0x1F300, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F900, 0x1F9FF)) for c in range(a, z)]


@functools.cache
def _lines(path: str) -> list[str]:
    return Path(path).read_text("utf-8").splitlines(keepends=True)


def _excerpt(path: str | None, rng: Random) -> str:
    assert path
    lines = _lines(path)
    start = rng.randrange(max(1, len(lines) - 60))
    return "".join(lines[start : start + 60])


def _language(name: str) -> Maker:
    return lambda rng: " ".join([SENTENCES[name]] * rng.randint(4, 5))


def _diff(rng: Random) -> str:
    before = _excerpt(tempfile.__file__, rng).splitlines(keepends=True)
    after = [line if rng.random() < 0.7 else f"    {_name(rng)} = {line.lstrip()}" for line in before]
    return "".join(difflib.unified_diff(before, after, "a/tempfile.py", "b/tempfile.py"))


def _name(rng: Random) -> str:
    return "_".join(rng.choices(WORDS, k=rng.randint(1, 3)))


def _rows(rng: Random) -> list[dict[str, object]]:
    return [
        {
            "id": str(uuid.UUID(int=rng.getrandbits(128))),
            "name": _name(rng),
            "created_at": f"2026-{rng.randint(10, 12)}-{rng.randint(10, 28)}T09:41:07.{rng.randrange(10**6):06}Z",
            "size": rng.randrange(10**6),
            "score": rng.random(),
            "tags": rng.choices(WORDS, k=2),
            "open": rng.random() < 0.5,
        }
        for _ in range(12)
    ]


def _listing(rng: Random) -> str:
    return "\n".join(
        f"-rw-r--r-- 1 root root {rng.randrange(10**6):7} Nov {rng.randint(1, 30):2} 09:41 {_name(rng)}.py"
        for _ in range(40)
    )


def _log(rng: Random) -> str:
    return "\n".join(
        f"2026-11-{rng.randint(1, 30):02} 12:{rng.randint(10, 59)}:07,{rng.randrange(1000):03} "
        f"{rng.choice(['INFO', 'WARN', 'ERROR'])} [worker-{rng.randint(1, 30)}] com.example.{_name(rng).title()} - "
        f"{_name(rng)} took {rng.randrange(9999)}ms (req={rng.getrandbits(48):012x})"
        for _ in range(30)
    )


def _html(rng: Random) -> str:
    return "\n".join(
        f'<tr class="{_name(rng)}"><td id="c{n}">{_name(rng)}</td><td><a href="/{_name(rng)}/{n}">{n}</a></td></tr>'
        for n in range(30)
    )


def _script(rng: Random) -> str:
    return "".join(
        f"function {rng.choice('abcdr')}{n}(t,e){{return t.{_name(rng)}?e({n},t.{rng.choice(WORDS)}):void 0}}"
        for n in range(24)
    )


def _hexdump(rng: Random) -> str:
    return "\n".join(f"{16 * n:08x}  {rng.randbytes(16).hex(' ')}" for n in range(20))


def _characters(alphabet: str, size: int = 900) -> Maker:
    return lambda rng: "".join(rng.choices(alphabet, k=size))


def _made_up(rng: Random) -> str:
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return " ".join("".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(150))


def _random_words(rng: Random) -> str:
    return " ".join("".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 10))) for _ in range(150))


def _block(first: int, last: int) -> Maker:
    return _characters("".join(chr(c) for c in range(first, last + 1) if not 0xD800 <= c <= 0xDFFF), 500)


ORDINARY: dict[str, Maker] = {
    **{name: _language(name) for name in SENTENCES},
    "licence": functools.partial(_excerpt, str(REPOSITORY / "LICENSE")),
    "Markdown": functools.partial(_excerpt, str(REPOSITORY / "AGENTS.md")),
    "Python": functools.partial(_excerpt, argparse.__file__),
    "Python 2": functools.partial(_excerpt, textwrap.__file__),
    "diff": _diff,
    "HTML": _html,
    "minified script": _script,
    "JSON": lambda rng: json.dumps(_rows(rng)),
    "JSON, compact": lambda rng: json.dumps(_rows(rng), separators=(",", ":")),
    "JSON, indented": lambda rng: json.dumps(_rows(rng), indent=2),
    "log": _log,
    "ls -la": _listing,
    "CSV": lambda rng: "\n".join(",".join(f"{rng.gauss(0, 1000):.3f}" for _ in range(8)) for _ in range(30)),
    "digits": _characters(string.digits),
    "hex": lambda rng: rng.randbytes(500).hex(),
    "hex dump": _hexdump,
    "digests": lambda rng: "\n".join(f"{rng.randbytes(20).hex()}  {_name(rng)}.txt" for _ in range(20)),
    "UUIDs": lambda rng: "\n".join(str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(30)),
    "base64": lambda rng: base64.b64encode(rng.randbytes(600)).decode(),
    "base64, wrapped": lambda rng: base64.encodebytes(rng.randbytes(600)).decode(),
    "emoji": _characters("".join(EMOJI), 200),
    "chat with emoji": lambda rng: " ".join(f"{rng.choice(WORDS)} {rng.choice(EMOJI)}" for _ in range(90)),
    "rulers": lambda rng: "\n".join(rng.choice("=-*_#~") * rng.randint(20, 79) for _ in range(150)),
}

RANDOM: dict[str, Maker] = {
    "letters": _characters(string.ascii_lowercase),
    "LETTERS": _characters(string.ascii_uppercase),
    "LeTTers": _characters(string.ascii_letters),
    "words": _random_words,
    "Words": lambda rng: _random_words(rng).title(),
    "WORDS": lambda rng: _random_words(rng).upper(),
    "made-up words": _made_up,
    "printable": _characters(string.printable),
    "punctuation": _characters(string.punctuation),
    "white space": _characters(" \t\n\r"),
    "all planes": _block(0, 0x10FFFF),
    "first plane": _block(0, 0xFFFF),
    "private use": _block(0xE000, 0xF8FF),
    "far planes": _block(0x20000, 0x10FFFF),
    **{
        f"U+{first:04X}": _block(first, last)
        for first, last in (
            *((0xA0, 0xFF), (0x100, 0x24F), (0x370, 0x3FF), (0x400, 0x4FF), (0x530, 0x58F), (0x590, 0x5FF)),
            *((0x600, 0x6FF), (0x900, 0x97F), (0x980, 0x9FF), (0xB80, 0xBFF), (0xE00, 0xE7F), (0xF00, 0xFFF)),
            *((0x10A0, 0x10FF), (0x1200, 0x137F), (0x1780, 0x17FF), (0x2000, 0x206F), (0x2190, 0x22FF)),
            *((0x2500, 0x27BF), (0x2800, 0x28FF), (0x3040, 0x309F), (0x30A0, 0x30FF), (0x3400, 0x4DBF)),
            *((0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xFF00, 0xFFEF), (0x10400, 0x1044F), (0x1D400, 0x1D7FF)),
        )
    },
}
