"""Reads every known text of every provider in every shape, and counts what was understood.

overflow      texts that say the input is too long        else      what only looks like it, and broken structure
arrivals      each text in each shape in which errors arrive: bodies, events, JSON in JSON, exceptions of the SDKs
kind, numbers arrivals whose kind, and whose numbers, were read right
named         texts whose provider was guessed; a wrong guess counts as wrong
"""

from __future__ import annotations

import sys
from collections import Counter

from tests.models.lookalikes import LOOKALIKES, STRUCTURES
from tests.models.overflows import OVERFLOWS
from tests.models.rows import Row
from tests.models.shapes import SHAPES, openai_body
from tests.models.silent import HONEST, SILENT
from unabridged.models.overflow import ErrorKind, Meaning, meaning_of
from unabridged.models.truncation import silent_cut

COLUMNS = ("overflow", "else", "arrivals", "kind", "numbers", "named")
ROWS = [*OVERFLOWS, *LOOKALIKES, *STRUCTURES]


def main() -> int:
    """Print the table, and each arrival that was misread; give 1 if there is one."""
    print(__doc__)
    counts: dict[str, Counter[str]] = {}
    faults: list[str] = []
    for row in ROWS:
        read, wrong = _read(row)
        counts.setdefault(row.provider or "(any)", Counter()).update(read)
        faults += wrong
    total = sum(counts.values(), Counter[str]())
    print(f"{'provider':18}" + "".join(f"{column:>10}" for column in COLUMNS))
    for provider, count in [*sorted(counts.items()), ("all", total)]:
        print(f"{provider:18}" + "".join(f"{count[column]:10,}" for column in COLUMNS))
    faults += _silent()
    print("\n".join(faults) if faults else "nothing was misread")
    return 1 if faults else 0


def _read(row: Row) -> tuple[Counter[str], list[str]]:
    read = {name: meaning_of(shape(row)) for name, shape in SHAPES.items()}
    of_kind = [name for name, found in read.items() if found.kind is row.kind]
    numbered = [name for name, found in read.items() if _numbers(found) == row.numbers]
    guess = meaning_of(openai_body(row)).provider
    wrong = [f"{row.id}: misread as {name}" for name in SHAPES if name not in of_kind or name not in numbered]
    if guess not in row.guesses:
        wrong.append(f"{row.id}: taken for {guess}")
    count = Counter({"arrivals": len(read), "kind": len(of_kind), "numbers": len(numbered), "named": bool(guess)})
    count["overflow" if row.kind is ErrorKind.OVERFLOW else "else"] = 1
    return count, wrong


def _numbers(found: Meaning) -> tuple[int | None, ...]:
    return found.limit, found.requested, found.output, found.output_allowed


def _silent() -> list[str]:
    seen = [silent_cut(case.exchanges, window=case.window) for case in (*SILENT, *HONEST)]
    wrong = [case for case, cut in zip((*SILENT, *HONEST), seen, strict=True) if (cut and cut.reason) != case.reason]
    print(f"\nsilent cuts: {len(SILENT)} cases, honest reports: {len(HONEST)}, wrong: {len(wrong)}")
    return [f"{case}: misread" for case in wrong]


if __name__ == "__main__":
    sys.exit(main())
