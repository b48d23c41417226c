"""Promises that are kept at every call of the model: each watches a story, alone or together with the others."""

from __future__ import annotations

import pytest

from tests.properties.events import Story
from tests.properties.walking import Step, walk

ALONE = pytest.mark.alone
"""Marks a property of one watch: `make verify-promises` tests all of them together instead."""


class Watch:
    """Looks at each call of the model, and once at the end; raises `AssertionError` where its promise is broken."""

    def see(self, step: Step) -> None:
        """Look at one call of the model."""
        raise NotImplementedError

    def end(self) -> None:
        """Look at what is left when the story is over."""


def watch(story: Story, *watches: Watch) -> None:
    """Live a story through under the eyes of some promises."""
    for step in walk(story):
        for each in watches:
            each.see(step)
    for each in watches:
        each.end()
