"""Which files a patch touches: the `apply_patch` form and unified diffs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unabridged.summarizer.paths import is_path
from unabridged.summarizer.record import Change, File

_APPLY = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)[ \t\r]*$|^\*\*\* Move to: (.+?)[ \t\r]*$", re.MULTILINE)
_UNIFIED = re.compile(r"^--- ([^\n]+)\n\+\+\+ ([^\n]+)\n@@ ", re.MULTILINE)
_CHANGES = {"Add": Change.WRITTEN, "Update": Change.EDITED, "Delete": Change.DELETED}
_NOWHERE = "/dev/null"


def looks_like_patch(text: str) -> bool:
    """Tell whether a text holds a patch of a form that is read here."""
    return "*** Begin Patch" in text or ("\n+++ " in text and "@@ " in text)


def files_patched(text: str) -> Iterator[File]:
    """Give every file that a patch writes, edits, deletes or moves."""
    for found in _APPLY.finditer(text):
        path, change = (found[3], Change.WRITTEN) if found[3] else (found[2], _CHANGES[found[1]])
        if is_path(path):
            yield File(path=path, change=change)
    for found in _UNIFIED.finditer(text):
        old, new = _name(found[1]), _name(found[2])
        change = Change.WRITTEN if old == _NOWHERE else Change.DELETED if new == _NOWHERE else Change.EDITED
        path = old if new == _NOWHERE else new
        if is_path(path):
            yield File(path=path, change=change)


def _name(header: str) -> str:
    # A time stamp may stand behind a tab, and git puts a letter for the side in front.
    path = header.split("\t")[0].strip()
    return path[2:] if path.startswith(("a/", "b/")) else path
