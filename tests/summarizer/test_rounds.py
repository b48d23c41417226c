from __future__ import annotations

import pytest

from tests.summarizer.spans import assistant, called, note, ran, record_of, request, span, summary_of, user
from unabridged.message import Message
from unabridged.summarizer import extract
from unabridged.summarizer.gathering.sentences import choose, demands, is_written
from unabridged.summarizer.record import Record, Round

LOG = "\n".join(f"[11:34:{second:02}.865] [API] GET /api/evaluators/{second} -> 200 in 12 ms" for second in range(60))
CODE = "```python\n" + "\n".join(f"value_{number} = compute({number})" for number in range(60)) + "\n```"
DEMANDS = {
    "English": "Never touch the file secrets.txt.",
    "German": "Die Datei darf auf keinen Fall geändert werden.",
    "French": "Il ne faut jamais modifier ce fichier.",
    "Spanish": "No debes tocar nunca ese archivo.",
    "Portuguese": "Não altere esse arquivo.",
    "Italian": "Non toccare mai quel file.",
    "Dutch": "Wijzig dat bestand nooit.",
    "Polish": "Nie zmieniaj tego pliku.",
    "Turkish": "O dosyayı asla değiştirme.",
    "Russian": "Никогда не меняй этот файл.",
    "Arabic": "لا تغير هذا الملف أبدا.",
    "Hindi": "इस फ़ाइल को कभी मत बदलो।",
    "Chinese": "请不要修改这个文件。",
    "Japanese": "このファイルは変更しないでください。",
    "Korean": "이 파일은 절대 변경하지 마세요.",
    "Thai": "ห้ามแก้ไขไฟล์นี้",
    "Vietnamese": "Không được sửa tệp này.",
}


def said(record: Record) -> list[tuple[str, ...]]:
    return [item.said for item in record.rounds]


def shown(pieces: tuple[str | int, ...]) -> str:
    return "".join(piece for piece in pieces if isinstance(piece, str))


def test_what_people_said_stands_there_exactly_and_in_order() -> None:
    first, second = 'Use tabs.\n\n  Keep   *this* spacing; and "quotes".', "weiter, aber ohne Umlaute"
    assert said(record_of(user(first), assistant("Done."), user(second))) == [(first,), (second,)]


def test_what_clients_and_tools_put_in_is_not_what_people_said() -> None:
    assert said(record_of(note("<system-reminder>Be brief.</system-reminder>"), ran("make"), user("go on"))) == [
        ("go on",)
    ]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("<system-reminder>The date is today.</system-reminder>\nfix it", "fix it"),
        ("<command-message>review</command-message><command-args>the last commit</command-args>", "the last commit"),
        ("<environment_details>\n# Open tabs\na.py\n</environment_details>\ngo", "go"),
        ("[Image #1]\nwhat is this?", "what is this?"),
        (
            "<requirements>keep the tags that I wrote</requirements>",
            "<requirements>keep the tags that I wrote</requirements>",
        ),
    ],
)
def test_a_clients_wrapping_falls_away_and_a_persons_own_tags_stay(typed: str, expected: str) -> None:
    assert said(record_of(user(typed))) == [(expected,)]


def test_a_choice_and_a_reason_given_to_a_tool_are_the_users_words() -> None:
    answer = 'Your questions have been answered: "Which padding?"="The outer one".'
    declined = "The user doesn't want to proceed with this tool use. The user said:\nnot in this folder, please"
    record = record_of(
        called("AskUserQuestion", {"questions": [{"question": "Which padding?"}]}, answer),
        called("Edit", {"file_path": "/a", "old_string": "x"}, declined, error=True),
    )
    assert said(record) == [(answer,), ("not in this folder, please",)]


def test_a_round_ends_with_what_the_model_reported_last() -> None:
    record = record_of(user("fix it"), assistant("Let me look."), ran("make"), assistant("Fixed: the port was 8431."))
    assert record.rounds == (Round(words=("fix it",), notes=("Fixed: the port was 8431.",)),)


