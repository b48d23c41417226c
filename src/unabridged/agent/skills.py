"""Skills: instructions for a kind of task, in a folder of their own, read when they are wanted.

A skill is `skills/NAME/SKILL.md` with a head of `name:` and `description:` between two lines of `---`. The list stands
in the system text, the rest comes with a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from unabridged.agent.access import Access, Reads
from unabridged.agent.tool import Output, Running, ToolError

PLACES = (".agents/skills", ".claude/skills", "skills")
"""Folders of a workspace that hold skills."""
MOST = 40
LONGEST = 300
"""Characters of a description in the list."""


class Skill(msgspec.Struct, frozen=True):
    """One skill."""

    name: str
    description: str
    path: str


def skills_in(folders: Sequence[Path]) -> tuple[Skill, ...]:
    """Give the skills in these folders, by name; of two with one name the first. What is no skill is passed over."""
    found: dict[str, Skill] = {}
    for folder in folders:
        for file in sorted(folder.glob("*/SKILL.md")) if folder.is_dir() else ():
            skill = _skill(file)
            if skill is not None:
                found.setdefault(skill.name, skill)
    return tuple(found[name] for name in sorted(found)[:MOST])


def _skill(file: Path) -> Skill | None:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    head, _ = _parts(text)
    name, description = head.get("name") or file.parent.name, head.get("description", "")
    return Skill(name, " ".join(description.split())[:LONGEST], str(file)) if description else None


def _parts(text: str) -> tuple[dict[str, str], str]:
    """Split a file into its head and its body."""
    if not text.startswith("---\n"):
        return {}, text
    head, end, body = text[4:].partition("\n---")
    if not end:
        return {}, text
    pairs = (line.partition(":") for line in head.splitlines() if ":" in line and not line[:1].isspace())
    return {key.strip(): value.strip().strip("\"'") for key, _, value in pairs}, body.lstrip("-").strip()


class _Arguments(msgspec.Struct):
    name: Annotated[str, msgspec.Meta(description="Of the skill, as the list names it.")]
    arguments: Annotated[str, msgspec.Meta(description="What the skill is to work on, if it takes anything.")] = ""


class SkillTool:
    """Gives the instructions of a skill."""

    name = "skill"
    description = "Get the instructions of a skill from the list in the system text, and then follow them."
    arguments: type[msgspec.Struct] = _Arguments
    reads_only = True

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._skills = {skill.name: skill for skill in skills}

    def title(self, arguments: Any) -> str:
        """Name the skill."""
        return str(arguments.name)

    def touches(self, arguments: Any) -> Sequence[Access]:
        """Name its file."""
        return [Reads(self._find(arguments.name).path)]

    def preview(self, arguments: Any) -> str:
        """Nothing is edited."""
        del arguments
        return ""

    async def run(self, arguments: Any, running: Running) -> Output:
        """Read it."""
        del running
        skill = self._find(arguments.name)
        try:
            _, body = _parts(Path(skill.path).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ToolError(f"the skill {skill.name!r} cannot be read ({error})") from None
        text = body.replace("$ARGUMENTS", arguments.arguments)
        return Output(text=f"Skill {skill.name} (its files lie in {Path(skill.path).parent}):\n\n{text}")

    def _find(self, name: str) -> Skill:
        if name not in self._skills:
            known = ", ".join(self._skills) or "none"
            raise ToolError(f"there is no skill {name!r}: there are {known}")
        return self._skills[name]
