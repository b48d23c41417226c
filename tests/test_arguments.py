"""The string leaves of a call's arguments: found by pointer, changed without touching anything else."""

from __future__ import annotations

import pytest

from unabridged.arguments import leaves, with_leaf
from unabridged.errors import BadInput


def shout(text: str) -> str:
    return text.upper()


def test_every_string_is_found_with_its_pointer() -> None:
    assert list(leaves('{"path": "a.py", "edits": [{"new": "x", "line": 3}, "y"], "force": true}')) == [
        ("/path", "a.py"),
        ("/edits/0/new", "x"),
        ("/edits/1", "y"),
    ]


def test_keys_with_slashes_and_tildes_are_escaped() -> None:
    assert list(leaves('{"a/b": {"c~d": "x"}}')) == [("/a~1b/c~0d", "x")]


def test_arguments_that_are_one_string_are_one_leaf() -> None:
    assert list(leaves('"SELECT 1"')) == [("", "SELECT 1")]


@pytest.mark.parametrize("arguments", ["", "{", '{"a": "b"', "not JSON", "{'a': 'b'}"])
def test_text_that_is_no_json_has_no_leaves(arguments: str) -> None:
    assert list(leaves(arguments)) == []


@pytest.mark.parametrize(
    ("arguments", "pointer", "changed"),
    [
        ('{"path": "a.py", "line": 3}', "/path", '{"path": "A.PY", "line": 3}'),
        ('{"edits": [{"new": "x"}, "y"]}', "/edits/0/new", '{"edits": [{"new": "X"}, "y"]}'),
        ('{"edits": [{"new": "x"}, "y"]}', "/edits/1", '{"edits": [{"new": "x"}, "Y"]}'),
        ('{"a/b": {"c~d": "x"}}', "/a~1b/c~0d", '{"a/b": {"c~d": "X"}}'),
        ('{"": "x"}', "/", '{"": "X"}'),
        ('"select"', "", '"SELECT"'),
        # numbers as they were spelt, white space, escapes of other strings, the order of keys
        ('{ "n" : 1.0e3,\n"z":"\\u00e9", "text":"x" }', "/text", '{ "n" : 1.0e3,\n"z":"\\u00e9", "text":"X" }'),
    ],
)
def test_one_leaf_changes_and_nothing_else(arguments: str, pointer: str, changed: str) -> None:
    assert with_leaf(arguments, pointer, shout) == changed


def test_what_is_put_in_is_quoted() -> None:
    assert with_leaf('{"a": "x"}', "/a", lambda text: f'{text}\n"quoted"') == '{"a": "x\\n\\"quoted\\""}'


def test_of_a_key_that_comes_twice_the_last_is_the_leaf() -> None:
    assert list(leaves('{"a": "x", "a": "y"}')) == [("/a", "y")]
    assert with_leaf('{"a": "x", "a": "y"}', "/a", shout) == '{"a": "x", "a": "Y"}'


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ('{"a": "x"}', "/b"),
        ('{"a": 3}', "/a"),
        ('{"a": ["x"]}', "/a/1"),
        ('{"a": ["x"]}', "/a/b"),
        ('{"a": "x"}', "/a/0"),
    ],
)
def test_a_pointer_into_other_arguments_is_refused(arguments: str, pointer: str) -> None:
    with pytest.raises(BadInput, match="the cut was made for another call"):
        with_leaf(arguments, pointer, shout)
