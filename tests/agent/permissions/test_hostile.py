"""Commands that try to look harmless. None of them runs without a question, whatever else is allowed."""

from __future__ import annotations

import pytest

from tests.agent.permissions.place import Place
from unabridged.agent.permissions.questions import Mode
from unabridged.agent.permissions.rules import Effect

# What a careless person might have allowed for good.
GENEROUS = [
    "allow shell(npm test *)",
    "allow shell(git status *)",
    "allow shell(git log *)",
    "allow shell(git diff *)",
    "allow shell(sed -n *)",
    "allow shell(find *)",
    "allow shell(tar *)",
    "allow shell(sort *)",
    "allow shell(rg *)",
    "allow shell(cat *)",
    "allow shell(tee *)",
    "allow shell(cp *)",
]

NEWLINES = [
    "git status\ntouch X",
    "pwd\nrm -rf sub",
    "git status\r\ntouch X",
    "pwd\n\n\ntouch X",
    "git status\\\n; touch X",
    "git sta\\\ntus; touch X",
    "pwd # only looking\ntouch X",
    "echo \\ #; touch X",
    "cat <<EOF\nhi\nEOF\ntouch X",
    "cat <<'EOF'\nEOF\ntouch X\nEOF",
    "cat <<EOF\n$(touch X)\nEOF",
    "cat <<EOF\n`touch X`\nEOF",
    "cat <<-EOF\n\tEOF\ntouch X\nEOF",
    "cat <<E\\OF\nEOF\ntouch X\nE\\OF",
    "cat <<A <<B\nA\nB\ntouch X",
]
SEPARATORS = [
    "pwd; touch X",
    "pwd && touch X",
    "pwd || touch X",
    "pwd & touch X",
    "pwd | touch X",
    "pwd |& touch X",
    "npm test; touch X",
    "(touch X)",
    "{ touch X; }",
    "if true; then touch X; fi",
    "for i in 1; do touch X; done",
    "while touch X; do true; done",
    "case a in a) touch X;; esac",
    "! touch X",
    "f() { touch X; }; f",
    "time touch X",
    "coproc touch X",
    "pwd;{ touch X;}",
]
SUBSTITUTIONS = [
    "echo $(touch X)",
    "echo `touch X`",
    'echo "$(touch X)"',
    'echo "`touch X`"',
    "echo ${x:-$(touch X)}",
    "echo $((a[$(touch X)]))",
    "echo $(( $(touch X) ))",
    "cat <(touch X)",
    "pwd > >(touch X)",
    "a=$(touch X)",
    "a[$(touch X)]=1",
    "x='$(touch X)'; echo ${x@P}",
    "x='a[$(touch X)]'; echo $((x))",
    "x='a[$(touch X)]'; [[ x -eq 1 ]]",
    "[ -v 'a[$(touch X)]' ]",
    "test -v 'a[$(touch X)]'",
    "printf -v 'a[$(touch X)]' y",
    "$(echo touch) X",
    "x=touch; $x X",
    "t''ouch X",
    't"ou"ch X',
    "t\\ouch X",
    "$'touch' X",
    "$'\\x74ouch' X",
    "/usr/bin/touch X",
    "{touch,X}",
    "tou?h X",
    "/usr/bin/tou?h X",
]
ENVIRONMENT = [
    "LD_PRELOAD=./evil.so git status",
    "GIT_EXTERNAL_DIFF=./evil git diff",
    "GIT_PAGER=./evil git log",
    "PAGER='touch X' git log",
    "PATH=.:$PATH git status",
    "PATH=. ls",
    "export PATH=.; ls",
    "export LD_PRELOAD=./evil.so; ls",
    "BASH_ENV=./evil npm test",
    "NODE_OPTIONS='--require ./evil.js' npm test",
    "for PATH in /tmp/evil; do ls; done",
    "read PATH; ls",
    "env touch X",
    "env LD_PRELOAD=./evil.so git status",
    "env -S 'touch X'",
    "IFS=x; ls",
    "RIPGREP_CONFIG_PATH=./evil rg x",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=./evil git log",
]
WRAPPERS = [
    "sh -c 'touch X'",
    "bash -c 'touch X'",
    "bash -c \"bash -c 'touch X'\"",
    "echo touch X | sh",
    "sh < src/a.py",
    "bash src/a.sh",
    "eval touch X",
    "eval 'touch X'",
    'eval "$x"',
    "xargs touch",
    "echo X | xargs touch",
    "echo X | xargs -I{} sh -c 'touch {}'",
    "command touch X",
    "builtin eval touch X",
    "exec touch X",
    "nohup touch X",
    "timeout 5 touch X",
    "nice -n 5 touch X",
    "stdbuf -oL touch X",
    "setsid touch X",
    "sudo ls",
    "doas cat /etc/shadow",
    "source src/a.py",
    ". src/a.py",
    "trap 'touch X' EXIT",
    "alias ls='touch X'; ls",
    "enable -f ./evil.so pwd; pwd",
    "hash -p ./evil ls; ls",
    "mapfile -C 'touch X' -c 1 a < src/a.py",
    'python3 -c \'open("X","w")\'',
    "awk 'BEGIN{system(\"touch X\")}'",
    "awk '{print > \"X\"}' src/a.py",
    "awk '{\"touch X\" | getline}' src/a.py",
    "perl -e 'unlink 1'",
    "watch touch X",
    "find . | while read f; do touch $f; done",
]
OPTIONS = [
    "git diff --no-index --output=X a b",
    "git diff --output=X",
    "git diff --outp=X",
    "git log --output X",
    "git log --grep -- --output=X",
    "git -c core.pager='touch X' log",
    "git -c core.fsmonitor='touch X' status",
    "git --config-env=core.pager=EVIL log",
    "git --exec-path=. status",
    "git diff --ext-diff",
    "git diff --no-index /etc/hostname src/a.py",
    "git grep -O'touch X' a",
    "git grep --open-files-in-pager='touch X' a",
    "git branch evil",
    "git tag evil",
    "git stash",
    "git remote add evil https://example.com",
    "git config core.pager 'touch X'",
    "sed -n '1w X' src/a.py",
    'sed -n "1e touch X" src/a.py',
    "sed -n 's/a/b/w X' src/a.py",
    "sed -n 's/a/touch X/e' src/a.py",
    "sed -i s/a/b/ src/a.py",
    "sed -n -i 1p src/a.py",
    "sed -n -f evil.sed src/a.py",
    "find . -delete",
    "find . -exec touch X \\;",
    "find . -execdir touch X \\;",
    "find . -fprint X",
    "find . -fprintf X %p",
    "find . -ok touch X \\;",
    "sort -o X src/a.py",
    "sort -t -- -o X src/a.py",
    "sort --output=X src/a.py",
    "sort --compress-program=./evil src/a.py",
    "uniq src/a.py X",
    "xxd src/a.py X",
    "tree -o X",
    "rg --pre ./evil x",
    "rg --hostname-bin=./evil x",
    "tar xf a.tar --to-command='touch X'",
    "tar cf a.tar --checkpoint=1 --checkpoint-action=exec='touch X' src",
    "tar -I ./evil -xf a.tar",
    "date -s 2020-01-01",
    "hostname evil",
    "sort *",
]
PATHS = [
    "cat ~/.ssh/id_rsa",
    "cat $HOME/.ssh/id_rsa",
    "cat ~/.ssh/id_*",
    "cat ../person/.ssh/id_rsa",
    "cd ~/.ssh && cat id_rsa",
    "cd .. && cat person/.ssh/id_rsa",
    "cd src/../.. && cat person/.ssh/id_rsa",
    "cd && cat .ssh/id_rsa",
    "cat < ~/.ssh/id_rsa",
    "cat .env",
    "cat .e*",
    "head -c 100 .env.local",
    "cat src/../.env",
    "git show HEAD:.env",
    "git diff -- .env",
    "grep -f ~/.ssh/id_rsa src/a.py",
    "grep -f/etc/shadow src/a.py",
    "diff /etc/shadow src/a.py",
    "wc -l --files0-from=.env",
    "jq -n 'import \"a\" as $a; $a'",
    "cat /etc/passwd",
    "cat /proc/1/environ",
    "ps eww",
    "echo hi > X",
    "echo hi >> ~/.bashrc",
    "echo hi > .git/hooks/pre-commit",
    "echo hi >| .git/config",
    "echo hi &> X",
    "echo hi >& X",
    "echo hi <> X",
    "> X",
    "exec > X",
    "echo hi > $x",
    "echo hi > /dev/tcp/127.0.0.1/80",
    "cat < /dev/tcp/127.0.0.1/80",
    "cp src/a.py .git/hooks/pre-commit",
    "tee .git/hooks/pre-commit",
    "tee ~/.bashrc",
    "cat .env | npm test",
    "ls\u00a0-l; touch X",
    "ls\u200b",
    "ls \x00; touch X",
    "ls \x1b[2K",
    "ls \ud800",
    "ls 'unfinished",
    "ls && ",
    "ls )",
]
ALL = NEWLINES + SEPARATORS + SUBSTITUTIONS + ENVIRONMENT + WRAPPERS + OPTIONS + PATHS


