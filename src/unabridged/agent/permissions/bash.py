"""What a command line holds, as bash would take it apart: simple commands, redirections, and what cannot be told.

A grammar for editors forgives, a shell does not; so each piece of its tree is checked against the text. Whatever is
not of the plain kinds below, or was skipped over, makes the whole line unclear, and an unclear line is asked about.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import msgspec
import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from unabridged.agent.permissions.bash_text import continued, heredoc_is_plain, literal_string, literal_word, word_set

_SEQUENCES = word_set(
    "program list pipeline subshell compound_statement if_statement elif_clause else_clause while_statement "
    "do_group negated_command case_item command_substitution process_substitution redirected_statement "
    "function_definition for_statement case_statement variable_assignments"
)
_WORDS = word_set(
    "word number string raw_string concatenation simple_expansion expansion command_substitution "
    "process_substitution ansi_c_string translated_string arithmetic_expansion"
)
_TOKENS = word_set(
    "; ;; & && | |& || ! ( ) { } $( ` <( >( if then elif else fi for in do done while until case esac function = "
    "+= < > >> >| &> &>> >& <& <<< << <<- [ ] [[ ]] export local readonly"
) | {'"', "\n"}
_NEVER_NAMES = word_set(
    "if then elif else fi for in do done while until case esac function select coproc time { } [[ ]] !"
)
_PLAIN_EXPANSION = re.compile(r"\$(?:\w+|[?#@*$!-])|\$\{\w+(?::?[-+][\w./-]*)?\}")
_PLAIN_ARITHMETIC = re.compile(r"\$\(\([\d\s+*/%()<>=!&|^~?:-]*\)\)")


class Word(msgspec.Struct, frozen=True):
    """One word."""

    raw: str
    text: str | None
    """Without its quotes. None: known only when it runs."""
    glob: bool = False
    """The shell puts the names of files in its place."""


class Call(msgspec.Struct, frozen=True):
    """A simple command. Without words, its assignments stay in the shell."""

    words: tuple[Word, ...] = ()
    assigned: tuple[tuple[str, Word], ...] = ()


class Redirect(msgspec.Struct, frozen=True):
    """A file that the shell itself opens."""

    writes: bool
    target: Word


class Script(msgspec.Struct):
    """All that a command line holds, in the order in which it is written."""

    calls: list[Call] = msgspec.field(default_factory=list[Call])
    redirects: list[Redirect] = msgspec.field(default_factory=list[Redirect])
    unclear: list[str] = msgspec.field(default_factory=list[str])


def parse(command: str) -> Script:
    """Take a command line apart. Never raises: what cannot be told is in `unclear`."""
    script = Script()
    odd = next((char for char in command if char not in " \t\n" and unicodedata.category(char)[0] in "CZ"), None)
    if odd is not None:
        script.unclear.append(f"it holds the invisible character U+{ord(odd):04X}")
        return script
    source = command.encode()
    tree = _parser().parse(source)
    if tree.root_node.has_error:
        script.unclear.append("it cannot be parsed")
        return script
    _Walk(source, script).visit(tree.root_node)
    return script


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


class _Walk:
    """Goes through a tree once."""

    def __init__(self, source: bytes, script: Script) -> None:
        self.source = source
        self.script = script

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode()

    def doubt(self, why: str) -> None:
        if why not in self.script.unclear:
            self.script.unclear.append(why)

    def visit(self, node: Node) -> None:
        """Take in a statement, or a piece of one."""
        kind = node.type
        takes = {
            "command": self._command,
            "variable_assignment": self._assignment,
            "declaration_command": self._declaration,
            "test_command": self._test,
            "file_redirect": self._redirect,
            "herestring_redirect": self._redirect,
            "heredoc_redirect": self._heredoc,
            "comment": self._comment,
            **dict.fromkeys(_SEQUENCES, self._sequence),
        }.get(kind)
        if node.is_named and takes is not None:
            takes(node)
        elif node.is_named or kind not in _TOKENS:
            self.doubt(f"it holds `{kind.strip()}`" if not node.is_named else f"it holds a {kind.replace('_', ' ')}")

    def _assignment(self, node: Node) -> None:
        self.script.calls.append(Call(assigned=self._assigned([node])))

    def _sequence(self, node: Node) -> None:
        self._covered(node, newlines=True)
        names: list[str] = []
        for child in node.children:
            if child.type in _WORDS and node.type in ("for_statement", "case_statement", "case_item"):
                self.word(child)
            elif child.type == "variable_name" or (child.type == "word" and node.type == "function_definition"):
                names.append(self.text(child))
            elif child.type == "extglob_pattern":
                self._plain(child)
            else:
                self.visit(child)
        if names and node.type == "for_statement":
            # A loop gives its variable a value as an assignment does.
            self.script.calls.append(Call(assigned=tuple((name, Word("", None)) for name in names)))

    def _command(self, node: Node) -> None:
        self._covered(node, newlines=False)
        words: list[Word] = []
        for child in node.children:
            if child.type == "command_name":
                self._covered(child, newlines=False)
                words += [self.word(each) for each in child.children]
            elif child.type in _WORDS:
                words.append(self.word(child))
            elif child.type != "variable_assignment":
                self.visit(child)
        if words and words[0].raw in _NEVER_NAMES - {"time"}:
            self.doubt(f"it runs `{words[0].raw}` as a command")
        assigned = self._assigned([each for each in node.children if each.type == "variable_assignment"])
        self.script.calls.append(Call(tuple(words), assigned))

    def _assigned(self, nodes: list[Node]) -> tuple[tuple[str, Word], ...]:
        found: list[tuple[str, Word]] = []
        for node in nodes:
            self._covered(node, newlines=False)
            name = node.child_by_field_name("name")
            value = node.child_by_field_name("value")
            if name is None or name.type != "variable_name" or (value is not None and value.type not in _WORDS):
                self.doubt("it assigns to more than a plain variable")
                continue
            found.append((self.text(name), self.word(value) if value is not None else Word("", "")))
        return tuple(found)

    def _declaration(self, node: Node) -> None:
        self._covered(node, newlines=False)
        if any(each.type not in ("export", "local", "readonly", "variable_assignment") for each in node.children):
            self.doubt("it declares more than a plain variable")
        assigned = self._assigned([each for each in node.children if each.type == "variable_assignment"])
        # As before a command: an exported variable reaches every command that follows.
        self.script.calls.append(Call((Word("export", "export"),), assigned))

    def _test(self, node: Node) -> None:
        # A test only looks, unless a value in it is evaluated: `[[ x -eq a[$(command)] ]]`, `[ -v 'a[$(command)]' ]`.
        # Even a bare name is: in `[[ x -eq 1 ]]` what x holds, in `[[ -v a[x] ]]` likewise.
        text = self.text(node)
        if not text.startswith("[") or re.search(r"[$`<>&|;\n\\]|-(?:[vR]|eq|ne|lt|le|gt|ge)\b|\w\[", text):
            self.doubt("it holds a test whose values are known only when it runs")

    def _redirect(self, node: Node) -> None:
        self._covered(node, newlines=False)
        sign = next((each.type for each in node.children if not each.is_named), "")
        targets = [self.word(each) for each in node.children if each.type in _WORDS]
        for each in node.children:
            if each.type not in _WORDS and each.type != "file_descriptor":
                self.visit(each)
        if node.type == "herestring_redirect":
            return
        if targets and not (sign in (">&", "<&") and re.fullmatch(r"\d+|-", targets[0].raw)):
            self.script.redirects.append(Redirect(">" in sign or sign == "<&", targets[0]))
        if len(targets) > 1 and self.script.calls:
            # `ls >file more`: the words after the file belong to the command before it.
            last = self.script.calls.pop()
            self.script.calls.append(Call((*last.words, *targets[1:]), last.assigned))

    def _heredoc(self, node: Node) -> None:
        self._covered(node, newlines=True)
        if not heredoc_is_plain(self.source, node):
            self.doubt("it holds a here-document that a shell may read in another way")
        for child in node.children:
            if child.type not in ("heredoc_start", "heredoc_body", "heredoc_end", "file_descriptor"):
                self.visit(child)

    def _comment(self, node: Node) -> None:
        before = self.source[: node.start_byte].decode()
        if not re.search(r"(?:^|\n|(?<!\\)[ \t])$", before):
            self.doubt("a shell may not see a comment where one seems to begin")

    def word(self, node: Node) -> Word:
        """Give a word, and take in what is substituted into it."""
        raw = self.text(node)
        pieces = node.children if node.type == "concatenation" else [node]
        if node.type == "concatenation" and (self._gaps(node) or "".join(map(self.text, pieces)) != raw):
            self.doubt("its words cannot be told apart")
        read = [self._piece(each) for each in pieces]
        known = all(text is not None for text, _ in read)
        bare = "".join(self.text(each) for each in pieces if each.type == "word")
        expands = ("{" in bare and bare != "{}") or bool(re.match(r"~[^/]", raw))
        text = "".join(text or "" for text, _ in read) if known and not expands else None
        return Word(raw, text, any(glob for _, glob in read))

    def _piece(self, node: Node) -> tuple[str | None, bool]:
        raw, kind = self.text(node), node.type
        if kind in ("word", "number") or not node.is_named:
            text = literal_word(raw)
            if text is None:
                self.doubt(f"it holds the word {raw!r}, which a shell may read in another way")
            return text, bool(re.search(r"(?<!\\)[*?\[]", raw))
        if kind == "raw_string" and re.fullmatch(r"'[^']*'", raw):
            return raw[1:-1], False
        if kind == "string":
            return self._string(node), False
        if kind in ("command_substitution", "process_substitution"):
            self._sequence(node)
        elif kind in ("simple_expansion", "expansion"):
            self._plain(node, _PLAIN_EXPANSION)
        elif kind == "arithmetic_expansion":
            self._plain(node, _PLAIN_ARITHMETIC)
        else:
            self.doubt(f"it holds a {kind.replace('_', ' ')}")
        return None, kind in ("simple_expansion", "expansion", "command_substitution")

    def _string(self, node: Node) -> str | None:
        inner = [each for each in node.children if each.is_named and each.type != "string_content"]
        rest, start = "", node.start_byte + 1
        for each in inner:
            rest += self.source[start : each.start_byte].decode()
            start = each.end_byte
            self._piece(each)
        rest += self.source[start : node.end_byte - 1].decode()
        text = literal_string(rest)
        if text is None:
            self.doubt("it holds a quoted string that a shell may end elsewhere")
        return None if inner else text

    def _plain(self, node: Node, allowed: re.Pattern[str] = re.compile(r"[\w.*?/|-]*")) -> None:
        if not allowed.fullmatch(self.text(node)):
            self.doubt(f"it expands {self.text(node)!r}")

    def _covered(self, node: Node, *, newlines: bool) -> None:
        """Make sure that between the pieces of a node there is nothing that was skipped over."""
        for gap in self._gaps(node):
            if not continued(gap, newlines=newlines):
                self.doubt("a part of it was not understood")

    def _gaps(self, node: Node) -> list[str]:
        gaps: list[str] = []
        end = node.start_byte
        for child in [*node.children, None]:
            start = node.end_byte if child is None else child.start_byte
            if start > end and node.children:
                gaps.append(self.source[end:start].decode())
            end = max(end, child.end_byte if child is not None else end)
        return gaps
