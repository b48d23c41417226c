"""Stories as hypothesis strategies: a setting, and events by weights that differ between kinds of conversation.

Few numbers are drawn for an event, and a text is one number: thousands of stories a minute have to be told. The first
choice of every table is the plainest, which is what shrinking comes to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st

from tests.properties.events import (
    Again,
    Answer,
    Asked,
    Call,
    Change,
    Emptiness,
    Event,
    Fate,
    Furniture,
    Naming,
    Orphan,
    Refusal,
    Replan,
    Result,
    Return,
    Said,
    Served,
    Speaker,
    Story,
    Switch,
    Thinking,
    Told,
    Undo,
    Words,
)
from tests.properties.texts import KINDS
from unabridged.policy import ORDERS, Policy
from unabridged.report import Fallback
from unabridged.summarizer import WhyNoSummary

T = TypeVar("T")
DIALECTS = ("openai_chat", "anthropic")

COMMON = ("words", "code", "json", "log")
KIND_TABLE = (*COMMON * 5, *KINDS)
SIZES = {
    "tiny": (0, 0),
    "short": (1, 15),
    "medium": (20, 90),
    "long": (100, 240),
    "over": (260, 700),
    "huge": (900, 3_000),
}
"""Thousandths of the budget, by class."""


@cache
def table(**weights: int) -> tuple[str, ...]:
    """Give each name as often as its weight says."""
    return tuple(name for name, weight in weights.items() for _ in range(weight))


@cache
def below(limit: int) -> st.SearchStrategy[int]:
    """Numbers from 0 up to, not including, a limit."""
    return st.integers(0, limit - 1)


@dataclass(frozen=True)
class Flavour:
    """A kind of conversation: how often what happens, and how large it is."""

    events: tuple[str, ...]
    outputs: tuple[str, ...]
    humans: tuple[str, ...]
    answers: tuple[str, ...]
    pictures: int = 4
    """Of 100 texts, how many come with pictures."""
    most_pictures: int = 2


FLAVOURS: dict[str, Flavour] = {
    "agent": Flavour(
        events=table(asked=16, human=3, answer=3, injected=1, system=1),
        outputs=table(medium=8, short=3, long=4, over=2, huge=1, tiny=2),
        humans=table(short=5, tiny=2, medium=1),
        answers=table(short=4, tiny=2, medium=1),
    ),
    "chat": Flavour(
        events=table(human=8, answer=8, asked=2, injected=1, client_summary=1, system=1),
        outputs=table(medium=4, long=2, over=1),
        humans=table(medium=5, short=3, long=3, tiny=2, over=1),
        answers=table(medium=5, long=3, short=2, tiny=1, over=1),
    ),
    "pictures": Flavour(
        events=table(human=6, asked=6, answer=3),
        outputs=table(medium=4, short=3, long=2),
        humans=table(short=4, medium=2),
        answers=table(short=4, medium=2),
        pictures=55,
        most_pictures=9,
    ),
    "wordy": Flavour(
        events=table(human=8, answer=2, asked=4, injected=1),
        outputs=table(medium=3, over=2, long=2),
        humans=table(long=5, medium=4, over=3, tiny=3, huge=1),
        answers=table(short=3, medium=2),
    ),
    "giants": Flavour(
        events=table(asked=10, human=3, answer=2),
        outputs=table(huge=4, over=5, long=3, tiny=3),
        humans=table(short=5, tiny=2, long=1),
        answers=table(short=3, long=1),
    ),
}
LONG_TALK = Flavour(
    events=table(human=6, answer=8, asked=4, injected=1),
    outputs=table(medium=6, long=4, short=1),
    humans=table(medium=5, short=4, tiny=1),
    answers=table(medium=6, long=6, short=1),
)
"""Much that is old, and little that may not go: what summaries are made of."""
FLAVOUR_TABLE = ("agent",) * 5 + ("chat",) * 3 + ("pictures",) * 2 + ("wordy",) * 3 + ("giants",) * 2


class Teller:
    """Draws one story."""

    def __init__(self, draw: st.DrawFn, flavour: Flavour, *, faulty: bool, dialect: str) -> None:
        self._draw = draw
        self._flavour = flavour
        self._faulty = faulty
        self._dialect = dialect
        self._thinks = False
        self._mixed = 0
        """Of all texts so far: what is chosen by it does not lean towards what is tried first."""

    def talk_long(self) -> None:
        """Have most conversations under `summarize` hold what can be summed up."""
        if self.rarely(70):
            self._flavour = LONG_TALK

    def pick(self, choices: tuple[T, ...]) -> T:
        """Draw one of several."""
        return choices[self._draw(below(len(choices)))]

    def rarely(self, percent: int) -> bool:
        """Draw whether something happens that happens in so many of 100 cases."""
        return self._draw(below(100)) >= 100 - percent

    def fault(self, percent: int) -> bool:
        """Draw whether something goes wrong; never in a story without faults."""
        return self._faulty and self.rarely(percent)

    def words(self, classes: tuple[str, ...]) -> Words:
        """Draw a text as one number: its size class weighs most, its kind least."""
        number = self._draw(below(len(classes) * 64 * 60))
        self._mixed = (self._mixed * 31 + number) % 65_521
        number, kind = divmod(number, 60)
        rank, part = divmod(number, 64)
        low, high = SIZES[classes[rank]]
        return Words(KIND_TABLE[kind % len(KIND_TABLE)], low + (high - low) * part // 63, part)

    def event(self) -> Event:
        """Draw the next thing that happens."""
        if self.rarely(4):
            return self._turn_of_fate()
        if self.fault(3):
            return Orphan(self._result())
        match self.pick(self._flavour.events):
            case "asked":
                return self._asked()
            case "answer":
                return self._answer()
            case speaker:
                return self._said(Speaker(speaker))

    def opening(self) -> Said:
        """Draw the task."""
        return self._said(Speaker.HUMAN)

    def _turn_of_fate(self) -> Event:
        match self.pick(table(refusal=3, switch=3, rewind=2, edit=1, undo=2, replan=2, change=4)):
            case "refusal":
                return Refusal(self.pick((None, 60, 80, 95)))
            case "switch":
                return Switch(self.pick((100, 60, 200, 1_000)))
            case "undo":
                return Undo()
            case "replan":
                return Replan(self.pick(("trim", "summarize", "none")))
            case "change":
                return Change((self.pick(CHANGES),))
            case how:
                return Return(1 + self._draw(below(8)), Again(how))

    def _said(self, by: Speaker) -> Said:
        flavour = self._flavour
        classes = flavour.humans if by is Speaker.HUMAN else table(short=3, tiny=2, medium=1)
        shown = by is Speaker.HUMAN and self.rarely(flavour.pictures)
        return Said(
            words=tuple(self.words(classes) for _ in range(2 if self.rarely(10) else 1)),
            by=by,
            pictures=self._pictures(flavour.most_pictures) if shown else (),
            empty=self._emptiness(5),
            marked=self.rarely(4),
            by_hand=self.rarely(12),
        )

    def _pictures(self, most: int) -> tuple[int, ...]:
        several = self._draw(below(most)) + 1
        size = self.pick((0, 0, 0, 1, 1, 2, 3))
        return (size,) * (several * 6 if size == 0 and self.rarely(15) else several)

    def _emptiness(self, percent: int) -> Emptiness:
        return self.pick(tuple(Emptiness)[1:]) if self.fault(percent) else Emptiness.NO

    def _answer(self) -> Answer:
        thinking = self._thinking()
        return Answer(
            words=(self.words(self._flavour.answers),),
            thinking=thinking,
            thought=self._thought(thinking),
            empty=self._emptiness(6),
            trailing=self.pick((" ", "\n\n", "\t\n")) if self.fault(15) else "",
            by_hand=self.rarely(8),
        )

    def _thinking(self) -> Thinking:
        if self._thinks:
            return self.pick((Thinking.SIGNED, Thinking.SIGNED, Thinking.REDACTED))
        return self.pick((Thinking.NONE,) * 6 + (Thinking.SIGNED,) * 3 + (Thinking.PLAIN, Thinking.REDACTED))

    def _thought(self, thinking: Thinking) -> Words:
        if thinking is Thinking.NONE:
            return Words("words", 1, 0)
        thought = self.words(table(short=3, tiny=1, medium=2))
        # No provider signs half a character, and in front of every answer a thought may not be left out.
        return Words("code", thought.size, thought.seed) if self._thinks and thought.kind == "surrogates" else thought

    def _asked(self) -> Asked:
        number = self.pick((1,) * 6 + (2, 2, 3, 5))
        thinking = self._thinking()
        return Asked(
            calls=tuple(self._call() for _ in range(number)),
            words=(self.words(table(tiny=2, short=2, medium=1)),) if self.rarely(40) else (),
            thinking=thinking,
            thought=self._thought(thinking),
            apart=self.fault(20),
            reversed=self.fault(10),
            comment=self.words(table(tiny=2, short=1)) if self._dialect == "anthropic" and self.rarely(5) else None,
            by_hand=self.rarely(10),
        )

    def _call(self) -> Call:
        long = self.rarely(18)
        classes = table(medium=4, long=3, over=1, huge=1) if long else table(tiny=3, short=1)
        fate, naming = Fate.ANSWERED, Naming.FRESH
        if self.fault(22):
            fate = self.pick((Fate.ANSWERED, Fate.MISSING, Fate.LATE, Fate.TWICE))
            naming = self.pick((Naming.FRESH, Naming.REUSED, Naming.SIBLING, Naming.ILLEGAL))
        return Call(
            arguments=tuple(self.words(classes) for _ in range(2 if long else 1)),
            result=self._result(),
            fate=fate,
            naming=naming,
            shape=self._draw(below(6)) if long or self._faulty else 0,
        )

    def _result(self) -> Result:
        texts = 2 if self.rarely(10) else 1
        return Result(
            words=tuple(self.words(self._flavour.outputs) for _ in range(texts)),
            pictures=self._pictures(2) if self.rarely(self._flavour.pictures // 2) else (),
            empty=self._emptiness(6),
            is_error=self.rarely(6),
        )

    def furniture(self) -> Furniture:
        """Draw what each request carries."""
        share = (
            self.pick((0,) * 4 + (20, 50, 50, 100, 200, 350, 600)) if not self.rarely(5) else self.pick((950, 1_100))
        )
        system = share * self.pick((10, 5, 2, 0)) // 10
        self._thinks = self._dialect == "anthropic" and not self._faulty and self.rarely(12)
        asked = self.pick((None, None, None, 20, 100, 300, 700))
        return Furniture(system, share - system, asked, self._thinks)

    def policy(self) -> Policy:
        """Draw the project's settings."""
        if not self.rarely(65):
            return Policy()
        return Policy(
            strategy=self.pick(STRATEGIES),
            trim_order=self.pick((*ORDERS, ORDERS[0])),
            threshold=self.pick((0.8, 0.6, 0.9, 0.95, 0.3)),
            target=self.pick((0.7, 0.5, 0.3, 0.85, 0.95)),
            recent_share=self.pick((0.35, 0.0, 0.6, 0.9)),
            output_cap_share=self.pick((0.25, 0.1, 0.5, 1.0)),
            reserve_output_tokens=self.pick((None, 200, 2_000)),
            min_reclaim_tokens=self.pick((0, 0, 0, 300, 2_000, 50_000)),
            fold_in_turn=self.pick((True, True, False)),
            summary_role=self.pick(("user", "user", "system")),
            summary_max_tokens=self.pick((4_096, 4_096, 200, 900)),
        )

    def summarizer(self) -> tuple[Told, ...]:
        """Draw what a summarizer says; every fourth project has none."""
        return tuple(self._told() for _ in range(self.pick((0, 1, 1, 3))))

    def _told(self) -> Told:
        fails = self.rarely(25)
        size, kind, seed = self.pick(LENGTHS), self.pick(KIND_TABLE), self._draw(below(64))
        failure = FAILURES[(self._draw(below(64)) + self._mixed) % len(FAILURES)] if fails else None
        return Told(Words(kind, size, seed), failure, self.pick((3, 3, 40, 119)), self.rarely(15))