@pytest.fixture
def tempting(place: Place) -> Place:
    """A workspace with secrets in it."""
    for name in (".env", ".env.local"):
        (place.root / name).write_text("KEY=1")
    return place


@pytest.mark.parametrize("command", ALL)
def test_nothing_hostile_runs_without_a_question(tempting: Place, command: str) -> None:
    assert tempting.effect(command) is not Effect.ALLOW


@pytest.mark.parametrize("command", [c for c in ALL if "cp src" not in c or ".git" in c])
def test_generous_rules_do_not_change_that(tempting: Place, command: str) -> None:
    assert tempting.effect(command, tempting.policy(rules=GENEROUS)) is not Effect.ALLOW


@pytest.mark.parametrize(
    "command", [c for c in ALL if not c.startswith(("ps ", "cat /", "diff /", "git diff --no-index /"))]
)
def test_planning_refuses_what_would_change_something(tempting: Place, command: str) -> None:
    assert tempting.effect(command, tempting.policy(Mode.PLAN, GENEROUS)) is not Effect.ALLOW


def test_a_link_to_a_secret_is_a_secret(place: Place) -> None:
    (place.root / "notes.txt").symlink_to(place.home / ".ssh" / "id_rsa")
    (place.root / "keys").symlink_to(place.home / ".ssh")

    assert place.effect("cat notes.txt") is Effect.ASK
    assert place.effect("cat keys/id_rsa") is Effect.ASK
    assert place.effect("cd keys && cat id_rsa") is Effect.ASK
    assert place.effect("cat k*/id_rsa") is Effect.ASK


