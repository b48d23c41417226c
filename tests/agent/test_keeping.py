"""Files as they were before each turn, as a desk goes back to them."""

from __future__ import annotations

from pathlib import Path

from unabridged.agent.files.checkpoints import Checkpoints
from unabridged.agent.keeping import FilesOfTurns
from unabridged.agent.workspace import Workspace


def test_what_a_turn_changed_is_shown_put_back_and_changed_again(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.py").write_text("old\n")
    checkpoints = Checkpoints(tmp_path / "kept")
    files = FilesOfTurns(checkpoints, Workspace.at(work))
    files.begin("one")
    for name in ("a.py", "made.py", "data.bin"):
        checkpoints.keep(work / name)
    (work / "a.py").write_text("new\n")
    (work / "made.py").write_text("made\n")
    (work / "data.bin").write_bytes(b"\0\1")
    shown = files.diff("one")
    assert "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old\n+new\n" in shown
    assert "--- /dev/null\n+++ b/made.py" in shown
    assert "data.bin: no text" in shown
    assert files.diff() == shown
    assert sorted(files.affected("one")) == ["a.py", "data.bin", "made.py"]
    assert sorted(files.restore("one")) == ["a.py", "data.bin", "made.py"]
    assert (work / "a.py").read_text() == "old\n"
    assert not (work / "made.py").exists()
    files.undo()
    assert (work / "a.py").read_text() == "new\n"
    assert files.diff("unknown") == ""
