"""A command's environment holds what programs need and nothing that could be a secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from unabridged.sandbox.environment import clean_environment

GIVEN = {
    "PATH": "/usr/bin:.:bin::/bin",
    "HOME": "/h",
    "LC_ALL": "C.UTF-8",
    "VIRTUAL_ENV": "/v",
    "OPENAI_API_KEY": "s",
    "GH_TOKEN": "s",
    "AWS_ACCESS_KEY_ID": "s",
    "DB_PASSWORD": "s",
    "DATABASE_URL": "s",
    "SSH_AUTH_SOCK": "s",
    "LD_PRELOAD": "s",
    "BASH_ENV": "s",
    "MY_SETTING": "m",
    "https_proxy": "http://me:s@proxy",
}


@pytest.mark.parametrize("keep", [(), ("*",)])
def test_no_secret_is_passed_on_even_where_everything_is_kept(keep: tuple[str, ...]) -> None:
    made = clean_environment({name: value for name, value in GIVEN.items() if name != "https_proxy"}, Path("/t"), keep)

    assert "s" not in made.values()
    assert made["HOME"] == "/h"
    assert made["LC_ALL"] == "C.UTF-8"
    assert made["TMPDIR"] == "/t"
    assert ("MY_SETTING" in made) == bool(keep)


def test_programs_are_not_looked_for_in_the_workspace() -> None:
    assert clean_environment(GIVEN, Path("/t"))["PATH"] == "/usr/bin:/bin"


def test_what_is_not_asked_for_is_not_passed_on() -> None:
    assert "https_proxy" not in clean_environment(GIVEN, Path("/t"))