def test_a_link_out_of_the_workspace_is_outside(place: Place) -> None:
    (place.root / "out").symlink_to(place.home)

    assert place.effect("echo hi > out/x", place.policy(Mode.AUTO)) is Effect.ASK
    assert place.effect("ls out") is Effect.ASK
    assert place.effect("cd out && ls") is Effect.ASK
    assert place.effect("cd src && cd ../out && ls") is Effect.ASK


def test_a_search_through_all_files_meets_secrets(place: Place) -> None:
    assert place.effect("grep -rn KEY .") is Effect.ALLOW
    (place.root / "src" / ".env").write_text("KEY=1")

    assert place.effect("grep -rn KEY .") is Effect.ASK
    assert place.effect("grep --recursive KEY") is Effect.ASK
    assert place.effect("cd src && grep -r KEY") is Effect.ASK
    assert place.effect("rg --hidden KEY") is Effect.ASK
    assert place.effect("rg -uu KEY") is Effect.ASK
    assert place.effect("rg KEY") is Effect.ALLOW  # It does not open hidden files.
    (place.root / "src" / "server.pem").write_text("KEY=1")
    assert place.effect("rg KEY") is Effect.ASK


@pytest.mark.parametrize(
    "setting",
    ["[core]\n\tfsmonitor = ./evil\n", "[core] fsmonitor = ./evil\n", "[include]\n\tpath = ../evil\n",
     '[diff "x"]\n\ttextconv = ./evil\n', '[filter "x"]\n\tclean = ./evil\n', "[alias]\n\tlog = !touch X\n"],
)  # fmt: skip
def test_a_repository_that_runs_something_is_not_looked_at_without_a_question(place: Place, setting: str) -> None:
    assert place.effect("git status") is Effect.ALLOW
    with (place.root / ".git" / "config").open("a") as config:
        config.write(setting)

    assert place.effect("git status") is Effect.ASK


def test_what_is_refused_is_refused_behind_everything(place: Place) -> None:
    policy = place.policy(Mode.AUTO, ["deny shell(rm)", "deny shell(git push)"], confined=True)
    for command in [
        "rm x", "sudo rm x", "sudo -u me rm x", "env A=1 rm x", "xargs rm", "find . -exec rm {} +", "sh -c 'rm x'",
        "true && rm x", "echo $(rm x)", "/bin/rm x", "r''m x", "\\rm x", "command rm x", "timeout 5 rm x", "eval rm x",
        "git push", "git push origin main", "git -C src push", "git --no-pager push", "bash -c \"bash -c 'rm x'\"",
    ]:  # fmt: skip
        assert place.effect(command, policy) is Effect.DENY, command


def test_what_could_turn_out_to_be_refused_is_asked(place: Place) -> None:
    policy = place.policy(Mode.AUTO, ["deny shell(git push)", "allow shell(git *)"], confined=True)
    for command in ["git $x", "$x push", 'eval "$x"', "git 'pu'sh$x", "sh script"]:
        assert place.effect(command, policy) is not Effect.ALLOW, command
