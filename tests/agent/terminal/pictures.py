"""Draws the pictures of the terminal: sessions with a scripted model, drawn by the agent's own renderer.

`python -m tests.agent.terminal.pictures FOLDER` writes them as SVG.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

from tests.agent.terminal.recording import Recorded
from unabridged.agent.opening import Wanted, opened
from unabridged.agent.permissions.questions import Danger, Question
from unabridged.agent.settings import Settings
from unabridged.agent.terminal.cards import choices, menu, question
from unabridged.agent.terminal.front import Front
from unabridged.agent.terminal.ink import SIGNS
from unabridged.agent.terminal.obeying import obey
from unabridged.agent.watching import Watcher
from unabridged.testing import Call, FakeProvider, Reply, Scripted, serving

# As rich makes it, but with the fonts that are there: a picture must not fetch any.
FORMAT = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
CODE = "def total(prices):\n    result = 0\n    for price in prices:\n        result = price\n    return result\n"
EDIT = '{"path": "shop.py", "edits": [{"old": "result = price", "new": "result += price"}]}'
LINES = [
    Reply(text="I look at the code first.", calls=(Call("read", '{"path": "shop.py"}'),)),
    Reply(text="`result` is overwritten in each round.", calls=(Call("edit", EDIT),)),
    Reply(calls=(Call("shell", '{"command": "python -c \'import shop; print(shop.total([1, 2]))\'"}'),)),
    "`total` adds up now.\n\n- **Cause**: `result = price` replaced the sum.\n- **Checked**: `total([1, 2])` is 3.",
    *["A longer answer, to fill the window. " * 60] * 6,
    "The user asked to fix `total` in shop.py: done, and checked.",
]


async def session(folder: Path, url: str) -> Recorded:
    """Fix something, and look at what fills the window."""
    screen = Recorded(width=88, colours=True)
    (folder / "shop.py").write_text(CODE)
    front = Front(screen, folder, obey)
    settings = Settings(model="fake", base_url=f"{url}/v1", window=32_000, mode="auto")
    async with opened(Wanted(settings=settings, folder=folder, store=str(folder / "sessions.db")), front.ask) as office:
        front.opened(office, office.desk(Watcher(tell=front.tell)))
        await done(front, "Fix total in shop.py, it is wrong")
        await done(front, "/context")
    return screen


async def done(front: Front, text: str) -> None:
    """Type something, and wait until nothing runs."""
    front.submit(text)
    await asyncio.sleep(0.2)
    while front.is_busy:
        await asyncio.sleep(0.05)


def asked() -> Recorded:
    """Give what stands before a command that is asked about."""
    screen = Recorded(width=88, colours=True)
    risky = Question(
        tool="shell",
        title="git push --force origin main",
        danger=Danger.HIGH,
        why=("It could lose work that others have pushed.",),
    )
    usual = Question(
        tool="shell", title="npm test -- --watch=false", rules=("allow shell(npm test *)",), why=("It runs a program.",)
    )
    for each in (usual, risky):
        screen.show(*question(each, SIGNS), menu(list(choices(each).items()), SIGNS), Text())
    return screen


def main() -> int:
    """Write the pictures."""
    target = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="shop-") as folder, serving(FakeProvider(Scripted(LINES))) as url:
        drawn = {"agent-session": asyncio.run(session(Path(folder).resolve(), url)), "agent-question": asked()}
    for name, screen in drawn.items():
        svg = screen.console.export_svg(title="unabridged agent", theme=DIMMED_MONOKAI, code_format=FORMAT)
        # Numbers of a hash that changes with every run.
        (target / f"{name}.svg").write_text(re.sub(r"terminal-\d+", "terminal", svg))
    return 0


if __name__ == "__main__":
    sys.exit(main())
