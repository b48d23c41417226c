"""A person is asked once, and what they say is kept where it belongs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.agent.permissions.place import Place, never
from unabridged.agent.access import Asked, Writes
from unabridged.agent.permissions.gate import Gate
from unabridged.agent.permissions.questions import Answer, Choice, Danger, Mode, Question
from unabridged.agent.permissions.rule_files import RuleFile

pytestmark = pytest.mark.anyio


class Person:
    """Answers the same to each question, and remembers the questions."""

    def __init__(self, choice: Choice, comment: str = "") -> None:
        self.answer = Answer(choice, comment)
        self.questions: list[Question] = []

    async def __call__(self, question: Question) -> Answer:
        self.questions.append(question)
        await asyncio.sleep(0)
        return self.answer


async def test_what_rules_allow_is_not_asked(place: Place) -> None:
    gate = Gate(place.policy(), never)

    assert (await gate.allow(place.asked("git status"))).allowed


async def test_once_is_once(place: Place) -> None:
    person = Person(Choice.ONCE)
    gate = Gate(place.policy(), person)
    assert (await gate.allow(place.asked("npm test"))).allowed
    assert (await gate.allow(place.asked("npm test"))).allowed

    assert len(person.questions) == 2


async def test_for_the_session_covers_what_was_proposed(place: Place, tmp_path: Path) -> None:
    person, kept = Person(Choice.SESSION), RuleFile(tmp_path / "rules")
    gate = Gate(place.policy(), person, kept)
    assert (await gate.allow(place.asked("npm test && cargo build"))).allowed
    assert person.questions[0].rules == ("allow shell(npm test *)", "allow shell(cargo build *)")

    assert (await gate.allow(place.asked("npm test -- x"))).allowed
    assert len(person.questions) == 1
    assert not kept.path.exists()


async def test_always_is_kept_in_the_users_own_file(place: Place, tmp_path: Path) -> None:
    kept = RuleFile(tmp_path / "settings" / "rules")
    await Gate(place.policy(), Person(Choice.ALWAYS), kept).allow(place.asked("npm test"))
    await Gate(place.policy(), Person(Choice.ALWAYS), kept).allow(place.asked("npm run build"))

    rules = [str(rule) for rule in kept.rules().each]
    assert rules == ["allow shell(npm test *)", "allow shell(npm run build *)"]
    assert (kept.path.stat().st_mode & 0o077) == 0
    assert not list(place.root.glob("**/*.rules"))
    assert (await Gate(place.policy(rules=rules), never).allow(place.asked("npm test"))).allowed


async def test_a_rejection_carries_the_persons_words(place: Place) -> None:
    verdict = await Gate(place.policy(), Person(Choice.REJECT, "use pnpm")).allow(place.asked("npm test"))

    assert not verdict.allowed
    assert "use pnpm" in verdict.why


async def test_calls_side_by_side_ask_once(place: Place) -> None:
    person = Person(Choice.SESSION)
    gate = Gate(place.policy(), person)
    verdicts = await asyncio.gather(*(gate.allow(place.asked("npm test")) for _ in range(5)))

    assert all(verdict.allowed for verdict in verdicts)
    assert len(person.questions) == 1


async def test_without_a_person_the_reason_names_the_option(place: Place) -> None:
    verdict = await Gate(place.policy()).allow(place.asked("npm test"))
    assert not verdict.allowed
    assert "--allow 'shell(npm test *)'" in verdict.why

    verdict = await Gate(place.policy()).allow(place.asked('eval "$x"'))
    assert not verdict.allowed
    assert "--allow" not in verdict.why


@pytest.mark.parametrize(
    "command",
    ["bash x.sh", "python3 x.py", "python3.12 -m x", "sudo ls", "env A=1 ls", "xargs ls", "sh -c ls", "find . -delete",
     "git push", "node x.js", "npx x", "rm x", "ssh x", "git -c a=b log", "awk 1 x", "npm install x; bash y"],
)  # fmt: skip
async def test_always_never_proposes_a_prefix_that_runs_anything(place: Place, command: str) -> None:
    person = Person(Choice.ONCE)
    await Gate(place.policy(), person).allow(place.asked(command))

    assert not [rule for rule in person.questions[0].rules if "*" in rule]


async def test_a_question_says_what_and_why_and_how_dangerous(place: Place) -> None:
    person = Person(Choice.ONCE)
    gate = Gate(place.policy(), person)
    await gate.allow(Asked(tool="edit_file", title="a.py", touches=(Writes(str(place.root / "a.py")),), preview="+1"))
    await gate.allow(place.asked("make x"))
    await gate.allow(place.asked("cat ~/.ssh/id_rsa"))
    await gate.allow(place.asked("git push --force"))
    edit, make, secret, push = person.questions

    assert (edit.danger, make.danger, secret.danger, push.danger) == (
        Danger.LOW, Danger.RAISED, Danger.HIGH, Danger.HIGH)  # fmt: skip
    assert edit.preview == "+1"
    assert edit.rules == (f"allow edit({place.root}/**)",)
    assert "may hold secrets" in secret.why[0]


async def test_the_mode_can_change_within_a_session(place: Place) -> None:
    gate = Gate(place.policy(Mode.PLAN))
    edit = Asked(tool="edit_file", title="a.py", touches=(Writes(str(place.root / "a.py")),))
    planned = await gate.allow(edit)
    gate.switch(Mode.ACCEPT_EDITS)

    assert "only looking" in planned.why
    assert (await gate.allow(edit)).allowed


async def test_tools_that_say_nothing_of_what_they_touch_are_asked_about(place: Place) -> None:
    unknown = Asked(tool="mcp_x_send", title="send")
    assert not (await Gate(place.policy()).allow(unknown)).allowed
    assert (await Gate(place.policy(rules=["allow mcp_x_*"])).allow(unknown)).allowed
    assert (await Gate(place.policy()).allow(Asked(tool="todo", title="list", reads_only=True))).allowed
    assert not (
        await Gate(place.policy(rules=["deny todo"])).allow(Asked(tool="todo", title="", reads_only=True))
    ).allowed
