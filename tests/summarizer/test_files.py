from __future__ import annotations

import pytest

from tests.summarizer.spans import called, ran, record_of, summary_of
from unabridged.summarizer.record import Change, File

PATCH = """*** Begin Patch
*** Update File: src/auth.py
@@
-    return None
+    return user
*** Add File: tests/test_auth.py
+def test(): ...
*** Delete File: src/old.py
*** Update File: src/a.py
*** Move to: src/b.py
*** End Patch
"""
DIFF = """--- a/src/kept.py\t2026-01-01
+++ b/src/kept.py\t2026-01-02
@@ -1 +1 @@
-a
+b
--- /dev/null
+++ b/src/new.py
@@ -0,0 +1 @@
+x
--- a/src/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
"""


def changes(*files: File) -> dict[str, str]:
    return {file.path: file.change.value for file in files}


@pytest.mark.parametrize(
    ("name", "arguments", "path", "change"),
    [
        ("Read", {"file_path": "/r/a.py"}, "/r/a.py", ""),
        ("Edit", {"file_path": "/r/a.py", "old_string": "x", "new_string": "y"}, "/r/a.py", "edited"),
        ("MultiEdit", {"file_path": "/r/a.py", "edits": [{"old_string": "x"}]}, "/r/a.py", "edited"),
        ("Write", {"file_path": "/r/a.py", "content": "x"}, "/r/a.py", "written"),
        ("NotebookEdit", {"notebook_path": "/r/n.ipynb", "new_source": "x"}, "/r/n.ipynb", "edited"),
        ("read_file", {"absolute_path": "/r/a.py", "offset": 0}, "/r/a.py", ""),
        ("write_file", {"file_path": "a.py", "content": "x"}, "a.py", "written"),
        ("replace", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "a.py", "edited"),
        ("write_to_file", {"path": "a.py", "content": "x"}, "a.py", "written"),
        ("replace_in_file", {"path": "a.py", "diff": "<<<<<<< SEARCH"}, "a.py", "edited"),
        ("str_replace_editor", {"command": "view", "path": "/w/a.py"}, "/w/a.py", ""),
        ("str_replace_editor", {"command": "create", "path": "/w/a.py", "file_text": "x"}, "/w/a.py", "written"),
        ("str_replace_editor", {"command": "str_replace", "path": "/w/a.py", "old_str": "x"}, "/w/a.py", "edited"),
        ("open", {"path": "src/a.py", "line_number": 40}, "src/a.py", ""),
        ("view_image", {"path": "/tmp/shot.png"}, "/tmp/shot.png", ""),
        ("mcp__box__sandbox_write", {"name": "linux-1", "path": "/t/x.sh", "content": "#!"}, "/t/x.sh", "written"),
        ("delete_file", {"target_file": "a.py"}, "a.py", "deleted"),
    ],
)
def test_a_file_is_known_by_the_arguments_of_anybodys_tools(
    name: str, arguments: dict[str, object], path: str, change: str
) -> None:
    assert changes(*record_of(called(name, arguments)).files) == {path: change}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Grep", {"pattern": "x", "path": "src"}),
        ("Glob", {"pattern": "**/*.py", "path": "/r"}),
        ("list_directory", {"path": "/r"}),
        ("navigate", {"url": "https://example.com/a.py"}),
        ("get_weather", {"city": "Paris"}),
    ],
)
def test_a_folder_that_was_searched_is_no_file(name: str, arguments: dict[str, object]) -> None:
    assert record_of(called(name, arguments)).files == ()


def test_several_files_of_one_call_are_all_listed() -> None:
    record = record_of(
        called("read_many_files", {"paths": ["a.py", "b.py"]}), called("read", {"files": [{"path": "c.py"}]})
    )
    assert set(changes(*record.files)) == {"a.py", "b.py", "c.py"}


@pytest.mark.parametrize("name", ["apply_patch", "edit"])
def test_a_patch_names_its_files(name: str) -> None:
    assert changes(*record_of(called(name, PATCH)).files) == {
        "src/auth.py": "edited",
        "tests/test_auth.py": "written",
        "src/old.py": "deleted",
        "src/a.py": "edited",
        "src/b.py": "written",
    }


def test_a_patch_given_to_a_shell_names_its_files() -> None:
    record = record_of(called("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF"]}))
    assert changes(*record.files)["src/old.py"] == "deleted"


def test_a_unified_diff_names_its_files() -> None:
    record = record_of(called("patch", {"diff": f"# a diff\n{DIFF}"}))
    assert changes(*record.files) == {"src/kept.py": "edited", "src/new.py": "written", "src/gone.py": "deleted"}


