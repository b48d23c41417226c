"""What makes a command more than it seems: options that run or write something, and commands that lose work."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from unabridged.agent.permissions.bash_text import word_set
from unabridged.agent.permissions.questions import Danger
from unabridged.agent.permissions.unwrapping import Step

# By command: options with which it runs another program, or writes where no operand says so.
_ACTS: dict[str, str] = {
    "git": r"-c.*|--config-env.*|--exec-path=.*|--outp.*|--ext.*|--textc.*|--upload.*|--receive.*|-O.*|--open.*|-x|"
    r"--exec.*|--no-index|--git-dir.*|--work-tree.*|-C|--template.*|--separate.*|-o.*|bisect|filter-branch|--exec",
    "tar": r"--to-c.*|--checkpoint-a.*|-I.*|--use-comp.*|--rsh.*|-F|--info-script.*|--new-volume.*|-P|--absolute.*",
    "sort": r"-o.*|--o.*|--comp.*|-T.*",
    "rg": r"--pre.*|--hostname-bin.*",
    "find": r"-exec.*|-ok.*|-delete|-fprint.*|-fls",
    "sed": r"-[a-zA-Z]*i.*|--in-place.*|--exp.*|-[a-zA-Z]*f.*|--file.*",
    "rsync": r"-e.*|--rsh.*|--rsync-path.*|--remote-option.*",
    "ssh": r"-o.*|-F.*|-S.*|-E.*",
    "scp": r"-o.*|-F.*|-S.*",
    "curl": r"-o.*|-O.*|--output.*|--remote-name.*|-K.*|--config.*|-T.*|--upload.*|-d@?.*|--data.*|-F.*|--form.*",
    "wget": r"-O.*|--output.*|--post.*|--use-askpass.*|-P.*|-i.*|-e.*|--execute.*",
    "npm": r"--prefix.*|--script-shell.*|--node-options.*|--userconfig.*|--globalconfig.*|--git=.*",
    "make": r"-f.*|--file.*|-C.*|--directory.*|--eval.*|SHELL=.*|-I.*|MAKEFLAGS=.*",
    "pytest": r"-p.*|-c.*|--rootdir.*|--confcutdir.*|-o.*|--override-ini.*",
    "cargo": r"--config.*|-Z.*|-C",
    "go": r"-exec.*|-toolexec.*|-vettool.*|-C|-o.*",
    "vim": r".*",
    "man": r"-P.*|--pager.*|-H.*",
    "less": r".*",
    "zip": r"-TT.*|--unzip-command.*",
    "uniq": r"",
}
_LOSES = re.compile(
    r"rm .*-\w*[rRf]|rm .*--(?:rec|for)|find .*-delete|chmod .*-R|chown|kill(?:all)? |pkill |dd |mkfs|shred|truncate|"
    r"git (?:.* )?(?:push|reset --hard|clean|checkout (?:--|\.)|restore|filter-branch|stash (?:drop|clear)|branch -D|"
    r"gc|reflog expire)|npm publish|docker|podman|kubectl|crontab|systemctl|service |at |shutdown|reboot|mount|umount|"
    r"iptables|ssh|scp|nc |ncat|socat|telnet|gh |aws |gcloud |az |terraform"
)
_SED_ACTS = re.compile(r"(?:^|[;\d/}$])\s*[wWe]\b|/\w*[we]\w*(?:\s|$|;)")
_SMALL = word_set("mkdir touch cp mv ln ls cat tee")
# Everything that runs what it is given: never a prefix to allow for good.
_RUNNERS = word_set(
    "sh bash dash zsh ksh ash fish busybox env sudo doas su xargs find fd fdfind eval exec source . command builtin "
    "time python python2 python3 perl ruby node deno bun php lua awk gawk mawk sed ssh watch parallel script expect "
    "tclsh osascript docker podman kubectl chroot nohup setsid nice timeout vim vi nano emacs ed ex less more man "
    "git-shell gdb strace rm dd"
)
_BY_TWO = word_set(
    "npm pnpm yarn cargo go make just uv poetry pip bundle dotnet mvn gradle gh git rake mix composer nox tox"
)
_BY_THREE = {("npm", "run"), ("pnpm", "run"), ("yarn", "run"), ("uv", "pip"), ("npm", "exec")}
_NOT_BY_TWO = {
    ("git", "push"), ("git", "config"), ("git", "-c"), ("npm", "exec"), ("npm", "publish"),
    ("npm", "install"), ("npm", "i"), ("pip", "install"), ("cargo", "install"), ("go", "install"),
    ("go", "run"), ("uv", "run"), ("uv", "tool"), ("poetry", "run"), ("bundle", "exec"), ("gh", "api"),
    ("npm", "x"), ("pnpm", "dlx"), ("pnpm", "exec"), ("yarn", "dlx"), ("yarn", "exec"), ("git", "bisect"),
    ("git", "rebase"), ("git", "submodule"), ("git", "clone"),
}  # fmt: skip
_ALONE = word_set(
    "pytest ruff mypy pyright eslint prettier tsc jest vitest mkdir touch black isort flake8 rustfmt gofmt"
)


def acts(step: Step, named: str = "") -> str:
    """Give an option with which a command does more than its name says; "" where there is none, or a rule names it."""
    texts = step.texts
    name = os.path.basename(texts[0] or "")
    pattern = _ACTS.get(name, "")
    for text in texts[1:]:
        if pattern and text is not None and re.fullmatch(pattern, text) and text not in named.split():
            return text
    if name == "sed" and any(
        text and re.search(r"(?:^|[;\d/}$])\s*[wWe]\b|/\w*[we]\w*(?:\s|$|;)", text) for text in texts[1:]
    ):
        return "its `w` or `e`"
    return ""


def danger(step: Step) -> Danger:
    """Say how much harm a command could do."""
    line = " ".join(text or "?" for text in [os.path.basename(step.texts[0] or "?"), *step.texts[1:]])
    if step.behind or _LOSES.match(line) or step.texts[0] in ("sudo", "doas", "su", "pkexec"):
        return Danger.HIGH
    if acts(step):
        return Danger.HIGH
    return Danger.LOW if line.split(" ")[0] in _SMALL else Danger.RAISED


def proposal(step: Step) -> str:
    """Give the rule that would allow this command for good: as narrow as is still of use; "" where none is safe."""
    texts = step.texts
    known = [text for text in texts if text is not None]
    name = known[0] if known else ""
    if (
        step.behind
        or not re.fullmatch(r"[\w.+-]+", name)
        or re.sub(r"[\d.]+$", "", name) in _RUNNERS
        or name in _RUNNERS
    ):
        return ""
    if acts(step):
        return ""
    words = _prefix(texts)
    if words is not None:
        return f"allow shell({' '.join(words)} *)"
    exact = all(text and re.fullmatch(r"[\w@%+=:,./-]+", text) for text in texts)
    return f"allow shell({' '.join(known)})" if exact else ""


def _prefix(texts: Sequence[str | None]) -> list[str] | None:
    name, second = texts[0] or "", (texts[1] or "") if len(texts) > 1 else ""
    if name in _ALONE:
        return [name]
    if name not in _BY_TWO or not re.fullmatch(r"[a-z][\w:-]*", second):
        return None
    if (name, second) in _BY_THREE - _NOT_BY_TWO:
        third = (texts[2] or "") if len(texts) > 2 else ""
        return [name, second, third] if re.fullmatch(r"[a-z][\w:-]*", third) else None
    return None if (name, second) in _NOT_BY_TWO else [name, second]
