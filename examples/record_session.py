"""Records `session.jsonl`: a long coding session on this repository, with a script in the model's place.

    python examples/record_session.py [FILE]

What the agent says is written down here. What its tools give back is real: every command runs, in a copy of this
repository, when the session is recorded. The file has the form of a Claude Code session. It holds eight requests by a
person, parallel calls, a failing command, an output larger than a small model's window, and a call that was
interrupted.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workshop import REPOSITORY, Call, Workshop

LEFT_OUT = (
    ".venv",
    ".env",
    "build",
    "dist",
    "node_modules",
    "*.jsonl",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    "*.egg-info",
)
BEGAN = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
READ_AT_MOST = 230_000
"""Characters that one round of reading takes, so that the session does not grow with the repository."""

PART_LINES = 100
"""Lines of a file that are read at a time."""

Block = dict[str, object]


@dataclass
class Session:
    """The lines of the session so far, in the form of a Claude Code file: one line for each content block."""

    lines: list[str] = field(default_factory=list[str])
    _parent: str | None = None
    _answers: int = 0
    _calls: int = 0

    def say(self, text: str) -> None:
        """A person writes."""
        self._line("user", {"role": "user", "content": text})

    def remind(self, text: str) -> None:
        """The client puts a reminder in, as if the person had written it."""
        content = f"<system-reminder>\n{text}\n</system-reminder>"
        self._line("user", {"role": "user", "content": content}, isMeta=True)

    def answer(self, text: str, *calls: Call) -> None:
        """The agent speaks, calls tools, and gets their results."""
        called = self._asked(text, calls)
        for id, call in called:
            output, failed = call.run()
            result: Block = {"tool_use_id": id, "type": "tool_result", "content": output, "is_error": failed}
            self._line("user", {"role": "user", "content": [result]})

    def interrupted(self, text: str, call: Call) -> None:
        """The agent calls a tool, and the person stops it before it has a result."""
        self._asked(text, [call])
        notice: Block = {"type": "text", "text": "[Request interrupted by user for tool use]"}
        self._line("user", {"role": "user", "content": [notice]})

    def _asked(self, text: str, calls: Sequence[Call]) -> list[tuple[str, Call]]:
        self._answers += 1
        answer = f"msg_{self._answers:04d}"
        blocks: list[Block] = [{"type": "text", "text": text}]
        called: list[tuple[str, Call]] = []
        for call in calls:
            self._calls += 1
            called.append((f"toolu_{self._calls:04d}", call))
            blocks.append({"type": "tool_use", "id": called[-1][0], "name": call.name, "input": call.arguments})
        for block in blocks:
            message = {"id": answer, "type": "message", "role": "assistant", "model": "scripted", "content": [block]}
            self._line("assistant", message)
        return called

    def _line(self, kind: str, message: Block, **marks: object) -> None:
        number = len(self.lines)
        uuid = hashlib.sha256(f"line {number}".encode()).hexdigest()[:32]
        time = (BEGAN + timedelta(seconds=4 * number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"parentUuid": self._parent, "isSidechain": False, "type": kind, "message": message, "uuid": uuid}
        line |= {"timestamp": time, "sessionId": "example", "cwd": "/repo", **marks}
        self.lines.append(json.dumps(line, ensure_ascii=False))
        self._parent = uuid


def explore(talk: Session, shop: Workshop) -> None:
    talk.say(
        "Get to know this repository before we change anything. What is it made of, where does a request begin and "
        "where does it end, and what looks fragile to you? Read the sources, not only their names. One rule for all "
        "of today: never touch anything below src/ without asking me first."
    )
    talk.remind("The list of open tasks is empty. Do not mention this to the user.")
    talk.answer("I begin with the shape of it.", shop.bash("ls -A"), shop.bash("git log --oneline | head -20"))
    talk.answer(
        "Now how large the parts are, and what the project says about itself.",
        shop.bash("find src tests -name '*.py' | sort | xargs wc -l"),
        shop.bash("cat AGENTS.md"),
        shop.bash("cat pyproject.toml"),
    )
    for calls in _parts(shop, "src"):
        talk.answer(f"Reading {_named(calls)}.", *calls)
    talk.answer(
        "It is one straight line: entries come in, a budget is worked out, a plan says what stays, a view is made of "
        "it, repaired, reported and written for the wire. The values are frozen, so each part can be read alone. "
        "Fragile to my eye is everything that counts positions in texts. I have changed nothing."
    )


def look_at_tests(talk: Session, shop: Workshop) -> None:
    talk.say("Good. How is it tested? Tell me which modules have no test file of their own, with proof.")
    talk.answer(
        "I compare the two trees first.",
        shop.bash("find tests -name '*.py' | sort"),
        shop.bash("grep -rcE '^(async )?def test_' tests --include='*.py' | sort -t: -k2 -n -r"),
    )
    talk.answer("A script says it more exactly than my eyes.", shop.bash(f"python - <<'END'\n{UNTESTED}END"))
    for calls in _parts(shop, "tests"):
        talk.answer(f"Reading {_named(calls)}, to see what it asserts.", *calls)
    talk.answer("The script's list is the proof. Names are sentences, and what they say is checked from outside.")


def run_checks(talk: Session, shop: Workshop) -> None:
    talk.say("Run the linter and the architecture tests, and tell me what they say.")
    talk.answer(
        "Both at once.",
        shop.bash("ruff check --no-cache src tests"),
        shop.bash("python -m pytest -p no:cacheprovider -v tests/architecture/test_names.py"),
    )
    talk.answer("And the rest of that folder.", shop.bash("python -m pytest tests/architecture/test_size.py"))
    talk.answer(
        "I guessed the name of that file wrongly. The real one:",
        shop.bash("ls tests/architecture"),
        shop.bash("python -m pytest -p no:cacheprovider -v tests/architecture/test_sizes.py"),
    )
    talk.answer("Linter and tests have spoken; their output stands above. The failure was my wrong file name.")


def measure(talk: Session, shop: Workshop) -> None:
    talk.say("Which functions are the longest? And show me how Python's tokenizer sees the engine, all of it.")
    talk.answer("First the functions.", shop.bash(f"python - <<'END'\n{LONGEST}END"))
    talk.answer(
        "Now the tokenizer. This will be long.", shop.bash("python -m tokenize src/unabridged/engine.py | head -n 2600")
    )
    for pattern in ("raise [A-Z]\\w+", "class \\w+\\(.*frozen=True", "def \\w+\\(.*\\) -> ", "isinstance\\("):
        talk.answer(f"Where it matters for length: `{pattern}`.", shop.grep(pattern, "src"))
    talk.answer("The table gives the longest first. Nothing in it is above the project's limit of 40 lines.")


def build(talk: Session, shop: Workshop) -> None:
    talk.say(
        "Write me a small tool outside of src: scratch/tally.py. It reads a session file like ours and prints how many "
        "characters each role takes, largest first. With a test. Keep it under 40 lines."
    )
    talk.answer(
        "A module and its test, side by side.",
        shop.write("scratch/tally.py", TALLY),
        shop.write("scratch/test_tally.py", TALLY_TEST),
    )
    command = "python -m pytest -p no:cacheprovider -q -c /dev/null scratch/test_tally.py"
    talk.answer("Now run it.", shop.bash(command))
    talk.answer(
        "My sort puts the smallest first. One word is missing.",
        shop.edit("scratch/tally.py", "key=lambda pair: pair[1])", "key=lambda pair: pair[1], reverse=True)"),
    )
    talk.answer("Again.", shop.bash(command), shop.bash("wc -l scratch/*.py"))
    talk.answer("scratch/tally.py does it, its test passes, and it has fewer than 40 lines. src/ is untouched.")


def interrupt(talk: Session, shop: Workshop) -> None:
    talk.say("Run the whole test-suite now.")
    talk.interrupted("All tests, in one process.", shop.bash("python -m pytest tests"))
    talk.say("Stop, that takes too long on this machine. Just collect them and count.")
    talk.answer(
        "Only collecting.",
        shop.bash("python -m pytest -p no:cacheprovider --collect-only -q tests/architecture"),
        shop.bash("grep -rhE '^(async )?def test_' tests --include='*.py' | wc -l"),
    )
    talk.answer("The number above is how many tests there are, before parameters multiply them.")


def review(talk: Session, shop: Workshop) -> None:
    talk.say("Go through src once more and list every first line of a docstring that does not end with a full stop.")
    talk.answer("By syntax tree, not by eye.", shop.bash(f"python - <<'END'\n{DOCSTRINGS}END"))
    for path in sorted(shop.sources("src"), key=shop.size, reverse=True)[:24]:
        folder = Path(path).parent.as_posix()
        talk.answer(
            f"Checking {path} in full, since a docstring may lie about what follows it.",
            shop.bash(f"sed -n '1,80p' {path}"),
            shop.bash(f'grep -nE \'"""\' {path} | head -40; ls {folder}'),
        )
    talk.answer("The script's list is complete: what it does not name ends with a full stop.")


