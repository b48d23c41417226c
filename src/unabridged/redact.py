"""Keys, tokens and passwords are taken out of text before it goes where they need not: to an embedder, into an error.

`redacted` takes out what is a secret by its form or by its name. `quotable` takes out whatever may be one as well: for
a short quote of an error it is no loss. Both take time in proportion to the text, whatever it says: every repetition
in a pattern is bounded, or takes what it has read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

GONE = "[…]"

_START = r"(?<![A-Za-z0-9])"
_DIGIT = r"(?=[A-Za-z_.-]{0,40}[0-9])"
"""A key has a digit among its first signs; `sk-learn-like-names` have none."""
_KEYS = re.compile(
    rf"{_START}(?:"
    rf"sk-{_DIGIT}[\w-]{{16,}}+"  # OpenAI, Anthropic, OpenRouter, DeepSeek, ...
    r"|(?:[sr]k|pk)_(?:live|test)_[A-Za-z0-9]{10,}+|whsec_[\w+/=]{16,}+"  # Stripe
    r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+|gl(?:pat|ptt|rt|cbt)-[\w.-]{16,}+"
    r"|A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}+"  # AWS, with the secret behind it
    r"(?:[\s,:;\"'|]{1,10}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+]))?"
    r"|AIza[\w-]{30,}+|ya29\.[\w-]{20,}+|GOCSPX-[\w-]{20,}+"  # Google
    r"|xox[a-z]-[\w-]{10,}+|xapp-[\w-]{10,}+"  # Slack
    rf"|(?:hf|gsk|r8|npm|tgp|fw|csk)_{_DIGIT}\w{{20,}}+|(?:xai|nvapi|pplx|pypi)-{_DIGIT}[\w-]{{20,}}+"
    r"|dop_v1_[a-f0-9]{60,}+|SG\.[\w-]{16,}+\.[\w-]{16,}+|AGE-SECRET-KEY-1[A-Z0-9]{50,}+"
    r"|[0-9]{8,10}:AA[\w-]{30,}+"
    r"|eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+(?:\.[\w-]*+)?"  # JSON Web Token
    r")",
    re.ASCII,
)
_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_BODY = re.compile(r"(?:\s|\\[rn]|[A-Za-z0-9+/=]{16,}+|[A-Za-z0-9+/=]{1,15}\Z)*+")
_LONGEST_BLOCK = 20_000
_IN_ADDRESS = re.compile(r"(?<=://)[^\s/@:\"'<>]{0,200}+:[^\s/@\"'<>]{1,300}(?=@)")
_HOOK = re.compile(r"(?<=hooks\.slack\.com/)[\w/]{10,200}|(?<=/api/webhooks/)[\w/-]{20,200}")
_VALUE = r"(?:\\?\"[^\"\n\\]{1,300}|\\?'[^'\n\\]{1,300}|[^\s\"',;&(){}<>\\|`]{3,}+)"
_NAMED = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|\bpwd|_pass|(?:_|\b)(?:secret|token)"
    r"|(?:secret|access|private|api|auth|account|client|signing|encryption)[_. -]?(?:access[_. -]?)?"
    r"(?:key|token|secret)"
    r"|(?:refresh|session|id|bearer)[_. -]?token|connection[_. -]?string"
    r"|parola|şifre|passwort|kennwort|contraseña|mot de passe|senha|пароль|密码|密碼|パスワード|비밀번호)"
    rf"\\?[\"'`]?\]?\s{{0,3}}(?:[:=\uff1a]|:=|=>)=?\s{{0,3}}(?P<value>{_VALUE})",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"\b(?:password|passphrase|passcode|pin)(?: code)? (?:is|was)(?: now)?:? (?P<value>(?=\S{0,60}[0-9])[^\s,;]{4,}+)",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?P<value>(?:bearer|basic|token|digest|negotiate|apikey|aws4-\S{1,40})\s[^\"'\n]{1,4000}"
    r"|(?=\S{0,80}[0-9])[^\s\"']{8,}+)"
    r"|\bcookie[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<cookie>[\w.-]{1,80}=[^\"'\n]{1,4000})"
    r"|\b(?:bearer|basic)\s{1,3}(?P<token>(?=[A-Za-z_.~+/=-]{0,60}[0-9])[\w.~+/=-]{12,}+)",
    re.IGNORECASE,
)
_NO_VALUE = re.compile(
    r"(?:str|string|bytes|int|integer|number|bool|boolean|any|object|none|null|nil|true|false|undefined|required|optional"
    r"|self|this|os|process|env|config|settings|secrets|getenv|input)?(?:[\[.?]\S*)?\Z|\$|%[({]|\*+\Z|\[…\]",
    re.IGNORECASE,
)
"""What stands where a value would, and is a type, a variable or nothing."""

_ADDRESS = re.compile(
    r"\b([a-z][a-z0-9+.-]{1,20}://)(?:[^\s/@]{1,300}@)?([^\s/?#\"'<>]{0,300})[^\s\"'<>]*", re.IGNORECASE
)
_MARKUP = re.compile(r"<[^<>]{1,200}>")
_MAYBE_NAMED = re.compile(
    r"((?:api[ _-]?key|access[ _-]?key|secret|password|passwd|authorization|credential|cookie|x-api-key"
    r"|(?:auth|access|refresh|session|bearer)[ _-]?token|\btoken)(?: provided| is| was)?[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?:(?:bearer|basic|token)\s{1,3})?|\b(?:bearer|basic)\s{1,3})(?=[^\s\"',;]{0,40}[a-z])[^\s\"',;]{4,}",
    re.IGNORECASE,
)
_MAYBE_KEY = re.compile(
    r"\b(?:sk|pk|rk|ak|gsk|xai|hf|ghp|gho|ghs|glpat|xox[a-z]|r8|nvapi|fw|pplx|tgp|csk|org|proj|key)[_-][\w*.-]{6,}"
    r"|\b(?:AIza|AKIA|ASIA|ya29\.|eyJ)[\w.*-]{8,}"
)
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_RUN = re.compile(r"[\w+/=-]{20,}", re.ASCII)
_SEGMENT = re.compile(r"[A-Za-z0-9]+")


def secrets_in(text: str) -> list[tuple[int, int]]:
    """Give where secrets stand in a text, in order; they do not overlap."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(_found(text)):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def redacted(text: str) -> str:
    """Take out keys, tokens, passwords and private keys; all else stays as it is."""
    return without(text, secrets_in(text), 0, len(text))


