"""Logs of this library as input: the newest branch, what was refused, damage, the frame that an import kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.sessions import shown
from unabridged.entry import FrameEntry, MessageEntry, RefusedEntry, UsageEntry
from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.importers import Imported, read_file
from unabridged.log import Log
from unabridged.message import Message, Origin, Role, Text
from unabridged.report import Usage
from unabridged.store.jsonl import JsonlWriter


def said(id: str, words: str, role: Role = Role.USER) -> MessageEntry:
    origin = Origin.MODEL if role is Role.ASSISTANT else Origin.HUMAN
    return MessageEntry(Message(id=id, role=role, parts=(Text(words),), origin=origin))


def written(log: Log, path: Path) -> Path:
    with JsonlWriter(path, session=log.session, counter=log.counter) as writer:
        writer.append(log.since(0), log.media)
    return path


def read(log: Log, folder: Path) -> list[Imported]:
    return read_file(written(log, folder / "talk.jsonl"))


def test_messages_keep_their_ids_and_reports_belong_to_the_answer_behind(tmp_path: Path) -> None:
    log = Log("s")
    usage = UsageEntry(usage=Usage(input=9), last="a", model="m")
    log.append(said("a", "Go"), usage, said("b", "Done.", Role.ASSISTANT))
    (conversation,) = read(log, tmp_path)

    assert [message.id for message in conversation.messages] == ["a", "b"]
    assert [(call.answer, call.usage, call.model) for call in conversation.calls] == [(1, Usage(input=9), "m")]
    assert conversation.dialect == "openai_chat"


def test_the_newest_branch_is_the_conversation_and_others_are_their_own(tmp_path: Path) -> None:
    log = Log("s")
    log.append(said("a", "Go"), said("b", "No.", Role.ASSISTANT))
    branch = log.fork("main", upto=0, why="regenerate")
    log.append(said("c", "Yes.", Role.ASSISTANT), branch=branch)

    assert {each.name: shown(each) for each in read(log, tmp_path)} == {
        "talk.jsonl": ["human: Go", "assistant: Yes."],
        "talk.jsonl#main": ["human: Go", "assistant: No."],
    }


def test_a_branch_that_the_newest_holds_whole_is_none_of_its_own(tmp_path: Path) -> None:
    log = Log("s")
    log.append(said("a", "Go"))
    log.append(said("b", "Done.", Role.ASSISTANT), branch=log.fork("main", upto=0, why="fork"))

    assert [each.name for each in read(log, tmp_path)] == ["talk.jsonl"]


def test_what_was_refused_is_no_part_of_the_conversation(tmp_path: Path) -> None:
    log = Log("s")
    log.append(said("a", "Go"), said("b", "far too long"), RefusedEntry(("b",), "too long"), said("c", "On"))

    assert [shown(each) for each in read(log, tmp_path)] == [["human: Go", "human: On"]]


def test_a_frame_that_the_log_holds_is_the_conversations(tmp_path: Path) -> None:
    frame = Frame(dialect="anthropic", fields=(("system", '"Be brief."'),))
    log = Log("s")
    log.append(FrameEntry("d", frame), FrameEntry("other"), said("a", "Go"))
    (conversation,) = read(log, tmp_path)

    assert (conversation.dialect, conversation.frame) == ("anthropic", frame)


def test_damage_is_named_with_its_line(tmp_path: Path) -> None:
    log = Log("s")
    log.append(said("a", "Go"), said("b", "On"))
    path = written(log, tmp_path / "talk.jsonl")
    path.write_bytes(path.read_bytes()[:-9])
    (conversation,) = read_file(path)

    assert shown(conversation) == ["human: Go"]
    assert conversation.problems[0].startswith("line 3: torn_last_line, ")


def test_a_log_without_a_message_and_one_of_a_newer_version_are_refused_with_their_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^talk\.jsonl: no message can be read from it: the log of the session 's'"):
        read(Log("s"), tmp_path)
    newer = tmp_path / "newer.jsonl"
    newer.write_text('{"kind":"unabridged","version":9,"session":"s"}\n')
    with pytest.raises(BadInput, match=r"^newer\.jsonl: the log has version 9 of the format"):
        read_file(newer)
