"""OpenAI Responses: each item is there once, and reasoning stands before what it led to.

Which reasoning an item asks for only the service knows, by the item's id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.testing.validity.violation import Json, Violation


def check_ids(items: Sequence[Json]) -> Iterator[Violation]:
    """Yield items whose id came before."""
    seen: set[str] = set()
    for index, item in enumerate(items):
        id = item.get("id")
        if not isinstance(id, str) or item.get("type") in (None, "item_reference", "local_shell_call_output"):
            continue
        if id in seen:
            says = f"Duplicate item found with id {id}. Remove duplicate items from your input and try again."
            yield Violation("item_repeated", f"input.{index}", says)
        seen.add(id)


def check_reasoning(items: Sequence[Json]) -> Iterator[Violation]:
    """Yield reasoning that no item of the model's own follows."""
    for index, item in enumerate(items):
        if item.get("type") == "reasoning" and not _led_somewhere(items, index + 1):
            says = f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item."
            yield Violation("reasoning_without_following_item", f"input.{index}", says)


def _led_somewhere(items: Sequence[Json], start: int) -> bool:
    while start < len(items) and items[start].get("type") == "reasoning":
        start += 1
    if start == len(items):
        return False
    following = items[start]
    kind = following.get("type", "message" if "role" in following else "item_reference")
    if kind == "message":
        return following.get("role") == "assistant"
    return not str(kind).endswith("_output") and kind not in ("additional_tools", "configuration_update")
