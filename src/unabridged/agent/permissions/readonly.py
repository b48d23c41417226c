"""Commands that only look, with the options for which that is known. What is not here is asked about.

Options are allowed one by one: a list of the dangerous ones would miss what a newer release adds, and what a parser of
options takes for short.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from unabridged.agent.permissions.bash import Word
from unabridged.agent.permissions.bash_text import word_set
from unabridged.agent.permissions.readonly_git import git_only_looks

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class Looks(msgspec.Struct, frozen=True):
    """The options with which a command only looks."""

    short: str = ""
    """Letters that may stand together; what follows one of them in its word is its value."""
    long: frozenset[str] = frozenset()
    most: int | None = None
    """How many words that are no options. None: any number."""
    free: bool = False
    """Any word is fine, even one that is known only when it runs: it opens no file and knows no options."""
    number: bool = False
    """Takes `-20` for a count."""


def _looks(short: str = "", long: str = "", *, most: int | None = None, number: bool = False) -> Looks:
    return Looks(short, frozenset(long.split()), most, number=number)


_SUMS = _looks("bct", "check tag text binary quiet status")
_GREP = _looks(
    "abcEFGHhIiLlmnoPqRrsTvwxyzABCef0123456789",
    "extended-regexp fixed-strings basic-regexp perl-regexp regexp file ignore-case no-ignore-case invert-match "
    "word-regexp line-regexp count color colour files-without-match files-with-matches max-count only-matching quiet "
    "silent no-messages byte-offset with-filename no-filename label line-number initial-tab null after-context "
    "before-context context text include exclude exclude-from exclude-dir recursive dereference-recursive",
    number=True,
)
TABLE: dict[str, Looks] = {
    **{name: Looks(free=True) for name in ("echo", "true", "false", ":")},
    "pwd": _looks("LP", most=0),
    "cd": _looks("LP", most=1),
    "exit": _looks(most=1),
    "wait": _looks(most=0),
    "sleep": _looks(most=1),
    "ls": _looks(_LETTERS, "all almost-all color human-readable recursive reverse size sort time directory inode si "
                           "time-style full-time group-directories-first classify file-type width"),
    "cat": _looks("AbeEnstTuv", "show-all number number-nonblank show-ends show-tabs squeeze-blank"),
    "head": _looks("ncqvz0123456789", "lines bytes quiet silent verbose", number=True),
    "tail": _looks("ncqvz0123456789", "lines bytes quiet silent verbose", number=True),
    "wc": _looks("clmwL", "lines words chars bytes max-line-length total"),
    "which": _looks("a"),
    "type": _looks("aftpP"),
    "command": _looks("vV"),
    "test": _looks("abcdefghklpqrsuwxzLNOSGnto"),
    "printf": _looks(),
    "read": _looks("r"),
    "set": _looks("euox"),
    "date": _looks("uIRd", "utc universal iso-8601 rfc-3339 rfc-email"),
    "uname": _looks("asnrvmpio", most=0),
    "whoami": _looks(most=0),
    "hostname": _looks(most=0),
    "id": _looks("ugGnr"),
    "nproc": _looks("", "all", most=0),
    "uptime": _looks("ps", most=0),
    "df": _looks("ahHiklPT"),
    "du": _looks("abchkmsSxd0123456789", "max-depth summarize human-readable apparent-size total all"),
    "free": _looks("bkmghtw", most=0),
    "ps": _looks(),
    "stat": _looks("Lftc", "format printf terse dereference"),
    "file": _looks("bihLN", "brief mime mime-type mime-encoding"),
    "realpath": _looks("emsqLP", "relative-to relative-base"),
    "readlink": _looks("femnqv"),
    "basename": _looks("as"),
    "dirname": _looks("z"),
    "diff": _looks("quUrNwbBiaycCdpEtZW0123456789", "brief unified recursive new-file ignore-all-space side-by-side "
                   "ignore-space-change ignore-blank-lines color exclude context width stat text minimal"),
    "cmp": _looks("bls"),
    "comm": _looks("123"),
    "sort": _looks("bdfghinMrRuVkstcCz0123456789.,", "reverse unique numeric-sort key field-separator version-sort "
                   "human-numeric-sort ignore-case stable check"),
    "uniq": _looks("cdDiufsw", "count repeated unique ignore-case", most=1),
    "cut": _looks("bcdfns0123456789,-", "fields delimiter characters bytes only-delimited complement output-delimiter"),
    "tr": _looks("cCdst"),
    "nl": _looks("bdfhilnpsvw"),
    "tac": _looks(),
    "rev": _looks(),
    "fold": _looks("bsw0123456789"),
    "column": _looks("tsNc"),
    "paste": _looks("ds"),
    "seq": _looks("fsw"),
    "md5sum": _SUMS,
    "sha1sum": _SUMS,
    "sha256sum": _SUMS,
    "sha512sum": _SUMS,
    "od": _looks("AjNtvwcxabdofhislL0123456789"),
    "xxd": _looks("abceglsup0123456789", most=1),
    "strings": _looks("anteo0123456789"),
    "tree": _looks("adfiLphsugDFqNrtIPC0123456789", "dirsfirst noreport prune gitignore"),
    "jq": _looks("rcSMCsnej", "raw-output compact-output sort-keys slurp null-input exit-status arg argjson tab"),
    "base64": _looks("dw", "decode wrap"),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": _looks(
        "nilcvwxoFPSsHNIpeftTgABCmjuU.0123456789",
        "files files-with-matches files-without-match count count-matches line-number no-line-number ignore-case "
        "smart-case case-sensitive fixed-strings word-regexp line-regexp invert-match only-matching regexp glob iglob "
        "type type-not type-list max-count max-depth context after-context before-context hidden no-ignore heading "
        "no-heading color multiline multiline-dotall pcre2 sort sortr stats json trim with-filename no-filename",
    ),
}  # fmt: skip

_FIND = word_set(
    "-name -iname -type -path -ipath -wholename -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin "
    "-newer -not ! -o -a -and -or -print -print0 -prune -empty -perm -user -group -regex -iregex -ls -quit "
    "-daystart -xdev -mount -depth -regextype -readable -writable -executable -true -false -printf -samefile "
    "-inum -links -H -P"
)
_SED = re.compile(r"(?:(?:\d+|\$)(?:,(?:\d+|\$))?p;?)+|s/[^/\n\\]*/[^/\n\\&]*/[gIp0-9]*")
_AWK = re.compile(r"\s*(?:/[\w .-]*/)?\s*\{\s*print(?:\s+\$(?:\d+|NF)(?:\s*,\s*\$(?:\d+|NF))*)?\s*\}\s*")


def only_looks(words: Sequence[Word]) -> bool:
    """Tell whether a command is known to change nothing. What it opens must be judged by itself (`may_open`)."""
    name = _plain_name(words[0].text or "")
    rest = words[1:]
    looks = TABLE.get(name)
    if looks is not None and looks.free:
        return True
    if any(word.text is None for word in rest) or any(word.glob and word.raw[0] in "*?[" for word in rest):
        return False  # Names of files could be read as options.
    texts = [word.text or "" for word in rest]
    if name == "jq" and re.search("import|include", " ".join(texts)):
        return False  # It reads files that its words do not name.
    if name == "git":
        return git_only_looks(texts)
    if name == "find":
        return all(not text.startswith(("-", "!")) or text in _FIND or _number(text) for text in texts)
    if name == "sed":
        return texts[:1] in (["-n"], ["-nE"]) and bool(_SED.fullmatch("".join(texts[1:2]))) and _paths(texts[2:])
    if name == "awk":
        return _awk(texts)
    return looks is not None and _within(looks, texts, name)


def may_open(words: Sequence[Word]) -> list[str]:
    """Give every piece of a command's words that could be the path of a file it opens."""
    name = _plain_name(words[0].text or "")
    if name in TABLE and TABLE[name].free:
        return []
    found: list[str] = []
    for word in words[1:]:
        text = word.text or ""
        found += [text] if not text.startswith("-") else []
        found += re.split(r"[=:]", text)[1:]
        if re.match(r"-[^-]", text):
            found += [text[at:] for at in range(2, min(len(text), 8))]
    return [each for each in dict.fromkeys(found) if each not in ("", "-")]