def test_a_long_round_is_told_on_the_way() -> None:
    steps = [
        piece
        for number in range(40)
        for piece in (assistant(f"Step {number}: the cause was not {number}." + "x" * 40), *ran("make"))
    ]
    (item,) = record_of(user("find the cause"), steps).rounds
    assert len(item.notes) == 5
    assert item.notes[-1].startswith("Step 39")


def test_the_same_words_with_the_same_answer_stand_there_once() -> None:
    record = record_of(
        user("go on"), assistant("Done."), user("go on"), assistant("Done."), user("go on"), assistant("Not yet.")
    )
    assert record.rounds == (
        Round(words=("go on",), notes=("Done.",)),
        Round(words=("go on",), notes=("Not yet.",)),
    )


@pytest.mark.parametrize("language", DEMANDS)
def test_a_demand_is_known_in_any_language(language: str) -> None:
    assert demands(DEMANDS[language])


@pytest.mark.parametrize("language", DEMANDS)
@pytest.mark.parametrize("pasted", [LOG, CODE], ids=["log", "code"])
def test_a_demand_in_any_language_is_kept_out_of_a_long_paste(language: str, pasted: str) -> None:
    text = f"{pasted}\n{DEMANDS[language]}\n{pasted}"
    assert DEMANDS[language] in shown(choose(text, 400))


def test_of_a_long_message_the_first_and_last_sentence_are_kept_without_any_word_of_demand() -> None:
    middle = " ".join(f"The {n}th paragraph tells about the weather in the mountains of that year." for n in range(60))
    text = f"Look at the parser.\n{middle}\nWhich of them is it?"
    chosen = shown(choose(text, 400))
    assert "Look at the parser." in chosen
    assert "Which of them is it?" in chosen


def test_what_is_left_out_of_a_message_is_counted() -> None:
    text = f"Fix this:\n{LOG}\nDo not restart the server."
    pieces = choose(text, 300)
    assert sum(piece if isinstance(piece, int) else len(piece) for piece in pieces) >= len(text) - 4
    assert all(piece in text for piece in pieces if isinstance(piece, str))


def test_a_long_message_without_a_sentence_keeps_its_head_and_tail() -> None:
    pieces = choose(LOG, 300)
    assert (pieces[0], pieces[-1]) == (LOG[:200], LOG[-100:])


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "    return x;",
        "2026-01-02 11:00:00 INFO started",
        "at foo (bar.js:1:2)",
        "| a | b |",
        "+++ b/a.py",
        "eyJ" * 40,
    ],
)
def test_pasted_lines_look_like_nobody_wrote_them(line: str) -> None:
    assert not is_written(line)


@pytest.mark.parametrize("line", ["- use tabs", "请用制表符", "Why is that so?", "1. Never delete `a.py`", "¿Por qué?"])
def test_written_lines_look_like_somebody_wrote_them(line: str) -> None:
    assert is_written(line)


def test_demands_stay_longest_when_room_is_short() -> None:
    chatter = [
        piece
        for n in range(60)
        for piece in (user(f"I see, number {n} " + "and so on and so forth " * 20), assistant("Yes. " * 40))
    ]
    text = summary_of(user("Never touch secrets.txt."), chatter, limit=400)
    assert "> Never touch secrets.txt." in text


def test_a_demand_too_long_for_the_room_is_shown_in_part() -> None:
    long = "You must never do this. " * 400
    summary = extract(request([user(long)], limit=400)).text
    assert "> You must never do this." in summary
    assert "characters left out" in summary


def test_words_that_left_stand_as_a_gap_before_what_was_reported() -> None:
    about = "and here is what I was thinking about it all in the end " * 12
    spoken: list[Message] = [
        piece for n in range(8) for piece in (user(f"so {n} {about}"), assistant(f"Built number {n}."))
    ]
    record = record_of(span(*spoken), limit=500)
    assert any(item.words and not item.said and item.notes for item in record.rounds)
