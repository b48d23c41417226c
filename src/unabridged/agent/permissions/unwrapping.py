"""What a command line would run: commands behind `env`, `xargs`, `sh -c`, `find -exec` and the like are found too."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import msgspec

from unabridged.agent.permissions.bash import Call, Redirect, Word, parse
from unabridged.agent.permissions.bash_text import word_set

_DEEPEST = 4
_SHELLS = word_set("fish sh ksh busybox dash ash zsh bash")
_HIGHER = word_set("sudo doas su pkexec chroot unshare nsenter runuser setpriv bwrap machinectl systemd-run")
_UNSEEN = {
    "eval": "`eval` runs what is put together only then",
    "source": "it runs a file inside the shell",
    ".": "it runs a file inside the shell",
    "trap": "`trap` runs a command later",
    "alias": "an alias changes what a command means",
    "shopt": "it changes how the shell reads",
    "enable": "it changes what a command means",
    "hash": "it changes what a command means",
    "bind": "it changes what a key runs",
    "complete": "it changes what a completion runs",
    "mapfile": "it can run a command for each line",
    "readarray": "it can run a command for each line",
    "let": "it evaluates what it is given",
    "declare": "it can change any variable",
    "typeset": "it can change any variable",
    "coproc": "it runs a command beside",
    "watch": "it runs a command again and again",
    "parallel": "it runs commands that it puts together",
    "script": "it runs a command of its own",
}
# Options of transparent wrappers that take the next word; any other option of theirs stands alone.
_TRANSPARENT = {
    "command": ("", "p"),
    "builtin": ("", ""),
    "exec": ("a", "cl"),
    "nohup": ("", ""),
    "time": ("", "p"),
    "nice": ("n", ""),
    "ionice": ("cn", "t"),
    "stdbuf": ("ioe", ""),
    "setsid": ("", "wfc"),
    "timeout": ("ks", "v"),
}
# Names that change no program's behaviour but its looks.
_HARMLESS = re.compile(
    r"(?:CI|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|TERM|LANG|LANGUAGE|LC_\w+|TZ|DEBUG|RUST_LOG|RUST_BACKTRACE|"
    r"PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT|NODE_ENV|DJANGO_DEBUG)"
)
_OF_THE_SHELL = re.compile(r"(?!(?:https?|ftp|all|no)_proxy$)[a-z][a-z0-9_]*|_")


class Step(msgspec.Struct, frozen=True):
    """One command that would run."""

    words: tuple[Word, ...]
    behind: str = ""
    """What it is run by, where that gives it more rights: `sudo`."""

    @property
    def texts(self) -> list[str | None]:
        """Give its words without quotes."""
        return [word.text for word in self.words]

    def __str__(self) -> str:
        """Give it as it was written."""
        return " ".join(word.raw for word in self.words)


class Unwrapped(msgspec.Struct):
    """All that a command line would run, and do by itself."""

    steps: list[Step] = msgspec.field(default_factory=list[Step])
    redirects: list[Redirect] = msgspec.field(default_factory=list[Redirect])
    unclear: list[str] = msgspec.field(default_factory=list[str])
    changes: list[str] = msgspec.field(default_factory=list[str])
    """Variables that it sets and that could change what a program does."""


def unwrap(command: str) -> Unwrapped:
    """Find all that a command line would run. Never raises."""
    found = Unwrapped()
    _take(command, found, 0)
    return found


def _take(command: str, found: Unwrapped, depth: int) -> None:
    if depth > _DEEPEST:
        found.unclear.append("shells run shells that run shells")
        return
    script = parse(command)
    found.redirects += script.redirects
    found.unclear += [why for why in script.unclear if why not in found.unclear]
    for call in script.calls:
        _call(call, found, depth)


def _call(call: Call, found: Unwrapped, depth: int) -> None:
    stays = not call.words
    for name, _ in call.assigned:
        if not _HARMLESS.fullmatch(name) and not (stays and _OF_THE_SHELL.fullmatch(name)):
            found.changes.append(name)
    if call.words and call.words[0].raw != "export":
        _step(call.words, "", found, depth)
    elif len(call.words) > 1:
        found.unclear.append("it exports more than a plain variable")


def _step(words: Sequence[Word], behind: str, found: Unwrapped, depth: int) -> None:
    """Take in a command, and the one that it would run in turn."""
    first = words[0].text
    if first is None or words[0].glob:
        found.unclear.append(f"what `{words[0].raw}` runs is known only when it runs")
        return
    name = os.path.basename(first)
    rest = words[1:]
    if name in _TRANSPARENT and not (name == "command" and rest and rest[0].raw in ("-v", "-V")):
        _inner(name, _past_options(rest, *_TRANSPARENT[name], extra=name == "timeout"), behind, found, depth)
        return
    found.steps.append(Step(tuple(words), behind))
    if name in _UNSEEN:
        found.unclear.append(_UNSEEN[name])
        _deeper(rest, found, depth, whole=name == "eval")
    elif name in _SHELLS:
        _shell(name, rest, found, depth)
    elif name == "env":
        _env(rest, behind, found, depth)
    else:
        _behind(name, rest, behind, found, depth)


def _behind(name: str, rest: Sequence[Word], behind: str, found: Unwrapped, depth: int) -> None:
    if name in _HIGHER:
        # The words of the inner command are looked for, so that what refuses `rm` refuses `sudo -u x rm` as well.
        _inner(name, _past_options(rest, "ugpChrtTUD", "", lenient=True), name, found, depth)
    elif name == "xargs":
        _inner(name, _past_options(rest, "aEeIiLlnPsd", "0rtpxo"), behind, found, depth, more=True)
    elif name in ("find", "fd", "fdfind"):
        _find(rest, behind, found, depth)


def _inner(
    name: str, words: Sequence[Word] | None, behind: str, found: Unwrapped, depth: int, *, more: bool = False
) -> None:
    if words is None or depth > _DEEPEST:
        found.unclear.append(f"what `{name}` runs cannot be told")
    elif words:
        _step([*words, Word("...", None)] if more else words, behind, found, depth + 1)


def _past_options(
    words: Sequence[Word], taking: str, alone: str, *, extra: bool = False, lenient: bool = False
) -> Sequence[Word] | None:
    """Give what follows a wrapper's own options; None where an option is not one of those known."""
    at = 0
    while at < len(words):
        text = words[at].text
        if text is None:
            return None
        if not text.startswith("-") or text == "-":
            break
        at += 1
        if text == "--":
            break
        letters = text[1:]
        if letters[:1] in set(taking) - {""}:
            at += 1 if len(letters) == 1 else 0
        elif not lenient and not (letters and set(letters) <= set(alone)) and not re.fullmatch(r"-\d+", text):
            return None
    return words[at + (1 if extra else 0) :]


