"""A call comes to an output, whatever its tool does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from unabridged.conversation import Conversation
from unabridged.errors import StoreError, StoreFault
from unabridged.framing import Function
from unabridged.server.tools.carrying import carry_out
from unabridged.server.tools.tool import Output, Place, ServerTool

pytestmark = pytest.mark.anyio
PLACE = Place(project="p", session="s", talk=Conversation(model="m"), say=lambda text: None)


class Doing:
    """A tool that does what it is told."""

    asks = False
    function = Function("doing", "", {"type": "object", "properties": {}})

    def __init__(self, does: Callable[[str], Awaitable[Output]]) -> None:
        self._does = does

    def says(self, arguments: str) -> str:
        return arguments

    async def run(self, arguments: str, place: Place) -> Output:
        return await self._does(arguments)


async def call(does: Callable[[str], Awaitable[Output]], arguments: str = "{}") -> Output:
    tool: ServerTool = Doing(does)
    return await carry_out(tool, arguments, PLACE)


async def echo(arguments: str) -> Output:
    return Output(text=arguments)


@pytest.mark.parametrize(
    "error",
    [
        OSError(13, "no", "/srv/unabridged/keys"),
        KeyError("postgresql://user:hunter2@db/keys"),
        StoreError(StoreFault.UNAVAILABLE, "/srv/unabridged/keys hunter2"),
        ExceptionGroup("hunter2", [ValueError("/srv/unabridged/keys")]),
        RecursionError("hunter2"),
        MemoryError("hunter2"),
        TimeoutError("hunter2"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_fault_is_logged_and_the_model_is_told_nothing_of_what_was_raised(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(arguments: str) -> Output:
        raise error

    done = await call(fails)
    assert done.is_error
    assert "the fault is in the tool" in done.text
    assert "hunter2" not in done.text
    assert "/srv" not in done.text
    assert "tool doing of session s" in caplog.text


@pytest.mark.parametrize("arguments", ["[]", "7", '"{}"', "null", "{", "{} {}", "{'a': 1}", "[" * 90_000, '"\ud800"'])
async def test_arguments_that_are_no_object_reach_no_tool(arguments: str) -> None:
    done = await call(echo, arguments)

    assert done.is_error
    assert "doing takes its arguments as one JSON object" in done.text
    done.text.encode()


@pytest.mark.parametrize("arguments", ["", "  "])
async def test_no_arguments_are_an_empty_object(arguments: str) -> None:
    assert await call(echo, arguments) == Output(text="{}")


async def test_arguments_reach_the_tool_as_the_model_wrote_them() -> None:
    assert (await call(echo, '{"a" :1.0, "a":2}')).text == '{"a" :1.0, "a":2}'


async def test_a_cancellation_passes_through_when_the_tool_has_ended_what_it_began() -> None:
    ended: list[bool] = []

    async def waits(arguments: str) -> Output:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            ended.append(True)
        return Output(text="")

    running = asyncio.ensure_future(call(waits))
    await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended == [True]
