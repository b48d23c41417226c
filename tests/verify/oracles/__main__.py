"""Reads views from standard input, has every oracle look at each, and prints a line an oracle.

That an oracle would notice is shown by views that are spoilt on purpose: without the result of their last call.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tests.verify.oracles.judges import Judge, LiteLLM, PydanticAI

TOLD = 5
"""Changes that are told in full, of each oracle."""


def spoilt(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]] | None:
    """Give the messages without their last result; None where there is none."""
    last = next((place for place in reversed(range(len(messages))) if messages[place]["role"] == "tool"), None)
    return None if last is None else [message for place, message in enumerate(messages) if place != last]


def main() -> int:
    """Print the lines; give 0 if no oracle would change a view, and each noticed every spoilt one."""
    judges: tuple[Judge, ...] = (PydanticAI(), LiteLLM())
    counts: Counter[tuple[str, str]] = Counter()
    conversations: Counter[str] = Counter()
    views, written, newest = 0, None, ("", "")
    for line in sys.stdin:
        view = json.loads(line)
        if "written" in view:
            written = view["written"]
            break
        views += 1
        if (view["source"], view["name"]) != newest:
            newest = view["source"], view["name"]
            conversations[view["source"]] += 1
        for judge in judges:
            look(judge, view, counts)
    told = ", ".join(f"{number} {source}" for source, number in sorted(conversations.items()))
    for judge in judges:
        changed, seen, noticed = (counts[judge.name, kind] for kind in ("changed", "spoilt", "noticed"))
        print(f"{judge.name}: {views:,} views ({told}), {changed} changed; of {seen:,} spoilt ones noticed {noticed:,}")
    if written != views or not views:
        print(f"{views:,} views came, and {written} were made: the one that makes them stopped early")
        return 1
    return int(any(counts[j.name, "changed"] or counts[j.name, "noticed"] < counts[j.name, "spoilt"] for j in judges))


def look(judge: Judge, view: Mapping[str, Any], counts: Counter[tuple[str, str]]) -> None:
    """Have one oracle look at one view, and at the same view spoilt."""
    change = judge.would_change(view["messages"])
    if change is not None:
        counts[judge.name, "changed"] += 1
        if counts[judge.name, "changed"] <= TOLD:
            print(f"    {judge.name}: {view['source']} {view['name']}: {change}")
    broken = spoilt(view["messages"])
    if broken is not None:
        counts[judge.name, "spoilt"] += 1
        counts[judge.name, "noticed"] += judge.would_change(broken) is not None


if __name__ == "__main__":
    sys.exit(main())
