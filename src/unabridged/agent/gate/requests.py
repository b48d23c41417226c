"""What a person asks to be shown: tests, lint, types, a build. By the meaning of a sentence, not by a word in it.

"Run the tests" asks for them; "how does the build work?", "build me a todo app" and "explain what a unit test is" do
not. Where a sentence leaves it open, nothing is asked for: a gate that holds up an answer for nothing is worse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum


class Check(StrEnum):
    """Something that a command can show."""

    TESTS = "tests"
    LINT = "lint"
    TYPES = "types"
    BUILD = "build"


_QUOTED = re.compile(r"```.*?(?:```|\Z)|^>.*$|^(?: {4}|\t)\S.*$", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?;\n。！？；]+(?:[.](?=\S)[^.!?;\n。！？；]*)*[.!?;。！？；]?")
_ASKS = re.compile(
    r"^\W*(?:(?:and|but|so|also|hi|hello|hey|ok|please)\W+)*"
    r"(?:how|what|what's|why|when|where|which|who|whose|does|do (?:i|we|you|they)|did|is|are|was|were|has|"
    r"have (?:i|we|you)|should (?:i|we)|explain|describe|tell me|show me how|summari[sz]e|"
    r"wie|was|warum|wann|wo|welche[rs]?|erkläre?|nasıl|neden|nedir|açıkla)\b"
    r"|(?:怎么|怎样|如何|什么|为什么|为何|解释|说明|介绍|是否|哪)",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^\W*(?:(?:and|but|so|also|hi|hello|hey|ok|then)\W+)*(?:can|could|would|will) you\b|^\W*please\b", re.IGNORECASE
)
_NOT = re.compile(
    r"\b(?:don'?t|do not|never|no need to|needn'?t|without|skip|instead of|not necessary to|avoid|ohne|nicht|kein\w*)\b"
    r"|不要|不用|别|无需|跳过|çalıştırma\b",
    re.IGNORECASE,
)
_TESTS = r"(?:unit |integration |e2e |regression |whole |full |entire |existing |new )*(?:tests?|test[- ]?suite|specs)"
_LINT = r"(?:lint(?:er|ing|ers)?|ruff|eslint|flake8|pylint|clippy|golangci-lint)"
_TYPES = r"(?:type[- ]?check(?:er|ing|s)?|mypy|pyright|tsc|types)"
_BUILD = r"(?:builds?|compilation)"
_TOOLS = r"(?:pytest|tox|nox|jest|vitest|npm test|cargo test|go test|make test|ctest)"
_RUN = r"(?:run|re-?run|execute|launch|start)"
_SURE = r"(?:make sure|ensure|verify|check|confirm|see (?:to it )?that|guarantee)"
_GOOD = (
    r"(?:pass(?:es|ing)?|(?:is|are|stays?|be|go(?:es)?|keep) (?:green|clean|happy)|succeeds?|work(?:s|ing)?|ok(?:ay)?)"
)
_THE = r"(?:the |all |our |my |your |its |every |each |of |these |those |this |that |\w+'s )*"


def _patterns(thing: str, *more: str) -> re.Pattern[str]:
    """Give what asks for a thing to be run, or to be good."""
    forms = (
        rf"\b{_RUN}\b (?:\S+ ){{0,4}}?{thing}\b",
        rf"\b{_SURE}\b.{{0,60}}?\b{thing}\b.{{0,40}}?\b{_GOOD}",
        rf"\b{thing}\b (?:must|should|have to|has to|needs? to|shall|still) (?:all |still )*{_GOOD}",
        rf"\b(?:until|so that|such that|and that|with) (?:\S+ ){{0,3}}?{thing} {_GOOD}",
        rf"\b(?:fix|repair|mend|get) {_THE}(?:failing |broken |red |flaky )*{thing}\b",
        rf"\bkeep {_THE}{thing} (?:green|clean|passing)",
        *more,
    )
    return re.compile("|".join(forms), re.IGNORECASE)


_WANTED = {
    Check.TESTS: _patterns(
        _TESTS,
        rf"\b{_RUN}\b (?:\S+ ){{0,3}}?{_TOOLS}",
        r"(?:运行|跑|执行)(?:一下|一遍|所有|全部|完整|单元|的)*测试",
        r"(?:确保|保证).{0,12}测试.{0,6}通过|测试.{0,4}(?:要|必须|应该|都)+.{0,4}通过|修复.{0,12}测试",
        r"\btests? (?:ausführen|laufen lassen|durchlaufen)|\bführe? .{0,20}tests? aus|\blass .{0,20}tests? laufen",
        r"\btest(?:ler)?i? çalıştır(?:ın|ınız)?\b|\btestlerin geçtiğinden emin ol",
    ),
    Check.LINT: _patterns(
        _LINT,
        r"\blint (?:it|this|that|the (?:code|project|files?|repo))\b",
        r"\b(?:no|without|zero|fix (?:all |the )*) ?lint(?:er|ing)? (?:errors?|warnings?|issues?)",
        r"(?:运行|跑).{0,4}(?:lint|代码检查)|(?:确保|保证).{0,8}lint.{0,4}通过",
    ),
    Check.TYPES: _patterns(
        _TYPES,
        r"\btype-?check (?:it|this|that|the (?:code|project|files?|repo))\b",
        r"\b(?:no|without|zero|fix (?:all |the )*) ?(?:type|typing|mypy|pyright) errors?",
        r"(?:运行|跑).{0,4}(?:类型检查|mypy|pyright)",
    ),
    Check.BUILD: _patterns(
        _BUILD,
        rf"\b{_SURE}\b.{{0,60}}?\b(?:builds|compiles|still build|still compile)\b",
        r"\b(?:must|should|has to) (?:still )?(?:build|compile)\b",
        r"(?:^|[,;]|\b(?:and|then|please|you) )\W*(?:re-?)?(?:build|compile)"
        r" (?:it|everything|the (?:project|app|code|package|image|site|docs|wheel))\b",
        r"(?:确保|保证).{0,8}(?:构建|编译).{0,4}(?:通过|成功)|(?:运行|执行|跑).{0,3}(?:构建|编译)|修复.{0,6}(?:构建|编译)",
    ),
}


def checks_in(text: str) -> Iterator[Check]:
    """Give what a message asks to be shown."""
    for sentence in _SENTENCE.findall(_QUOTED.sub("\n", text)):
        if _is_question(sentence) or _NOT.search(sentence):
            continue
        for check, pattern in _WANTED.items():
            if pattern.search(sentence):
                yield check


def _is_question(sentence: str) -> bool:
    """Tell whether a sentence wants to know something. "Can you run the tests?" wants something to be done."""
    if _POLITE.search(sentence):
        return bool(re.search(r"\b(?:explain|describe|tell me|show me how)\b", sentence, re.IGNORECASE))
    return bool(_ASKS.search(sentence)) or sentence.rstrip().endswith(("?", "？", "吗"))


def ends_with_question(answer: str) -> bool:
    """Tell whether an answer asks the person something: it waits then, and is not done."""
    return answer.rstrip().rstrip("*_`\"')").endswith(("?", "？"))