def goes_below(words: Sequence[Word]) -> str:
    """Tell whether a command opens what lies in a folder: `all` of it, only what is not hidden (`seen`), or nothing."""
    name = _plain_name(words[0].text or "")
    texts = [word.text or "" for word in words[1:]]
    letters = "".join(text[1:] for text in texts if re.match(r"-[A-Za-z0-9.]", text))
    if name == "rg":
        return "all" if {"u", "."} & set(letters) or "--hidden" in texts else "seen"
    if name in ("grep", "egrep", "fgrep", "diff"):
        return "all" if {"r", "R"} & set(letters) or any("recursive" in text for text in texts) else ""
    return ""


def _plain_name(first: str) -> str:
    return re.sub(r"^/(?:usr/)?bin/", "", first)


def _within(looks: Looks, texts: Sequence[str], name: str) -> bool:
    if name == "ps":
        return list(texts) in ([], ["aux"], ["ax"], ["-ef"])  # `ps e` shows what others have in their environment.
    if name == "read" and not all(text == "-r" or re.fullmatch(r"[a-z_]+", text) for text in texts):
        return False  # It gives variables a value.
    if name in ("test", "printf") and any(re.search(r"[$`]", text) for text in texts):
        return False  # An index in it may be evaluated.
    if name == "date" and any(not text.startswith(("-", "+")) for text in texts) and "-d" not in texts:
        return False  # It sets the clock.
    # After `--` too: it may be the value of an option, and what follows an option.
    options = [text for text in texts if len(text) > 1 and (text[0] == "-" or (name == "set" and text[0] == "+"))]
    if not all(_option_within(looks, text) for text in options if text != "--"):
        return False
    return looks.most is None or len(texts) - len(options) <= looks.most


def _option_within(looks: Looks, text: str) -> bool:
    return text[2:].partition("=")[0] in looks.long if text.startswith("--") else _letters_within(looks, text[1:])


def _letters_within(looks: Looks, letters: str) -> bool:
    if looks.number and letters.isdigit():
        return True
    # A letter outside may be the value of the one before it: then it must not be an option at all that acts.
    known = re.match(f"[{re.escape(looks.short)}]*" if looks.short else "", letters)
    end = known.end() if known else 0
    return end == len(letters) or (end > 0 and not letters[end].isalpha())


def _awk(texts: Sequence[str]) -> bool:
    if texts and re.fullmatch(r"-F.", texts[0]):
        texts = texts[1:]
    return bool(texts) and bool(_AWK.fullmatch(texts[0])) and _paths(texts[1:])


def _paths(texts: Sequence[str]) -> bool:
    # `awk` takes `name=value` for an assignment.
    return not any(text.startswith("-") or "=" in text for text in texts)


def _number(text: str) -> bool:
    return bool(re.fullmatch(r"-\d+[a-zA-Z]?", text))
