"""aider: whose line is whose, what is a command, which count belongs to which answer."""

from __future__ import annotations

import pytest

from tests.importers.sessions import shown
from unabridged.errors import BadInput
from unabridged.importers import Imported, read_bytes
from unabridged.report import Usage


def read_all(text: str) -> list[Imported]:
    return read_bytes(text.encode(), "chat.md")


def read(body: str) -> Imported:
    (conversation,) = read_all(f"\n# aider chat started at 2026-01-01 00:00:00\n\n{body}")
    return conversation


def test_lines_of_one_speaker_are_one_message() -> None:
    assert shown(
        read("> Aider v1  \n> Model: m with x format  \n\n#### Go  \n####   \n#### slowly  \n\nDone.\n\nReally.\n")
    ) == [
        "injected: Aider v1\nModel: m with x format",
        "human: Go\n\nslowly",
        "assistant: Done.\n\nReally.",
    ]


def test_a_heading_or_a_quotation_of_the_model_is_its_own() -> None:
    assert shown(read("#### Go  \n\nPlan:\n\n#### Step 1\n\n> as you said\n")) == [
        "human: Go",
        "assistant: Plan:\n\n#### Step 1\n\n> as you said",
    ]


def test_two_inputs_with_nothing_between_are_two_messages() -> None:
    assert shown(read("#### one  \n\n#### two  \n\nYes.\n"))[:2] == ["human: one", "human: two"]


@pytest.mark.parametrize("command", ["/add a.py", "!ls", "# Fix any errors below, if possible."])
def test_commands_to_the_client_and_what_it_makes_up_are_injected(command: str) -> None:
    assert shown(read(f"#### {command}  \n\n#### Go  \n"))[0] == f"injected: {command}"


def test_commands_that_speak_to_the_model_are_a_persons() -> None:
    assert shown(read("#### /ask why?  \n\nSo.\n"))[0] == "human: /ask why?"


def test_chats_in_which_nobody_spoke_are_left_out() -> None:
    chat = "# aider chat started at 2026-01-01 00:00:00\n\n{}\n"
    text = (
        chat.format("> Aider v1  ")
        + chat.format("#### /exit  ")
        + chat.format("#### one  ")
        + chat.format("#### two  ")
    )

    assert [(each.name, shown(each)) for each in read_all(text)] == [
        ("chat.md#1", ["human: one"]),
        ("chat.md#2", ["human: two"]),
    ]


def test_a_file_in_which_nobody_spoke_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^chat\.md: no message can be read from it: it has none$"):
        read("> Aider v1  \n")


def test_counts_behind_an_answer_are_its_usage_and_in_old_files_those_before_it() -> None:
    conversation = read(
        "> Models: gpt-x with diff edit format, weak model y  \n\n"
        "#### one  \n\nA.\n\n> Tokens: 27,543 sent, 632 received. Cost: $0.09 request.  \n\n"
        "#### two  \n> 5829 prompt tokens, 737 completion tokens, $0.04 cost  \n\nB.\n\n"
        "#### three  \n\nC.\n\n> Tokens: 5.9k sent, 2k cache hit, 1.2k received.  \n"
    )

    assert [call.usage for call in conversation.calls] == [
        Usage(input=27_543, output=632),
        Usage(input=5_829, output=737),
        Usage(input=5_900, output=1_200),
    ]
    assert {call.model for call in conversation.calls} == {"gpt-x"}


def test_bytes_that_are_no_text_are_mended_and_named() -> None:
    data = b"# aider chat started at 2026-01-01 00:00:00\n\n#### caf\xe9  \r\n\r\nYes.\n"
    (conversation,) = read_bytes(data, "chat.md")

    assert shown(conversation)[0] == "human: caf\ufffd"
    assert conversation.problems == ("bytes that are no UTF-8 became U+FFFD",)