def without(text: str, secrets: list[tuple[int, int]], start: int, end: int) -> str:
    """Give characters [start, end) of a text without the secrets of it, also one that reaches over the border."""
    parts: list[str] = []
    at = start
    for first, last in secrets:
        if first < end and last > start:
            parts += (text[at : max(at, first)], GONE)
            at = min(last, end)
    return "".join([*parts, text[at:end]])


def _found(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_KEYS, _IN_ADDRESS, _HOOK):
        yield from (match.span() for match in pattern.finditer(text))
    for pattern in (_NAMED, _SPOKEN, _HEADER):
        for match in pattern.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            while start < end and text[start] in "\\\"'":
                start += 1
            if text[end : end + 1] != "(" and not _NO_VALUE.match(text, start, end):
                yield start, end
    yield from _blocks(text)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Give private keys; of one that is cut off, as much of it as there is."""
    ends = [match.end() for match in _BLOCK_END.finditer(text)]
    for begun in _BLOCK.finditer(text):
        place = bisect_left(ends, begun.end())
        if place < len(ends) and ends[place] - begun.end() <= _LONGEST_BLOCK:
            yield begun.start(), ends[place]
        else:
            body = _BLOCK_BODY.match(text, begun.end())
            yield begun.start(), body.end() if body is not None else begun.end()


def quotable(text: str) -> str:
    """Take out secrets and whatever may be one, and all of an address but its host."""
    text = _MARKUP.sub(" ", _ADDRESS.sub(r"\1\2", redacted(text)))
    for pattern in (_MAYBE_KEY, _UUID):
        text = pattern.sub(GONE, text)
    return _RUN.sub(_unless_words, _MAYBE_NAMED.sub(rf"\1{GONE}", text))


def _unless_words(run: re.Match[str]) -> str:
    return GONE if any(_is_random(segment) for segment in _SEGMENT.findall(run[0])) else run[0]


def _is_random(segment: str) -> bool:
    """Tell keys from words: letters and digits mixed over sixteen characters, or over eight in both cases."""
    if segment.isdigit() or not any(letter.isdigit() for letter in segment):
        return len(segment) > 40
    return len(segment) >= 16 or (len(segment) >= 8 and segment.lower() != segment != segment.upper())
