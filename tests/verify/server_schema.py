"""Asks the server whatever its OpenAPI allows, and whatever it does not.

No answer is a 500, none breaks off, and each error has the one form.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import hypothesis
import msgspec
import requests
import schemathesis
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from tests.server.reading import Json, frames_in
from tests.verify.server_process import ServerProcess, make_project, provider_of, running
from unabridged.testing import Scripted

ORDER = ("get", "post", "patch", "put", "delete")
"""What takes things away comes last: until then there is something to ask for."""
TIMEOUT_S = 30.0
BIG = "9" * 30
"""A number that no column holds."""
CORNERS: tuple[tuple[str, str, bytes], ...] = (
    ("GET", f"/chat/sessions/{{session_id}}/turns/{BIG}", b""),
    ("GET", f"/chat/sessions/{{session_id}}/turns/{BIG}/events", b""),
    ("GET", f"/chat/sessions/{{session_id}}/turns/1/events?after={BIG}", b""),
    ("POST", f"/chat/sessions/{{session_id}}/turns/{BIG}/stop", b""),
    ("GET", f"/chat/sessions/{{session_id}}/messages?limit={BIG}", b""),
    ("GET", f"/chat/sessions/{{session_id}}/messages?after={BIG}", b""),
    ("GET", f"/chat/sessions/{{session_id}}/context/steps/{BIG}", b""),
    ("GET", f"/chat/sessions/{{session_id}}/context/steps?after={BIG}", b""),
    ("GET", f"/chat/sessions?limit={BIG}", b""),
    ("GET", "/chat/sessions?q=%00", b""),
    ("GET", "/chat/sessions?q=%22%20OR%20*", b""),
    ("GET", "/chat/sessions/a%00b", b""),
    ("GET", f"/project/settings/versions/{BIG}", b""),
    ("GET", "/chat/sessions/{session_id}/media/" + "z" * 64, b""),
    ("POST", "/chat", b'{"message": "half \\ud83d of a pair", "stream": false}'),
    ("POST", "/chat", b'{"message": "Hi.", "title": "half \\ud83d of a pair", "stream": false}'),
    ("POST", "/chat", b'{"message": "a \\u0000 in it", "title": "\\u0000", "stream": false}'),
    ("POST", "/chat", b'{"message": [{"type": "text", "text": "\\ud83d"}], "stream": false}'),
    ("POST", "/chat", b'{"message": "Hi.", "tools": [{"name": "a", "description": "\\ud83d"}], "stream": false}'),
    ("POST", "/chat", b'{"message": "Hi.", "tools": [{"name": "a", "parameters": {"\\ud83d": 1}}], "stream": false}'),
    ("POST", "/chat", b'{"message": "Hi.", "session_id": "\\u2713 \\ud83d\\ude00", "stream": false}'),
    ("POST", "/chat", b'{"message": "Hi.", "session_id": "half \\ud83d", "stream": false}'),
    ("POST", "/chat/sessions/{session_id}/turns", b'{"message": "Hi.", "branch": "\\ud83d", "stream": false}'),
    ("POST", "/chat/sessions/{session_id}/turns", b'{"message": "Hi.", "model": "\\ud83d", "stream": false}'),
    ("PATCH", "/chat/sessions/{session_id}", b'{"title": "\\ud83d \\u0000"}'),
    ("PUT", "/project/settings", b'{"system": "\\ud83d"}'),
)
"""What people's programs send, and no generator thinks of: half an emoji, a NUL, a number without an end."""
_SETTINGS = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "phases": [hypothesis.Phase.generate],
    "suppress_health_check": list(hypothesis.HealthCheck),
}


class Asked(msgspec.Struct):
    """What came of it."""

    routes: int = 0
    requests: int = 0
    taken: int = 0
    """Requests that were answered with 2xx."""
    unmade: list[str] = []
    """Routes for which no wrong request can be made: they take nothing."""
    breaches: list[str] = []

    def line(self, what: str, seconds: float) -> str:
        """Say it in a line."""
        return (
            f"{what:24} {self.routes} routes, {self.requests:,} requests, {self.taken:,} of them taken, "
            f"{len(self.breaches)} breaches, {seconds:.0f} s"
        )