STRATEGIES = ("trim", *("summarize",) * 5, "trim", "none")
CHANGES: tuple[tuple[str, object], ...] = (
    ("strategy", "summarize"),
    ("strategy", "trim"),
    ("strategy", "summarize"),
    ("strategy", "none"),
    *(("trim_order", order) for order in ORDERS),
    ("target", 0.3),
    ("target", 0.9),
    ("summary_role", "system"),
    ("fold_in_turn", True),
    ("min_reclaim_tokens", 1_000),
)
LENGTHS = (600, 600, 1_000, 100, 0, 0, 1_500, 6_000, 40_000)
"""Of a summary, in thousandths of what it may take."""
FAILURES = (
    (Fallback.SUMMARIZER_TIMED_OUT, WhyNoSummary.DEADLINE),
    (Fallback.SUMMARIZER_FAILED, WhyNoSummary.RAISED),
    (Fallback.SUMMARIZER_FAILED, WhyNoSummary.INPUT_TOO_LARGE),
    (Fallback.SUMMARIZER_TIMED_OUT, WhyNoSummary.CLIENT_TIMEOUT),
    *(
        (Fallback.SUMMARIZER_RETURNED_NOTHING, why)
        for why in WhyNoSummary
        if why.value not in ("no_messages", "deadline", "raised", "input_too_large", "client_timeout")
    ),
)


