"""What rules say, and whose word counts."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.agent.permissions.place import Place
from unabridged.agent.access import Asked, Fetches, Reads, Writes
from unabridged.agent.permissions.gate import Gate
from unabridged.agent.permissions.questions import Mode
from unabridged.agent.permissions.rule_files import RuleFile, project_file
from unabridged.agent.permissions.rules import Effect, Rule, Rules
from unabridged.agent.permissions.ruling import Policy
from unabridged.errors import BadInput, BadSetting


def effect(policy: Policy, asked: Asked) -> Effect:
    return max(ruling.effect for ruling in Gate(policy).judge(asked))


def edits(place: Place, path: str) -> Asked:
    return Asked(tool="edit_file", title=path, touches=(Writes(str(place.root / path)),))


def reads(place: Place, path: str | Path) -> Asked:
    return Asked(tool="read_file", title=str(path), touches=(Reads(str(place.root / path)),), reads_only=True)


@pytest.mark.parametrize("text", ["", "allow", "maybe shell(ls)", "allow shell()", "allow mcp_x(y)", "shell(ls)"])
def test_what_is_no_rule_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadSetting, match="permissions"):
        Rule.parse(text)


@pytest.mark.parametrize("text", ["allow shell(npm test *)", "deny read(~/.ssh/**)", "ask edit", "deny mcp_github_*"])
def test_a_rule_reads_as_it_is_written(text: str) -> None:
    assert str(Rule.parse(text)) == text


def test_a_prefix_covers_what_follows_and_no_longer_word(place: Place) -> None:
    for rule in ("allow shell(npm test *)", "allow shell(npm test:*)"):
        policy = place.policy(rules=[rule])
        assert place.effect("npm test", policy) is Effect.ALLOW
        assert place.effect("npm test -- --watch", policy) is Effect.ALLOW
        assert place.effect("npm tests", policy) is Effect.ASK
        assert place.effect("npm", policy) is Effect.ASK
        assert place.effect("./npm test", policy) is Effect.ASK


def test_a_rule_without_a_star_covers_exactly_these_words(place: Place) -> None:
    policy = place.policy(rules=["allow shell(make build)"])

    assert place.effect("make build", policy) is Effect.ALLOW
    assert place.effect("make build install", policy) is Effect.ASK


def test_every_command_of_a_pipeline_needs_its_rule(place: Place) -> None:
    policy = place.policy(rules=["allow shell(npm test *)", "allow shell(tee out.txt)"])

    assert place.effect("npm test | tee out.txt | head", policy) is Effect.ALLOW
    assert place.effect("npm test | tee other.txt", policy) is Effect.ASK


def test_a_refusal_holds_for_whatever_follows(place: Place) -> None:
    assert place.effect("git push origin main", place.policy(Mode.AUTO, ["deny shell(git push)"])) is Effect.DENY


def test_an_argument_goes_before_the_file_of_the_user(place: Place) -> None:
    policy = place.policy(rules=["deny shell(make *)"])
    policy = msgspec.structs.replace(policy, argument=Rules.parse(["allow shell(make *)"]))

    assert place.effect("make x", policy) is Effect.ALLOW


def test_a_project_only_narrows(place: Place) -> None:
    project = Rules.parse(["allow shell(make *)", "allow edit(**)", "deny shell(ls *)", "ask read(src/**)"])
    policy = msgspec.structs.replace(place.policy(rules=["allow shell(ls *)"]), project=project)

    assert place.effect("make x", policy) is Effect.ASK
    assert effect(policy, edits(place, "src/a.py")) is Effect.ASK
    assert place.effect("ls x", policy) is Effect.DENY
    assert effect(policy, reads(place, "src/a.py")) is Effect.ASK


def test_a_star_stays_within_a_folder(place: Place) -> None:
    policy = place.policy(rules=["allow edit(src/*)"])

    assert effect(policy, edits(place, "src/b.py")) is Effect.ALLOW
    assert effect(policy, edits(place, "src/deep/b.py")) is Effect.ASK
    assert effect(place.policy(rules=["allow edit(src/**)"]), edits(place, "src/deep/b.py")) is Effect.ALLOW


@pytest.mark.parametrize("mode", [Mode.ASK, Mode.ACCEPT_EDITS, Mode.AUTO])
@pytest.mark.parametrize(
    "path", [".git/hooks/pre-commit", ".git/config", ".unabridged/permissions.rules", ".env", ".envrc"]
)
def test_protected_files_are_asked_about_in_each_mode_and_by_each_wide_rule(
    place: Place, mode: Mode, path: str
) -> None:
    policy = place.policy(mode, ["allow edit(**)", "allow edit"])

    assert effect(policy, edits(place, path)) is Effect.ASK
    named = msgspec.structs.replace(policy, argument=Rules.parse([f"allow edit({path})"]))
    assert effect(named, edits(place, path)) is Effect.ALLOW


def test_modes_differ_in_what_is_free(place: Place) -> None:
    edit, outside = edits(place, "src/a.py"), edits(place, "../elsewhere")
    free = {mode: effect(place.policy(mode), edit) for mode in Mode}

    assert free == {"plan": Effect.DENY, "ask": Effect.ASK, "accept-edits": Effect.ALLOW, "auto": Effect.ALLOW}
    assert {effect(place.policy(mode), outside) for mode in (Mode.ASK, Mode.ACCEPT_EDITS, Mode.AUTO)} == {Effect.ASK}
    assert place.effect("make x", place.policy(Mode.ACCEPT_EDITS)) is Effect.ASK
    assert place.effect("make x", place.policy(Mode.AUTO)) is Effect.ALLOW
    assert place.effect("rm -rf src", place.policy(Mode.AUTO, confined=True)) is Effect.ASK
    assert place.effect('python3 -c "$code"', place.policy(Mode.AUTO, confined=True)) is Effect.ALLOW
    assert place.effect('eval "$code"', place.policy(Mode.AUTO, confined=True)) is Effect.ALLOW
    assert place.effect('eval "$code"', place.policy(Mode.AUTO)) is Effect.ASK
    assert place.effect("echo x > src/b.py", place.policy(Mode.ACCEPT_EDITS)) is Effect.ALLOW


def test_secrets_and_what_lies_outside_are_asked_about(place: Place) -> None:
    policy = place.policy()

    assert effect(policy, reads(place, "src/a.py")) is Effect.ALLOW
    assert effect(policy, reads(place, place.home / "notes.txt")) is Effect.ASK
    assert (
        effect(place.policy(rules=["allow read(**)", f"allow read({place.home}/**)"]), reads(place, ".env"))
        is Effect.ASK
    )
    assert effect(place.policy(rules=["deny read(~/.ssh/**)"]), reads(place, place.home / ".ssh/id_rsa")) is Effect.DENY
    readable = msgspec.structs.replace(policy, readable=(place.home / "outputs",))
    assert effect(readable, reads(place, place.home / "outputs" / "1.txt")) is Effect.ALLOW


def test_an_address_is_allowed_by_its_host(place: Place) -> None:
    policy = place.policy(rules=["allow fetch(https://docs.example.com/**)"])

    def of(url: str) -> Effect:
        return effect(policy, Asked(tool="fetch", title=url, touches=(Fetches(url),), reads_only=True))

    assert of("https://docs.example.com/a/b") is Effect.ALLOW
    assert of("https://docs.example.com.evil.net/a") is Effect.ASK
    assert of("http://docs.example.com/a") is Effect.ASK


def test_a_file_that_cannot_be_read_names_its_line(tmp_path: Path) -> None:
    path = project_file(tmp_path)
    path.parent.mkdir()
    path.write_text("# ours\nallow shell(make *)\n\nmaybe\n")

    with pytest.raises(BadInput, match="line 4"):
        RuleFile(path).rules()
    path.write_text("allow shell(make *)\ndeny shell(rm)\n")
    assert RuleFile(path).unheard() == ("allow shell(make *)",)
    assert RuleFile(tmp_path / "none").rules() == Rules()
