"""What `import unabridged` offers: a sorted list of names, each explained and each found where it says it lives."""

from __future__ import annotations

import importlib
import inspect
import tomllib

import pytest

import unabridged
from tests.shared import REPOSITORY

PUBLIC: list[str] = list(getattr(unabridged, "__all__", []))
DEFINITIONS = [
    name
    for name in PUBLIC
    if inspect.isclass(getattr(unabridged, name)) or inspect.isroutine(getattr(unabridged, name))
]


def test_the_list_of_public_names_is_sorted_and_without_repeats() -> None:
    assert sorted(set(PUBLIC)) == PUBLIC


def test_every_public_name_shows_up_in_dir() -> None:
    assert set(PUBLIC) <= set(dir(unabridged))


def test_every_public_name_is_explained_in_a_sentence() -> None:
    unexplained = [name for name in DEFINITIONS if not _first_line(getattr(unabridged, name)).endswith(".")]
    assert unexplained == []


def test_every_public_name_is_found_where_it_says_it_lives() -> None:
    misplaced = []
    for name in DEFINITIONS:
        thing = getattr(unabridged, name)
        home = importlib.import_module(thing.__module__)
        if home.__name__.partition(".")[0] != "unabridged" or getattr(home, thing.__name__, None) is not thing:
            misplaced.append(f"{name}: {thing.__module__}.{thing.__name__}")
    assert misplaced == []


def test_the_package_says_which_version_it_is() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert unabridged.__version__ == project["version"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        unabridged.no_such_name  # noqa: B018 (reading it is the test)


def _first_line(thing: object) -> str:
    # Not inspect.getdoc: a docstring inherited from a base class explains the base class.
    text = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    return (text or "").strip().partition("\n")[0]
