"""Whatever is put around a command that nobody allowed, and however it is quoted: it never runs without a question."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from unabridged.agent.permissions.commands import command_rulings
from unabridged.agent.permissions.rules import Effect, Rules
from unabridged.agent.permissions.ruling import Policy
from unabridged.agent.workspace import Workspace

POLICY = Policy(
    workspace=Workspace.at(Path(__file__).parent),
    user=Rules.parse(["allow shell(npm test *)", "allow shell(git status *)", "allow shell(echo *)"]),
    home=Path("/nobody"),
)
HARMLESS = st.sampled_from(
    [
        "pwd",
        "ls -la",
        "echo a b",
        "git status",
        "npm test",
        "cat 'x y'",
        "true",
        'echo "q"',
        "ls # c\npwd",
        "x=1",
    ]
)
SEPARATOR = st.sampled_from(
    [
        ";",
        "\n",
        "&&",
        "||",
        "|",
        "&",
        "|&",
        " ; ",
        "\n\n",
        ";\n",
        "\t&&\t",
        "\\\n;",
        " # c\n",
        "\r\n",
        "<<X\nX\n",
        "\\ #;",
    ]
)
AROUND = st.sampled_from(
    [
    "{}", "({})", "{{ {}; }}", "$({})", "echo $({})", "echo `{}`", "echo \"$({})\"", "cat <({})", "! {}",
    "A=1 {}", "\\\n{}", "if true; then {}; fi", "while {}; do true; done", "f() {{ {}; }}; f", "eval '{}'",
    "sh -c \"{}\"", "command {}", "env {}", "nohup {}", "xargs {}", "time {}", "timeout 1 {}",
    "case a in a) {};; esac", "for i in 1; do {}; done", "x=$({})", "echo ${{x:-$({})}}", "cat <<E\n$({})\nE\n",
    "2>&1 {}", "exec {}", "coproc {}", "\t{}", "[ a ] && {}",
    ]
)  # fmt: skip


@st.composite
def spelled(draw: st.DrawFn, name: str = "wipe") -> str:
    """A command by a name that no rule and no table knows, spelled as a shell still reads it."""
    made: list[str] = []
    for letter in name:
        forms = [letter, letter, f"\\{letter}", f"'{letter}'", f"{letter}''", f'""{letter}']
        made.append(draw(st.sampled_from(forms)))
    return "".join(made) + draw(st.sampled_from(["", " x", " 'x y'", ' "$a"', " -rf /", " > f", "\t*"]))


@st.composite
def hidden(draw: st.DrawFn) -> str:
    bad = draw(spelled())
    for around in draw(st.lists(AROUND, max_size=2)):
        bad = around.format(bad)
    before = [draw(HARMLESS) + draw(SEPARATOR) for _ in range(draw(st.integers(0, 2)))]
    after = [draw(SEPARATOR) + draw(HARMLESS) for _ in range(draw(st.integers(0, 2)))]
    return "".join(before) + bad + "".join(after)


@given(hidden())
def test_no_disguise_makes_a_command_allowed(command: str) -> None:
    rulings = command_rulings(POLICY, command, str(POLICY.workspace.root))

    assert max((ruling.effect for ruling in rulings), default=Effect.ALLOW) is not Effect.ALLOW


@given(st.text(max_size=80))
def test_any_text_at_all_can_be_judged(command: str) -> None:
    command_rulings(POLICY, command, str(POLICY.workspace.root))