@pytest.mark.parametrize(
    ("name", "arguments", "ranges"),
    [
        ("Read", {"file_path": "/a", "offset": 100, "limit": 50}, ((100, 149),)),
        ("Read", {"file_path": "/a", "limit": 20}, ((1, 20),)),
        ("view", {"path": "/a", "view_range": [5, 9]}, ((5, 9),)),
        ("read_file", {"path": "/a", "start_line": 3, "end_line": 8}, ((3, 8),)),
        ("view", {"path": "/a", "view_range": [5, -1]}, ()),
        ("Read", {"file_path": "/a", "offset": 7}, ()),
    ],
)
def test_the_lines_that_were_read_are_named(
    name: str, arguments: dict[str, object], ranges: tuple[tuple[int, int], ...]
) -> None:
    (file,) = record_of(called(name, arguments)).files
    assert (file.read, file.ranges) == (True, ranges)


def test_ranges_of_one_file_are_joined_where_they_touch() -> None:
    read = [called("Read", {"file_path": "/a", "offset": first, "limit": 10}) for first in (1, 11, 40, 45)]
    (file,) = record_of(*read).files
    assert file.ranges == ((1, 20), (40, 54))


def test_a_file_read_whole_has_no_ranges() -> None:
    (file,) = record_of(called("Read", {"file_path": "/a", "limit": 10}), called("Read", {"file_path": "/a"})).files
    assert (file.read, file.ranges) == (True, ())


def test_a_call_that_failed_or_was_declined_modified_nothing() -> None:
    edit = {"file_path": "/a", "old_string": "x", "new_string": "y"}
    declined = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    assert record_of(called("Edit", edit, "String to replace not found in file.", error=True)).files == ()
    assert record_of(called("Edit", edit, declined, error=True)).files == ()


def test_a_file_that_was_written_and_then_edited_is_written() -> None:
    (file,) = record_of(
        called("Write", {"file_path": "/a", "content": "x"}), called("Edit", {"file_path": "/a", "old_string": "x"})
    ).files
    assert file.change is Change.WRITTEN


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat src/a.py", {"src/a.py": ""}),
        ("sed -n '10,20p' src/a.py", {"src/a.py": ""}),
        ("head -40 README.md && ls", {"README.md": ""}),
        ("cat > run.sh <<'EOF'\necho > not_a_file\nEOF", {"run.sh": "written"}),
        ("echo hi >> log.txt", {"log.txt": "written"}),
        ("make 2>&1 | tee build.log", {"build.log": "written"}),
        ("sed -i 's/a > b/c/' src/a.py", {"src/a.py": "edited"}),
        ("git rm old.py", {"old.py": "deleted"}),
        ("git mv a.py b.py", {"a.py": "deleted", "b.py": "written"}),
        ("make > /dev/null 2>&1", {}),
        ("python -c 'print(1 > 0)'", {}),
        ("rm -rf build/*", {}),
    ],
)
def test_a_shell_command_says_what_it_does_to_files_as_far_as_its_words_tell(
    command: str, expected: dict[str, str]
) -> None:
    assert changes(*record_of(ran(command)).files) == expected


def test_lines_shown_by_sed_are_a_range() -> None:
    assert record_of(ran("sed -n '10,20p' src/a.py")).files[0].ranges == ((10, 20),)


def test_modified_files_come_before_those_that_were_only_read() -> None:
    record = record_of(called("Read", {"file_path": "/a"}), called("Write", {"file_path": "/b", "content": ""}))
    assert [file.path for file in record.files] == ["/b", "/a"]


def test_a_relative_path_is_the_absolute_one_that_ends_in_it() -> None:
    record = record_of(
        called("Read", {"file_path": "/repo/src/a.py"}), called("edit", {"path": "src/a.py", "diff": "x"})
    )
    assert changes(*record.files) == {"/repo/src/a.py": "edited"}


def test_a_relative_path_that_two_absolute_ones_end_in_stays_itself() -> None:
    record = record_of(
        called("Read", {"file_path": "/one/a.py"}),
        called("Read", {"file_path": "/two/a.py"}),
        called("edit", {"path": "a.py", "diff": "x"}),
    )
    assert changes(*record.files) == {"a.py": "edited", "/one/a.py": "", "/two/a.py": ""}


def test_a_folder_that_many_files_share_is_written_once() -> None:
    paths = [f"/home-of/somebody/project/src/module_{number}.py" for number in range(8)]
    text = summary_of(*(called("Read", {"file_path": path}) for path in paths))
    assert text.count("/home-of/somebody/project/src/") == 1
    assert {file.path for file in record_of(*(called("Read", {"file_path": path}) for path in paths)).files} == set(
        paths
    )


def test_a_path_of_windows_is_a_path() -> None:
    paths = [rf"D:\projects\website\src\page_{number}.js" for number in range(5)]
    record = record_of(*(called("Edit", {"file_path": path, "old_string": "x"}) for path in paths))
    assert {file.path for file in record.files} == set(paths)
