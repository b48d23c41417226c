"""How bash reads the smallest pieces: a bare word, a quoted string, the blanks between, a here-document."""

from __future__ import annotations

import re

from tree_sitter import Node

_BARE = re.compile(r"(?:[\w@%+=:,./~^*?\[\]{}!#-]|\\[ -~])+")
_QUOTED = re.compile(r'(?:[^"\\$`]|\\.|\$(?![\w{(@*#?$!-]))*', re.DOTALL)
_BLANKS = re.compile(r"[ \t]*(?:[ \t]\\\n[ \t]*)*")
_LINES = re.compile(r"(?:[ \t\n]|(?<=[ \t\n])\\\n)*")
_DELIMITER = re.compile(r"(?P<quote>['\"]?)(?P<word>[A-Za-z_]\w*)(?P=quote)")


def word_set(text: str) -> frozenset[str]:
    """Give a set of words, written as one line."""
    return frozenset(text.split())


def literal_word(raw: str) -> str | None:
    """Give a bare word without its backslashes; None where it holds anything that could mean more."""
    if not _BARE.fullmatch(raw):
        return None
    return re.sub(r"\\(.)", r"\1", raw)


def literal_string(inner: str) -> str | None:
    r"""Give what stands between double quotes as a command gets it: a few signs lose their backslash."""
    if not _QUOTED.fullmatch(inner):
        return None
    return re.sub(r'\\(["\\$`])', r"\1", inner.replace("\\\n", ""))


def continued(gap: str, *, newlines: bool) -> bool:
    """Tell whether a gap only parts words. A backslash before a newline joins, unless a blank stands before it."""
    return bool((_LINES if newlines else _BLANKS).fullmatch(gap))


def heredoc_is_plain(source: bytes, node: Node) -> bool:
    """Tell whether a here-document ends where the tree says so, and nothing in it is expanded."""
    parts = {child.type: child for child in node.children}
    start, body, end = parts.get("heredoc_start"), parts.get("heredoc_body"), parts.get("heredoc_end")
    if start is None or body is None or end is None or source.count(b"<<") != 1:
        return False
    delimiter = _DELIMITER.fullmatch(source[start.start_byte : start.end_byte].decode())
    if delimiter is None:
        return False
    first = source.index(b"\n", start.end_byte) + 1 if b"\n" in source[start.end_byte :] else len(source)
    lines = source[first:].decode().split("\n")
    strips = b"<<-" in source
    ends = [number for number, line in enumerate(lines) if (line.lstrip("\t") if strips else line) == delimiter["word"]]
    if not ends:
        return False
    inside = "\n".join(lines[: ends[0]])
    ends_at = first + len(inside.encode()) + (1 if inside or ends[0] else 0)
    same = source[ends_at : end.end_byte].decode().strip("\t\n") == delimiter["word"]
    return same and (bool(delimiter["quote"]) or not re.search(r"[$`\\]", inside))
