"""Looking at what changed since a turn, and going back to before it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from unabridged.agent.files.checkpoints import Change, Checkpoints
from unabridged.agent.files.diff import difference
from unabridged.agent.files.opening import folder_of, read_file, reason
from unabridged.agent.files.placing import Content, place, remove
from unabridged.agent.files.records import Kept, Kind, State
from unabridged.agent.files.seen import digest_of
from unabridged.agent.files.text import NotText, decode
from unabridged.agent.tool import ToolError


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a restore did."""

    undo: str
    """The checkpoint to give to `restore`, to have everything as it was before."""
    changes: tuple[Change, ...]
    """What was put back; `before` is how it was when the restore began."""
    left: tuple[tuple[Path, str], ...] = ()
    """What could not be put back, and why."""


def changes_since(checkpoints: Checkpoints, turn: str) -> list[Change]:
    """Give what is different now from how it was before a turn: what `restore` would take back."""
    found = [_change(checkpoints, path, kept.state, None) for path, kept in checkpoints.since(turn).items()]
    return [each for each in found if each is not None]


def changes_in(checkpoints: Checkpoints, turn: str) -> list[Change]:
    """Give what a turn changed, whatever came later."""
    before, after = checkpoints.within(turn)
    found = [
        _change(checkpoints, path, kept.state, after[path].state if path in after else None)
        for path, kept in before.items()
    ]
    return [each for each in found if each is not None]


def restore(checkpoints: Checkpoints, turn: str) -> Outcome:
    """Put files back to how they were before a turn; take away those that were made since.

    What is overwritten is kept first. A restore that died is completed by another of the same turn. Raises `NotFound`,
    and `ToolError` where nothing can be kept.
    """
    wanted = checkpoints.since(turn)
    undo = checkpoints.restoring(turn)
    found = {path: checkpoints.state(path) for path in wanted}
    differs = {path: now for path, now in found.items() if not _same(now, wanted[path].state)}
    checkpoints.record(differs.items())
    changes: list[Change] = []
    left: list[tuple[Path, str]] = []
    for path, now in differs.items():
        try:
            _put_back(checkpoints, wanted[path], now)
        except ToolError as error:
            left.append((path, str(error)))
        except OSError as error:
            left.append((path, reason(error)))
        else:
            changes.append(_compared(checkpoints, path, now, wanted[path].state))
    _without_folders(wanted.values())
    checkpoints.restored(turn)
    return Outcome(undo=undo, changes=tuple(changes), left=tuple(left))


def _put_back(checkpoints: Checkpoints, kept: Kept, now: State) -> None:
    path, then = kept.where, kept.state
    if then.kind is Kind.UNKEPT:
        raise ToolError(f"its earlier content was not kept: {then.why}")
    if now.kind is Kind.UNKEPT:
        raise ToolError(f"what is there now cannot be kept: {now.why}")
    data = checkpoints.contents.get(then.digest) if then.kind is Kind.FILE else b""
    if now.kind is Kind.LINK and then.kind is not Kind.LINK:
        with folder_of(path) as folder:
            os.unlink(path.name, dir_fd=folder)
    digest = now.digest if now.kind is Kind.FILE else None
    if then.kind is Kind.FILE:
        place(path, Content(data, then.mode), expected=digest)
    elif then.kind is Kind.LINK:
        _link(path, then.target)
    elif digest is not None:
        remove(path, expected=digest)


def _without_folders(wanted: Iterable[Kept]) -> None:
    """Take away folders that were made for files which are gone now, the innermost first, as far as they are empty."""
    gone = [kept for kept in wanted if kept.state.kind is Kind.ABSENT]
    made = {folder for kept in gone for folder in list(kept.where.parents)[: kept.folders]}
    for folder in sorted(made, key=lambda each: len(each.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


def _link(path: Path, target: str) -> None:
    beside = f".{secrets.token_hex(6)}.tmp"
    with folder_of(path, made=[]) as folder:
        os.symlink(target, beside, dir_fd=folder)
        try:
            os.rename(beside, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)
            raise


def _change(checkpoints: Checkpoints, path: Path, then: State, later: State | None) -> Change | None:
    now = later or _now(checkpoints, path)
    return None if _same(now, then) else _compared(checkpoints, path, then, now)


def _now(checkpoints: Checkpoints, path: Path) -> State:
    """Look at a path without keeping it."""
    state = checkpoints.state(path, is_kept=False)
    if state.kind is not Kind.FILE:
        return state
    try:
        return msgspec.structs.replace(state, digest=digest_of(read_file(path, checkpoints.largest)[0]))
    except (OSError, ToolError):
        return State(Kind.ABSENT)  # gone since it was looked at


def _compared(checkpoints: Checkpoints, path: Path, before: State, after: State) -> Change:
    try:
        old, new = (text_of(checkpoints, path, state) for state in (before, after))
    except (NotText, ToolError, OSError):
        return Change(path=path, before=before, after=after, is_text=False)
    found = difference(old, new, path.name)
    return Change(path=path, before=before, after=after, added=found.added, removed=found.removed)


def text_of(checkpoints: Checkpoints, path: Path, state: State) -> str | None:
    """Give what a path held in a state that was kept, or holds now; None where it was not there.

    Raises `NotText`, `ToolError` and `OSError`.
    """
    if state.kind is Kind.ABSENT:
        return None
    if state.kind is not Kind.FILE:
        raise NotText(state.kind.value)
    try:
        data = checkpoints.contents.get(state.digest)
    except ToolError:
        data = read_file(path, checkpoints.largest)[0]  # as it is now, which nobody kept
    return decode(data).plain


def _same(one: State, other: State) -> bool:
    if one.kind is Kind.UNKEPT or one.kind is not other.kind:
        return False
    return (one.digest, one.mode, one.target) == (other.digest, other.mode, other.target)