WINDOWS = (4_096, 2_000, 3_000, 6_000, 8_000, 8_192, 10_000, 12_000, 16_384)
"""Tokens. A summary of 200 tokens and more has room from about 8,000 on."""


@st.composite
def stories(draw: st.DrawFn, *, faulty: bool | None = None, most_events: int = 34) -> Story:
    """Draw a story. `faulty` says whether messages may be broken; left open, half of them may."""
    dialect = DIALECTS[draw(below(2))]
    flavour = FLAVOURS[FLAVOUR_TABLE[draw(below(len(FLAVOUR_TABLE)))]]
    teller = Teller(draw, flavour, faulty=draw(below(2)) == 1 if faulty is None else faulty, dialect=dialect)
    large = teller.rarely(3)
    furniture, policy = teller.furniture(), teller.policy()
    if policy.strategy == "summarize":
        teller.talk_long()
    usual = WINDOWS if policy.strategy != "summarize" else WINDOWS[4:]  # in a small one there is no room for a summary
    window = teller.pick((32_000, 128_000)) if large else teller.pick(usual)
    count = 1 + draw(below(most_events if window < 100_000 else 12))
    if policy.strategy == "summarize":
        count = max(count, most_events // 2)
    served = teller.pick((Served.NOTHING, Served.NOTHING, Served.EXACT, Served.OTHERWISE))
    opening: list[Event] = [] if teller.rarely(8) else [teller.opening()]
    return Story(
        dialect=dialect,
        window=window,
        policy=policy,
        events=(*opening, *(teller.event() for _ in range(count))),
        furniture=furniture,
        served=served,
        ratio=teller.pick((100, 80, 120, 60, 170)) if served is Served.OTHERWISE else 100,
        overhead=teller.pick((0, 10, 60)) if served is Served.OTHERWISE else 0,
        summarizer=teller.summarizer(),
    )
