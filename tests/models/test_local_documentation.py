"""The examples of docs/local-models.md, run as they stand, and its numbers against the code."""

from __future__ import annotations

import re

import pytest

from tests.shared import REPOSITORY
from unabridged.models.discover import LLAMA_CPP, LM_STUDIO, OLLAMA, VLLM
from unabridged.models.local.server import LEAST, MOST

PAGE = (REPOSITORY / "docs" / "local-models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_does_what_it_says(block: str) -> None:
    exec(block, {})


def test_the_page_names_the_ports_and_the_windows_that_the_code_has() -> None:
    ports = f"Ollama ({OLLAMA}), llama.cpp ({LLAMA_CPP}), LM Studio ({LM_STUDIO}) and vLLM ({VLLM})"
    assert ports in PAGE
    assert f"# {LEAST} to {MOST:,}" in PAGE
