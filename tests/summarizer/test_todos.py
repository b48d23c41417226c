from __future__ import annotations

import pytest

from tests.summarizer.spans import assistant, called, record_of, summary_of, user
from unabridged.summarizer.record import State, Todo

PLAN = """I will do this:

- [x] read the parser
- [ ] fix the parser
1. [ ] test the parser
"""


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (
            "TodoWrite",
            {"todos": [{"content": "fix", "status": "in_progress"}, {"content": "test", "status": "pending"}]},
        ),
        ("update_plan", {"plan": [{"step": "fix", "status": "in_progress"}, {"step": "test", "status": "pending"}]}),
        (
            "write_todos",
            {"todos": [{"description": "fix", "status": "in_progress"}, {"description": "test", "status": "pending"}]},
        ),
        (
            "task_tracker",
            {
                "command": "plan",
                "task_list": [{"title": "fix", "status": "in_progress"}, {"title": "test", "status": "todo"}],
            },
        ),
        ("SetTodoList", {"todos": [{"title": "fix", "status": "In Progress"}, {"title": "test", "status": "Pending"}]}),
    ],
)
def test_a_list_is_known_by_its_shape_whatever_its_tool_is_called(name: str, arguments: dict[str, object]) -> None:
    assert record_of(called(name, arguments)).todos == (
        Todo(text="fix", state=State.DOING),
        Todo(text="test", state=State.OPEN),
    )


def test_the_last_list_holds() -> None:
    first = called("TodoWrite", {"todos": [{"content": "fix", "status": "pending"}]})
    last = called(
        "TodoWrite", {"todos": [{"content": "fix", "status": "completed"}, {"content": "ship", "status": "cancelled"}]}
    )
    assert record_of(first, last).todos == (Todo(text="fix", state=State.DONE),)


def test_tasks_that_are_named_one_by_one_are_followed() -> None:
    record = record_of(
        called("TaskCreate", {"subject": "fix"}, "Task #1 created successfully: fix"),
        called("TaskCreate", {"subject": "test"}, "Task #2 created successfully: test"),
        called("TaskCreate", {"subject": "drop"}, "Task #3 created successfully: drop"),
        called("TaskUpdate", {"taskId": "1", "status": "completed"}),
        called("TaskUpdate", {"taskId": "2", "subject": "test it all", "status": "in_progress"}),
        called("TaskUpdate", {"taskId": "3", "status": "deleted"}),
    )
    assert record.todos == (
        Todo(text="fix", state=State.DONE, id="1"),
        Todo(text="test it all", state=State.DOING, id="2"),
    )


def test_a_task_of_an_earlier_summary_is_updated_by_its_number() -> None:
    earlier = summary_of(called("TaskCreate", {"subject": "fix"}, "Task #4 created successfully: fix"))
    record = record_of(called("TaskUpdate", {"taskId": "4", "status": "completed"}), previous=earlier)
    assert record.todos == (Todo(text="fix", state=State.DONE, id="4"),)


def test_a_list_that_nobody_touched_again_is_carried_over() -> None:
    earlier = summary_of(called("TodoWrite", {"todos": [{"content": "fix", "status": "pending"}]}))
    assert record_of(user("hello"), previous=earlier).todos == (Todo(text="fix"),)


def test_checkboxes_are_to_dos_where_there_is_no_list() -> None:
    assert record_of(assistant(PLAN)).todos == (
        Todo(text="read the parser", state=State.DONE),
        Todo(text="fix the parser"),
        Todo(text="test the parser"),
    )


def test_checkboxes_do_not_replace_the_list_of_a_tool() -> None:
    listed = called("TodoWrite", {"todos": [{"content": "ship", "status": "pending"}]})
    assert record_of(assistant(PLAN), listed).todos == (Todo(text="ship"),)
    assert record_of(assistant(PLAN), previous=summary_of(listed)).todos == (Todo(text="ship"),)


def test_checkboxes_replace_earlier_ones_that_they_go_on_with() -> None:
    later = PLAN.replace("[ ] fix", "[x] fix")
    todos = record_of(assistant(later), previous=summary_of(assistant(PLAN))).todos
    assert [todo.state for todo in todos] == [State.DONE, State.DONE, State.OPEN]


def test_checkboxes_in_code_are_an_example() -> None:
    assert record_of(assistant(f"Write it so:\n```\n{PLAN}\n```")).todos == ()


def test_open_to_dos_stay_and_done_ones_leave_when_room_is_short() -> None:
    items = [{"content": f"write the chapter number {n} of the manual", "status": "completed"} for n in range(20)]
    text = summary_of(
        called("TodoWrite", {"todos": [*items, {"content": "print the manual", "status": "pending"}]}), limit=110
    )
    assert "- [ ] print the manual" in text
    assert "more" in text
