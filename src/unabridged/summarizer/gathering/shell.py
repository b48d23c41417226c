"""What a shell command does to files, as far as its words tell; and whether it only looks.

No shell is imitated. A word that is not understood costs a line in a summary, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unabridged.summarizer.paths import is_path
from unabridged.summarizer.record import Change, File

LOOKED_AT = 4_000
"""Characters of a command that are looked at."""

_LOOKS = frozenset(
    """
    ls ll dir cat bat head tail less more grep egrep fgrep rg ag ack find fd tree wc pwd echo printf which whereis type
    file stat du df env printenv date whoami id hostname uname ps top pgrep lsof jobs iostat uptime netstat ss free
    apt-cache jq yq awk sort uniq cut tr nl xxd od diff cmp comm cd pushd popd true false sleep wait test [ [[ column
    xargs basename dirname realpath readlink man help history set export source . unset alias hash ulimit clear strings
    md5sum sha256sum shasum tac rev fold if then else fi for do done while case esac { } ( ) ! time in break continue
    exit return function local : -v -V get-childitem get-content get-item get-location get-process select-string
    select-object where-object foreach-object test-path measure-object format-table format-list write-output write-host
    set-location out-string sort-object convertfrom-json resolve-path gci gc sls
    """.split()  # noqa: SIM905  one name a line would be two pages
)
"""Programs, and words of the shell, that change nothing."""
_QUIET = frozenset(
    """
    mkdir touch chmod chown ln cp mv rm rmdir kill pkill killall curl wget unzip tar gzip install open xdg-open tee sed
    perl remove-item new-item copy-item move-item set-content add-content out-file stop-process
    """.split()  # noqa: SIM905
)
_GIT_LOOKS = frozenset(
    """
    status diff log show blame ls-files ls-tree ls-remote rev-parse rev-list describe shortlog reflog grep cat-file
    branch remote config fetch merge-base name-rev for-each-ref show-ref version help check-ignore diff-tree
    """.split()  # noqa: SIM905
)
_TOOL_LOOKS = re.compile(
    r"(?:gh|glab) (?:(?:pr|issue|run|repo|release|workflow|auth|mr|ci) (?:view|list|status|diff|checks)|search|api)\b"
    r"(?!.*(?:-X|--method) ?(?:POST|PUT|PATCH|DELETE))"
    r"|docker (?:ps|images|logs|inspect|version|info)\b|kubectl (?:get|describe|logs|top)\b"
    r"|(?:npm|pnpm|yarn|pip|pip3|cargo|brew|go|bun) (?:ls|list|view|show|info|outdated|search|version|env|doc)\b"
    r"|dpkg -l\b|sed (?!.*(?:-i|--in-place))|(?:\S+) (?:--version|-V|--help)$",
)
# A heredoc's body, and what stands in quotes, is data: `;` and `>` in it mean nothing to the shell.
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_HEREDOC = re.compile(r"<<-?\s*(?:'(\w+)'|\"(\w+)\"|\\?(\w+)).*?(?:^\s*(?:\1|\2|\3)\s*$|\Z)", re.DOTALL | re.MULTILINE)
_SEGMENTS = re.compile(r"\|\||&&|[;|\n]|&(?![>\d])")
_PREFIX = re.compile(
    r"(?:(?:[A-Za-z_]\w*=\S*|sudo|command|nohup|time|exec|env|do|then|else|if|while|!|\{|\()\s+|timeout \S+ )+"
)
_WRITES = re.compile(r"(?:^|[^0-9&>=-])>>?\s*(?![&|])([^\s;|&<>()]+)|\btee(?:\s+-a)?\s+([^\s;|&<>()-][^\s;|&<>()]*)")
_IN_PLACE = re.compile(r"^(?:sed|perl)\b.*?\s-[A-Za-z]*i\S*\s.*?(\S+)$", re.DOTALL)
_REMOVES = re.compile(r"^(?:git )?rm\s+(?:-\S+\s+)*(\S+)$")
_MOVES = re.compile(r"^(?:git )?(?:mv|cp)\s+(?:-\S+\s+)*(\S+)\s+(\S+)$")
_PRINTS = re.compile(r"^sed\s+-n\s+(?:\"|')?(\d+),(\d+)p(?:\"|')?\s+(\S+)$")
_HEADS = re.compile(r"^head\s+(?:-n\s*|-)(\d+)\s+(\S+)$")
_CATS = re.compile(r"^(?:cat|bat|less|nl -ba|cat -n|nl)\s+([^\s-]\S*)$")
_NO_FILES = re.compile(r"/dev/\S*|[-&].*|\$\S*|.*[*?{}$`'\"\\<>|].*|/|\.|\.\.|~")


def segments(command: str) -> list[str]:
    """Give the simple commands of a line, without what only surrounds them."""
    text = _HEREDOC.sub(" ", command[:LOOKED_AT]).replace("\\\n", " ")
    plain = _QUOTED.sub(lambda quoted: re.sub(r"[;|&\n<>]", "\0", quoted[0]), text)
    pieces = (_PREFIX.sub("", piece.strip(), count=1).strip() for piece in _SEGMENTS.split(plain))
    return [piece for piece in pieces if piece and not piece.startswith("#")]


def only_looks(command: str) -> bool:
    """Tell whether a command changes nothing and tests nothing: only its output mattered, and that was read."""
    return not any(True for _ in files_written(command)) and all(map(_looks, segments(command)))


def is_quiet(command: str) -> bool:
    """Tell whether a command is worth a line only where it fails: it moved files about, or fetched something."""
    found = segments(command)
    return all(_looks(segment) or _program(segment) in _QUIET or segment.startswith("git add") for segment in found)


def _program(segment: str) -> str:
    words = segment.split(maxsplit=1)
    return words[0].rsplit("/", 1)[-1].lower() if words else ""


def _looks(segment: str) -> bool:
    words = segment.split()
    program = _program(segment)
    if program == "git":
        rest = [word for word in words[1:] if not word.startswith("-") and "/" not in word and "=" not in word]
        return bool(rest) and rest[0] in _GIT_LOOKS
    return program in _LOOKS or _TOOL_LOOKS.match(segment) is not None


def is_filtered(command: str) -> bool:
    """Tell whether a command's exit code is that of a filter at its end, which hides how the command itself went."""
    text = _QUOTED.sub("''", _HEREDOC.sub(" ", command[:LOOKED_AT]))
    last = re.split(r"&&|\|\||[;\n]", text.strip())[-1]
    return "|" in last or re.search(r"\|\|\s*(?:true|:|echo\b)", text) is not None or last.strip().startswith("echo")


def files_written(command: str) -> Iterator[File]:
    """Give the files that a command writes, edits or deletes."""
    if "rm" not in command and not any(sign in command for sign in (">", "tee", "sed", "perl", "mv", "cp")):
        return
    for segment in segments(command):
        for found in _WRITES.finditer(segment):
            yield from _file(found[1] or found[2], Change.WRITTEN)
        for pattern, change in ((_IN_PLACE, Change.EDITED), (_REMOVES, Change.DELETED)):
            simple = pattern.match(segment)
            if simple:
                yield from _file(simple[1], change)
        moved = _MOVES.match(segment)
        if moved:
            if "mv" in segment.split()[:2]:
                yield from _file(moved[1], Change.DELETED)
            yield from _file(moved[2], Change.WRITTEN)


def files_read(command: str) -> Iterator[File]:
    """Give the files that a command shows: whole, or a range of lines."""
    for segment in segments(command):
        shown, head, whole = _PRINTS.match(segment), _HEADS.match(segment), _CATS.match(segment)
        if shown and is_file(shown[3]):
            yield File(path=shown[3], read=True, ranges=_range(shown[1], shown[2]))
        elif head and is_file(head[2]):
            yield File(path=head[2], read=True, ranges=_range("1", head[1]))
        elif whole and is_file(whole[1]):
            yield File(path=whole[1], read=True)


def _range(first: str, last: str) -> tuple[tuple[int, int], ...]:
    start, end = int(first[:9]), int(last[:9])
    return ((start, end),) if start <= end else ()


def _file(word: str, change: Change) -> Iterator[File]:
    if is_file(word):
        yield File(path=word, change=change)


def is_file(word: str) -> bool:
    """Tell whether a word of a command can be one file's path."""
    return is_path(word) and _NO_FILES.fullmatch(word) is None
