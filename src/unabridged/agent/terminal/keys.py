"""Which keys do what."""

from __future__ import annotations

from typing import Protocol

from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys


class Pressed(Protocol):
    """What keys are pressed on."""

    @property
    def is_asking(self) -> bool:
        """A key is waited for."""
        ...

    @property
    def is_busy(self) -> bool:
        """Something can be interrupted."""
        ...

    def answer(self, key: str) -> None:
        """Take a key that was waited for."""
        ...

    def escape(self) -> None:
        """Leave a question out, or stop what runs."""
        ...

    def control_c(self) -> None:
        """Stop what runs, or forget what was typed; twice, leave."""
        ...

    def enter(self) -> None:
        """Send what was typed."""
        ...

    def cycle_mode(self) -> None:
        """Go to the next mode."""
        ...

    def leave(self) -> None:
        """End."""
        ...


def bindings(on: Pressed) -> KeyBindings:
    """Give the keys."""
    keys = KeyBindings()
    asking = Condition(lambda: on.is_asking)
    busy = Condition(lambda: on.is_busy)
    _typing(keys, on, asking)
    _stopping(keys, on)

    # A question takes every key at once; these two must not be taken for an answer.
    @keys.add("escape", filter=(asking | busy) & ~is_searching, eager=asking)
    def escape(_: KeyPressEvent) -> None:
        on.escape()

    @keys.add("s-tab", filter=~asking)
    def cycle(_: KeyPressEvent) -> None:
        on.cycle_mode()

    @keys.add(Keys.Any, filter=asking, eager=True)
    def answer(event: KeyPressEvent) -> None:
        on.answer(event.data.lower())

    return keys


def _typing(keys: KeyBindings, on: Pressed, asking: Condition) -> None:
    @keys.add("enter", filter=~is_searching)
    def enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if asking():
            return
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif buffer.document.current_line_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline()
        else:
            on.enter()

    @keys.add("escape", "enter", filter=~asking)
    def newline(event: KeyPressEvent) -> None:
        event.current_buffer.newline()


def _stopping(keys: KeyBindings, on: Pressed) -> None:
    @keys.add("c-c", eager=True)
    def interrupt(_: KeyPressEvent) -> None:
        on.control_c()

    @keys.add("c-d")
    def leave(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.delete()
        else:
            on.leave()