def ask_anything(place: str, folder: Path, *, examples: int) -> Asked:
    """Ask each route so often with what it allows, and so often with what it does not."""
    key = make_project(place, "anything")
    found = Asked()
    with running(place, provider_of(Scripted([])), folder) as server, requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {key}"
        there = _something(server, key)
        schema = schemathesis.openapi.from_dict(session.get(f"{server.url}/openapi.json").json())
        operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
        for method, path, body in CORNERS:
            _ask_corner(session, method, server.url + path.format(**there), body, found)
        for operation in sorted(operations, key=lambda each: ORDER.index(each.method)):
            found.routes += 1
            for mode in GenerationMode:
                _ask(operation, mode, Asker(server, session, there, found), examples)
    return found


def _something(server: ServerProcess, key: str) -> Json:
    """Have something there to ask for: a session with a turn."""
    headers = {"Authorization": f"Bearer {key}"}
    with (
        httpx2.Client(base_url=server.url, headers=headers, timeout=TIMEOUT_S, trust_env=False) as http,
        http.stream("POST", "/chat", json={"message": "Hello."}) as answer,
    ):
        end = list(frames_in(answer.iter_lines()))[-1].data
    return {"session_id": end["session_id"], "number": end["turn"], "message_id": end["message_id"]}


class Asker:
    """Asks one case, and looks at its answer."""

    def __init__(self, server: ServerProcess, session: requests.Session, there: Json, found: Asked) -> None:
        self._server = server
        self._session = session
        self._there = there
        self.found = found

    def ask(self, case: Any, known: bool) -> None:
        """Ask; `known` puts ids into the path that are there."""
        if known and case.path_parameters:
            for name in set(case.path_parameters) & set(self._there):
                case.path_parameters[name] = self._there[name]
        if isinstance(case.body, dict) and "stream" in str(case.operation.definition.raw):
            case.body["stream"] = False
        self.found.requests += 1
        try:
            answer = case.call(base_url=self._server.url, session=self._session, timeout=TIMEOUT_S)
        except requests.RequestException as error:
            self._breach(case, f"{type(error).__name__} instead of an answer", b"")
        else:
            self.found.taken += answer.status_code < 300
            self._judge(answer, case)

    def _judge(self, answer: Any, case: Any) -> None:
        wrong = ""
        if answer.status_code >= 500:
            wrong = f"status {answer.status_code}"
        elif answer.status_code >= 400 and case.method != "HEAD" and not _is_error(answer.content):
            wrong = f"status {answer.status_code} without the form of an error"
        if wrong:
            self._breach(case, wrong, answer.content)

    def _breach(self, case: Any, wrong: str, content: bytes) -> None:
        said = f"{case.method} {case.operation.path}: {wrong}"
        if not any(breach.startswith(said) for breach in self.found.breaches):
            self.found.breaches.append(f"{said}: {content[:200]!r} to {case.as_curl_command()[:400]}")


def _ask_corner(session: requests.Session, method: str, url: str, body: bytes, found: Asked) -> None:
    found.requests += 1
    try:
        answer = session.request(
            method,
            url,
            data=body,
            headers={"Content-Type": "application/json", "Connection": "close"},
            timeout=TIMEOUT_S,
        )
    except requests.RequestException as error:
        found.breaches.append(f"{method} {url} {body!r}: {type(error).__name__} instead of an answer")
        return
    if answer.status_code >= 500 or (answer.status_code >= 400 and not _is_error(answer.content)):
        found.breaches.append(f"{method} {url} {body!r}: status {answer.status_code}: {answer.content[:200]!r}")


def _ask(operation: Any, mode: GenerationMode, asker: Asker, examples: int) -> None:
    strategy = operation.as_strategy(generation_mode=mode)

    @hypothesis.settings(max_examples=examples, **_SETTINGS)
    @hypothesis.given(case=strategy, known=st.booleans())
    def asked(case: Any, known: bool) -> None:
        asker.ask(case, known)

    try:
        asked()
    except Unsatisfiable:  # a route that takes nothing has nothing that it does not take
        asker.found.unmade.append(operation.label)


def _is_error(content: bytes) -> bool:
    try:
        error = msgspec.json.decode(content, type=dict[str, dict[str, Any]])["error"]
    except (msgspec.DecodeError, msgspec.ValidationError, KeyError):
        return False
    return isinstance(error.get("code"), str) and isinstance(error.get("message"), str)
