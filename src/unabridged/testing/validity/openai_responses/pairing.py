"""OpenAI Responses: each call has one output behind it, wherever that stands, and each output has its call.

A reference stands for an item that the service keeps: it may be the call that an output answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.testing.validity.violation import Json, Violation

_FUNCTIONS = {"function_call": "function call", "custom_tool_call": "custom tool call"}
_OWN = {
    "computer_call": "computer call",
    "shell_call": "shell call",
    "apply_patch_call": "apply patch call",
    "local_shell_call": "local shell call",
}
_CALLS = _FUNCTIONS | _OWN
_OUTPUTS = {f"{kind}_output": kind for kind in _CALLS}


def check_pairing(items: Sequence[Json], *, continues: bool) -> Iterator[Violation]:
    """Yield calls without an output, outputs without a call before them, and ids that are called twice.

    Args:
        items: The items, of sound shape.
        continues: The request goes on from items that the service keeps.
    """
    called: dict[tuple[str, str], int] = {}
    answered: set[tuple[str, str]] = set()
    references = sum(1 for item in items if _is_reference(item))
    for index, item in enumerate(items):
        kind = str(item.get("type"))
        if kind in _CALLS:
            yield from _call(index, (kind, str(item.get("call_id"))), called)
        elif kind in _OUTPUTS:
            pair = _OUTPUTS[kind], _answered_id(item)
            known = pair in called and pair not in answered
            if not known and references and pair not in answered:
                references -= 1
            elif not known and not continues:
                yield _without_call(index, pair, again=pair in answered)
            answered.add(pair)
    for pair, index in called.items():
        if pair not in answered:
            says = f"No tool output found for {_CALLS[pair[0]]} {pair[1]}."
            yield Violation("call_unanswered", f"input.{index}", says)


def _call(index: int, pair: tuple[str, str], called: dict[tuple[str, str], int]) -> Iterator[Violation]:
    if pair in called:
        yield Violation("call_id_repeated", f"input.{index}", f"Duplicate 'call_id': {pair[1]}")
    called[pair] = index


def _answered_id(item: Json) -> str:
    id = item.get("call_id")
    return str(item.get("id") if id is None else id)


def _is_reference(item: Json) -> bool:
    is_one = item.get("type") == "item_reference" or set(item) == {"id"}
    return is_one and not str(item.get("id")).startswith(("msg_", "rs_"))


def _without_call(index: int, pair: tuple[str, str], *, again: bool) -> Violation:
    says = f"No tool call found for {_CALLS[pair[0]]} output with call_id {pair[1]}."
    return Violation("output_repeated" if again else "output_without_call", f"input.{index}", says)
