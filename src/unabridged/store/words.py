"""Words of a text, the same for every engine: what is searched for is cut as what was written.

Latin, Greek, Cyrillic and the like by letters and digits, in lower case and without accents; scripts that write no
spaces (Chinese, Japanese, Korean, Thai, ...) by pairs of neighbours, which needs no dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LONGEST = 64
"""Characters of a word: what is longer is data, and nobody searches for its end."""
MOST = 20_000
"""Words of one message that can be found."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")
_FIRST_UNSPACED = re.compile(f"[{_UNSPACED}]")


def words_of(text: str) -> Iterator[str]:
    """Give the words of a text, in order."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = unicodedata.normalize("NFC", "".join(sign for sign in plain if not unicodedata.combining(sign)))
    for found in _WORD.finditer(plain):
        word = found[0]
        if not _FIRST_UNSPACED.match(word):
            yield word[:LONGEST]
        elif len(word) == 1:
            yield word
        else:
            yield from (word[at : at + 2] for at in range(len(word) - 1))
