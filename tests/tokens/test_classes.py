"""Machine data in a text: what counts as it, what does not, and how quickly that is seen."""

from __future__ import annotations

import base64
import json
import uuid
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.tokens.classes import dense_share

PROSE = (
    "The plan is simple: read the file, find the lines that matter, and say what they mean. Nobody has to read it "
    "twice, since every step is written down in plain words, and whoever comes next can go on from there. "
) * 4


@pytest.mark.parametrize(
    "text",
    [
        "",
        PROSE,
        "def read(path: Path) -> str:\n    return path.read_text()\n",
        "{'name': 'settings', 'open': True, 'tags': []}",
        "ein Straßenname, 数据库, база данных",
        "=" * 200,
    ],
)
def test_text_without_digits_holds_no_machine_data(text: str) -> None:
    assert dense_share(text) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "0123456789" * 20,
        Random(1).randbytes(200).hex(),
        base64.b64encode(Random(2).randbytes(300)).decode(),
        base64.urlsafe_b64encode(Random(3).randbytes(300)).decode(),
        "\n".join(str(uuid.UUID(int=Random(seed).getrandbits(128))) for seed in range(20)),
        "2026-11-30",
    ],
)
def test_digits_hex_and_base64_are_machine_data_nearly_whole(text: str) -> None:
    assert dense_share(text) > 0.9


def test_only_the_digits_of_a_name_or_a_path_count() -> None:
    assert dense_share("utf8") == pytest.approx(1 / 4)
    path = "2nd_attempt_of_the_long_running_import_job/settings_of_the_worker"
    assert dense_share(path) == pytest.approx(1 / len(path))
    name = "3DimensionalRepresentationOfTheFactoryWithSettings"
    assert dense_share(name) == pytest.approx(1 / len(name))


def test_the_share_is_of_the_whole_text() -> None:
    digest = Random(4).randbytes(32).hex()
    text = PROSE + digest
    assert dense_share(text) == pytest.approx(len(digest) / len(text), rel=0.1)


def test_a_picture_pasted_as_text_is_seen_in_a_long_message() -> None:
    picture = base64.b64encode(Random(5).randbytes(3_000)).decode()
    message = json.dumps({"result": "data:image/png;base64," + picture, "note": PROSE})
    assert dense_share(message) == pytest.approx(len(picture) / len(message), abs=0.02)


@given(st.text())
def test_every_text_has_a_share_between_none_and_all(text: str) -> None:
    assert 0.0 <= dense_share(text) <= 1.0
