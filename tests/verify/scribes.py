"""Summarizers on bad days and on good ones: what each failure is called, and how soon the caller is back."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Iterator

import msgspec

from tests.summarizer.models import GOOD
from unabridged import Conversation, Policy
from unabridged.report import Fallback
from unabridged.summarizer import Answer, ModelSummarizer, Question, Summary, SummaryRequest, WhyNoSummary
from unabridged.testing import violations
from unabridged.testing.passages import passage

DEADLINE_S = 0.6
LATE_S = 0.25
"""How long after the deadline the caller may be back, in seconds."""
WINDOW = 8_000


class Scribe:
    """Answers as told: after some seconds, with a text or an error; `stubborn` when it is cancelled."""

    def __init__(self, answer: Answer | Exception, *, after_s: float = 0.0, stubborn: bool = False) -> None:
        self._answer = answer
        self._after_s = after_s
        self._stubborn = stubborn

    async def __call__(self, question: Question) -> Answer:
        try:
            await asyncio.sleep(self._after_s)
        except asyncio.CancelledError:
            if not self._stubborn:
                raise
            await asyncio.sleep(self._after_s)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class TooLarge:
    """A summarizer of its own make whose summary is larger than what it stands for."""

    async def summarize(self, request: SummaryRequest) -> Summary:
        return Summary(text=passage("words", 40_000, 3))


def said(text: str, **more: object) -> Answer:
    return msgspec.convert({"text": text, "stop": "end_turn", **more}, Answer)


RETURNED, FAILED, TIMED_OUT = (
    Fallback.SUMMARIZER_RETURNED_NOTHING,
    Fallback.SUMMARIZER_FAILED,
    Fallback.SUMMARIZER_TIMED_OUT,
)
BAD = {
    "raises": (Scribe(RuntimeError("no such model")), FAILED, WhyNoSummary.RAISED),
    "hangs": (Scribe(said(GOOD), after_s=60), TIMED_OUT, WhyNoSummary.DEADLINE),
    "answers after the deadline": (
        Scribe(said(GOOD), after_s=DEADLINE_S + 0.1, stubborn=True),
        TIMED_OUT,
        WhyNoSummary.DEADLINE,
    ),
    "says nothing": (Scribe(said("")), RETURNED, WhyNoSummary.EMPTY),
    "says blanks": (Scribe(said(" \n\t ")), RETURNED, WhyNoSummary.EMPTY),
    "only thinks": (Scribe(said("", reasoning="Hm. " * 50)), RETURNED, WhyNoSummary.ONLY_REASONING),
    "is cut off": (Scribe(said(GOOD, stop="length")), RETURNED, WhyNoSummary.CUT_OFF),
    "calls a tool": (Scribe(said("", tool_calls=1)), RETURNED, WhyNoSummary.TOOL_CALL),
    "writes a call": (
        Scribe(said('<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>')),
        RETURNED,
        WhyNoSummary.TOOL_CALL,
    ),
    "refuses": (Scribe(said("I'm sorry, but I can't help with that request.")), RETURNED, WhyNoSummary.REFUSAL),
    "answers the talk": (
        Scribe(said("Sure! Here is a lovely recipe for tomato soup. You first need an onion. " * 4)),
        RETURNED,
        WhyNoSummary.ANSWER,
    ),
    "gives an error": (
        Scribe(said('{"error": {"message": "Rate limit reached", "type": "rate_limit_error"}}')),
        FAILED,
        WhyNoSummary.ERROR_TEXT,
    ),
    "is too large": (TooLarge(), RETURNED, WhyNoSummary.NOT_SMALLER),
}
"""Thirteen, each with the fallback and the finer cause that must be told."""


def long_talk(ask: Scribe | TooLarge) -> Conversation:
    """Give a conversation that has outgrown its window, with a summarizer."""
    policy = Policy(strategy="summarize", summarizer_timeout_s=DEADLINE_S)
    talk = Conversation(model="m", window=WINDOW, policy=policy)
    talk.summarizer = ModelSummarizer(ask, window=32_000) if isinstance(ask, Scribe) else ask
    talk.user("The task: keep the parser of src/parser.py working at port 8431.")
    for number in range(14):
        talk.add({"role": "assistant", "content": passage("words", 400, number)})
        talk.user(passage("words", 150, number + 50))
    return talk


async def flaws_of(name: str) -> list[str]:
    """Say what one of the bad summarizers brought about that must not be."""
    ask, fallback, cause = BAD[name]
    talk = long_talk(ask)
    before = set(asyncio.all_tasks())
    threads = set(threading.enumerate())
    started = time.monotonic()
    fitted = await talk.fit_async()
    took = time.monotonic() - started
    report, found = fitted.report, list[str]()
    if report is None or (report.fallback, report.cause) != (fallback, cause):
        found.append(f"told as {report and (report.fallback, report.cause)}")
    if took > DEADLINE_S + LATE_S:
        found.append(f"back after {took:.2f} s, {took - DEADLINE_S:.2f} s past the deadline")
    if fitted.tokens > 6_400 or violations("openai_chat", fitted.request()):
        found.append("the view does not fit, or is not valid")
    await asyncio.sleep(2 * DEADLINE_S if name.startswith("answers after") else 0)
    if set(asyncio.all_tasks()) - before or set(threading.enumerate()) - threads:
        found.append("left a task or a thread behind")
    return [f"{name}: {each}" for each in found]


LANGUAGES: dict[str, tuple[str, ...]] = {
    "English": (
        "The parser in `src/parser.py` was repaired; `make test` passed afterwards with {n} tests.",
        "The user decided to keep tabs, since the whole team uses them; spaces were rejected.",
        "The queue listens at port {n}; the old port was closed on purpose.",
        "The manual was not written yet: chapter {m} of five was begun.",
        "`config/app.toml` was read; its timeout is {n} ms and must not be raised.",
        "The failing test was `test_read_all`, which raised `IndexError` in line {n}.",
    ),
    "German": (
        "Der Parser in `src/parser.py` wurde repariert; `make test` lief danach mit {n} Tests durch.",
        "Der Nutzer entschied, Tabulatoren zu behalten, weil das Team sie verwendet.",
        "Die Warteschlange hört auf Port {n}; der alte Port wurde absichtlich geschlossen.",
        "Das Handbuch ist noch nicht geschrieben: Kapitel {m} von fünf wurde begonnen.",
        "`config/app.toml` wurde gelesen; die Frist von {n} ms darf nicht erhöht werden.",
        "Fehlgeschlagen war `test_read_all` mit `IndexError` in Zeile {n}.",
    ),
    "French": (
        "L'analyseur de `src/parser.py` a été réparé ; `make test` a réussi ensuite avec {n} tests.",
        "L'utilisateur a décidé de garder les tabulations, car toute l'équipe les emploie.",
        "La file écoute sur le port {n} ; l'ancien port a été fermé volontairement.",
        "Le manuel n'est pas encore écrit : le chapitre {m} sur cinq a été commencé.",
        "`config/app.toml` a été lu ; son délai de {n} ms ne doit pas être augmenté.",
        "Le test en échec était `test_read_all`, avec `IndexError` à la ligne {n}.",
    ),
    "Spanish": (
        "Se reparó el analizador de `src/parser.py`; después `make test` pasó con {n} pruebas.",
        "El usuario decidió conservar los tabuladores porque todo el equipo los usa.",
        "La cola escucha en el puerto {n}; el puerto anterior se cerró a propósito.",
        "El manual aún no está escrito: se empezó el capítulo {m} de cinco.",
        "Se leyó `config/app.toml`; su límite de {n} ms no debe aumentarse.",
        "La prueba fallida fue `test_read_all`, con `IndexError` en la línea {n}.",
    ),
    "Chinese": (
        "已修复 `src/parser.py` 中的解析器,随后 `make test` 通过了 {n} 个测试。",
        "用户决定保留制表符,因为整个团队都在使用;改用空格的方案被否决。",
        "队列监听端口 {n};旧端口是有意关闭的。",
        "手册尚未写完:五章中的第 {m} 章已经开始。",
        "已读取 `config/app.toml`;其超时为 {n} 毫秒,不得提高。",
        "失败的测试是 `test_read_all`,在第 {n} 行抛出 `IndexError`。",
    ),
    "Turkish": (
        "`src/parser.py` içindeki çözümleyici onarıldı; ardından `make test` {n} testle başarılı oldu.",
        "Kullanıcı, bütün ekip kullandığı için sekmelerin korunmasına karar verdi.",
        "Kuyruk {n} numaralı portu dinliyor; eski port bilerek kapatıldı.",
        "Kılavuz henüz yazılmadı: beş bölümden {m}. bölüme başlandı.",
        "`config/app.toml` okundu; {n} ms olan süre artırılmamalı.",
        "Başarısız olan test `test_read_all` idi; {n}. satırda `IndexError` verdi.",
    ),
}
HEADINGS = ("Completed goals", "Key decisions", "Files read and modified", "Open work", "Facts and constraints")


def good() -> Iterator[tuple[str, str]]:
    """Give ten good summaries in each of the languages: other facts, other lengths, other headings left out."""
    for language, sentences in LANGUAGES.items():
        for variant in range(10):
            told = itertools.islice(itertools.cycle(sentences), variant, variant + 5 + variant % 4)
            lines = [each.format(n=8_000 + 37 * variant + at, m=1 + variant % 5) for at, each in enumerate(told)]
            kept = [heading for at, heading in enumerate(HEADINGS) if (variant + at) % 4]
            share = -(-len(lines) // len(kept))
            parts = (
                f"## {heading}\n" + "\n".join(f"- {line}" for line in lines[at * share : (at + 1) * share])
                for at, heading in enumerate(kept)
                if lines[at * share : (at + 1) * share]
            )
            yield language, "\n\n".join(parts)


async def refused_good() -> tuple[int, list[str]]:
    """Give how many good summaries there are, and which were refused."""
    found: list[str] = []
    texts = list(good())
    for language, text in texts:
        fitted = await long_talk(Scribe(said(text))).fit_async()
        if fitted.report is None or fitted.report.fallback is not None or fitted.report.compacted == 0:
            found.append(f"{language}: {fitted.report and fitted.report.cause}: {text[:60]!r}")
    return len(texts), found