def wrap_up(talk: Session, shop: Workshop) -> None:
    talk.say("Last thing. What rule did I give you at the very beginning, and did you keep it? Prove it.")
    talk.answer(
        "You said: never touch anything below src/ without asking first.",
        shop.bash("diff -r -x __pycache__ ../before src && echo 'src is as it was'"),
    )
    talk.answer("I kept it: a comparison with the copy made before we began shows no difference.")
    talk.say("Then write the summary of today that I can send to the others.")


UNTESTED = """\
from pathlib import Path
tests = " ".join(path.read_text() for path in Path("tests").rglob("*.py"))
for path in sorted(Path("src").rglob("*.py")):
    module = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
    print(f"{'named in tests' if module in tests else 'NOT NAMED':>15}  {module}")
"""

LONGEST = """\
import ast
from pathlib import Path
found = []
for path in Path("src").rglob("*.py"):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((node.end_lineno - node.lineno + 1, f"{path}:{node.lineno} {node.name}"))
for lines, place in sorted(found, reverse=True)[:120]:
    print(f"{lines:>4}  {place}")
"""

DOCSTRINGS = """\
import ast
from pathlib import Path
seen = 0
for path in sorted(Path("src").rglob("*.py")):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            seen += 1
            first = ast.get_docstring(node).splitlines()[0]
            if not first.endswith("."):
                print(path, getattr(node, "name", "(module)"), "|", first)
print(seen, "docstrings looked at")
"""

