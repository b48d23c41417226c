"""Settings come from the user, never from the folder that is worked in."""

from __future__ import annotations

from pathlib import Path

import pytest

from unabridged.agent.settings import settings_of
from unabridged.errors import BadInput, BadSetting


def test_what_is_given_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "agent.toml"
    file.write_text('model = "a"\nmode = "plan"\nadd_dirs = ["/x"]\n')
    settings = settings_of(file, model="b", window=None)
    assert (settings.model, settings.mode, settings.add_dirs) == ("b", "plan", ("/x",))
    assert settings.policy().fold_in_turn


def test_no_file_is_no_setting(tmp_path: Path) -> None:
    assert settings_of(tmp_path / "none.toml").mode == "ask"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("modl = 1", "modl"),
        ('mode = "yolo"', "mode"),
        ("max_steps = 0", "max_steps"),
        ("threshold = 80.0", "threshold"),
        ("model = ", "cannot be read"),
    ],
)
def test_what_cannot_work_is_refused_by_name(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "agent.toml").write_text(text)
    with pytest.raises((BadInput, BadSetting), match=says):
        settings_of(tmp_path / "agent.toml")


def test_nothing_in_the_folder_that_is_worked_in_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("LLM_BASE_URL=http://127.0.0.1:9\nUNABRIDGED_MODEL=other\n")
    for name in ("agent.toml", ".unabridged/agent.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('mode = "auto"\nbase_url = "http://127.0.0.1:9"\n')
    settings = settings_of()
    assert (settings.mode, settings.base_url, settings.model) == ("ask", None, "")