def _deeper(words: Sequence[Word], found: Unwrapped, depth: int, *, whole: bool) -> None:
    texts = [word.text for word in words]
    if whole and texts and None not in texts:
        _take(" ".join(str(text) for text in texts), found, depth + 1)


def _shell(name: str, words: Sequence[Word], found: Unwrapped, depth: int) -> None:
    at = next((n for n, word in enumerate(words) if re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", word.raw)), None)
    if at is None or at + 1 >= len(words):
        found.unclear.append(f"`{name}` runs what a file or its input says")
        return
    text = words[at + 1].text
    if text is None or at > 0 or words[at].raw not in ("-c", "-ec", "-ce", "-lc", "-xc", "-euc", "-exc"):
        found.unclear.append(f"what `{name} -c` runs cannot be told")
    if len(words) > at + 2:
        found.unclear.append(f"`{name} -c` is given words of its own")
    if text is not None:
        _take(text, found, depth + 1)


def _env(words: Sequence[Word], behind: str, found: Unwrapped, depth: int) -> None:
    at = 0
    while at < len(words):
        text = words[at].text
        if text is None:
            found.unclear.append("what `env` sets cannot be told")
            return
        named = re.match(r"(\w+)=", text)
        if named:
            if not _HARMLESS.fullmatch(named[1]):
                found.changes.append(named[1])
        elif text in ("-i", "-", "--ignore-environment"):
            pass
        elif text.startswith("-"):
            found.unclear.append(f"what `env {text}` runs cannot be told")
            at += 1
        else:
            break
        at += 1
    _inner("env", words[at:], behind, found, depth)


def _find(words: Sequence[Word], behind: str, found: Unwrapped, depth: int) -> None:
    runs = {"-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch"}
    at = 0
    while at < len(words):
        if words[at].text in runs:
            end = next((n for n in range(at + 1, len(words)) if words[n].text in (";", "+")), len(words))
            inner = [Word(word.raw, None) if "{}" in word.raw else word for word in words[at + 1 : end]]
            _inner("find", inner, behind, found, depth)
            at = end
        at += 1