TALLY = '''\
"""Counts characters by role in a session file."""

import json
import sys
from collections import Counter


def tally(lines):
    """Give (role, characters), largest first."""
    counts = Counter()
    for line in lines:
        message = json.loads(line).get("message", {})
        counts[message.get("role", "none")] += len(json.dumps(message.get("content", "")))
    return sorted(counts.items(), key=lambda pair: pair[1])


if __name__ == "__main__":
    for role, characters in tally(open(sys.argv[1], encoding="utf-8")):
        print(f"{characters:>10,}  {role}")
'''

TALLY_TEST = """\
import json

from tally import tally


def line(role, content):
    return json.dumps({"message": {"role": role, "content": content}})


def test_the_role_with_the_most_characters_comes_first():
    assert [role for role, _ in tally([line("user", "hi"), line("assistant", "hello there")])] == ["assistant", "user"]


def test_no_line_gives_no_role():
    assert tally([]) == []
"""


def _parts(shop: Workshop, folder: str) -> Iterator[list[Call]]:
    """Give the calls of one round of reading: a small file whole, together with the next; a large one in parts."""
    together: list[Call] = []
    taken = 0
    for path in shop.sources(folder):
        lines, size = shop.size(path)
        taken += size
        if taken > READ_AT_MOST:
            break
        if lines <= PART_LINES:
            together.append(shop.read(path))
        else:
            yield from ([shop.read(path, first, PART_LINES)] for first in range(1, lines + 1, PART_LINES))
        if len(together) == 2:
            yield together
            together = []
    if together:
        yield together


def _named(calls: Sequence[Call]) -> str:
    paths = (str(call.arguments["file_path"]).removeprefix("/repo/") for call in calls)
    first = calls[0].arguments.get("offset")
    return " and ".join(paths) + (f" from line {first}" if first else "")


def record() -> list[str]:
    """Play the whole session in a fresh copy of the repository and give its lines."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "repo"
        shutil.copytree(REPOSITORY, root, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        shutil.copytree(root / "src", root.parent / "before")
        talk, shop = Session(), Workshop(root)
        for part in (explore, look_at_tests, run_checks, measure, build, interrupt, review, wrap_up):
            part(talk, shop)
    return talk.lines


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "examples" / "session.jsonl"
    lines = record()
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} lines, {target.stat().st_size:,} bytes: {target}")


if __name__ == "__main__":
    main()
