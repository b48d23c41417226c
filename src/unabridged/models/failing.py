"""How an attempt ends without an answer, where no SDK says so."""

from __future__ import annotations


class Broken(Exception):
    """The answer did not come to its end, and nobody said why."""


class Refusal(Exception):
    """The provider said no, inside a response of status 200; `said` is what it sent."""

    def __init__(self, said: object) -> None:
        super().__init__("the provider refused inside its answer")
        self.said = said
