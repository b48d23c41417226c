"""Attacks one tenant with the keys of others, on every route and parameter that the OpenAPI names.

Alice's messages, titles, media, outputs and settings hold words that nobody else has. Others ask for what is hers, by
its ids, in every place of a request where an id can stand: no answer may hold one of the words, or say anything but
that there is no such thing, or that one may not. In the end all of it is still there, as it was.
"""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec

from tests.server.reading import Json, frames_in
from tests.summarizer.models import GOOD
from tests.verify.server_process import make_key, make_project, provider_of, running
from unabridged.server.caller import Scope
from unabridged.server.settings import ClientTool
from unabridged.testing import Asked, Call, Reply
from unabridged.testing.pictures import png

WORD = "ZIRKONIA"
"""In everything of Alice's."""
TURNED_AWAY = (401, 403, 404)
OPEN = ("/healthz", "/readyz", "/metrics", "/schemas/frames.json", "/openapi.json", "/docs", "/redoc")
"""Routes that need no key; they hold nothing of anybody."""
NAMES = {
    "id": "session_id",
    "turn": "number",
    "n": "step",
    "key_id": "key",
    "v": "version",
    "message_ids": "message_id",
}
"""Other names of the same ids."""
TAKES_AWAY = ("delete",)


class Attacked(msgspec.Struct):
    """What came of it."""

    routes: int = 0
    requests: int = 0
    seen: int = 0
    """Requests of Alice's own that showed her words: what an attack that works would see."""
    breaches: list[str] = []

    def line(self, what: str, seconds: float) -> str:
        """Say it in a line."""
        return (
            f"{what:24} {self.routes} routes, {self.requests:,} attacks, {self.seen} of her own requests show her "
            f"words, {len(self.breaches)} breaches, {seconds:.0f} s"
        )


class Model:
    """Calls a tool of the client's in the first turn; says her word in every answer of hers, and in her summaries."""

    def reply(self, asked: Asked) -> Reply:
        """Give the answer to one request."""
        text = json.dumps(asked.body)
        said = [message for message in asked.body["messages"] if message["role"] != "system"]
        word = f" {WORD}-answer" if WORD in json.dumps(said) else ""  # the settings hold it for all of the project
        if "You write the minutes" in text:
            return Reply(text=f"{GOOD}\n- The word was{word}.")
        if "call the tool" in json.dumps(asked.body["messages"][-1]):
            return Reply(text=f"I call it.{word}", calls=(Call("look", json.dumps({"at": word}), "call_a"),))
        return Reply(text=f"Done.{word}")


class Person:
    """Somebody with a key, and what is theirs."""

    def __init__(self, url: str, key: str | None) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
        self.http = httpx2.Client(base_url=url, headers=headers, timeout=60, trust_env=False)
        self.ids: dict[str, Any] = {}

    def settle(self, words: str) -> None:
        """Have a session with everything in it: turns, calls, media, a compaction, an open call."""
        media = self.http.post("/chat/media", content=png(8, 8, words), headers={"Content-Type": "image/png"})
        parts: list[Json] = [{"type": "text", "text": f"{words}-message, call the tool"}]
        if media.status_code == 201:
            parts.insert(0, {"type": "media", "digest": media.json()["digest"]})
            self.ids["digest"] = media.json()["digest"]
        first = self._turn("/chat", {"message": parts, "title": f"{words}-title"})
        path = f"/chat/sessions/{first['session_id']}/turns"
        given = [{"call_id": call, "output": f"{words}-output " + "stone " * 900} for call in first.get("awaiting", ())]
        self._turn(path, {"tool_results": given})
        for nth in range(6):
            self._turn(path, {"message": f"{words}-{nth} " + f"river {nth} stone " * 350})
        last = self._turn(path, {"message": f"{words}-last, call the tool"})
        self.ids |= {
            "session_id": first["session_id"],
            "number": last["turn"],
            "message_id": last["message_id"],
            "call_id": last["awaiting"][0] if last.get("awaiting") else "call_a",
            "branch": "main",
            "step": 2,
            "version": 1,
            "frame": 1,
        }

    def _turn(self, path: str, body: Json) -> Json:
        with self.http.stream("POST", path, json=body) as answer:
            assert answer.status_code == 200, answer.read()
            frames = list(frames_in(answer.iter_lines()))
        assert frames[-1].data["status"] in ("completed", "awaiting_tools"), frames[-1]
        return frames[-1].data


class Route(msgspec.Struct, frozen=True):
    """One operation of the API."""

    method: str
    path: str
    parameters: tuple[Json, ...]
    body: Json | None
    """The schema of its JSON body, without references."""

    @property
    def name(self) -> str:
        """As it is shown."""
        return f"{self.method.upper()} {self.path}"

    def names(self, place: str) -> list[str]:
        """Give the names of its parameters in the path, the query or the headers."""
        return [each["name"] for each in self.parameters if each["in"] == place]


def routes_of(api: Json) -> list[Route]:
    """Give all operations of an OpenAPI document; what takes things away comes last."""
    found = [
        Route(method, _plain(path, path), tuple(_parameters(path, operation)), _body(api, operation))
        for path, item in api["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "put", "patch", "delete")
    ]
    return sorted(found, key=lambda route: route.method in TAKES_AWAY)


def _parameters(path: str, operation: Json) -> Iterator[Json]:
    for each in operation.get("parameters", ()):
        in_path = each["in"] == "path"
        yield {**each, "name": _plain(f"{{{each['name']}}}", path)[1:-1]} if in_path else each


def _plain(text: str, path: str) -> str:
    """Call the ids of a path by one name each."""
    if "/keys/" in path:
        text = text.replace("{id}", "{key}")
    for name, plain in NAMES.items():
        text = text.replace(f"{{{name}}}", f"{{{plain}}}")
    return text


def _body(api: Json, operation: Json) -> Json | None:
    schema = _schema(operation) if operation.get("requestBody") else None
    return None if schema is None else _resolved(api, schema)


def _schema(operation: Json) -> Json | None:
    return operation["requestBody"].get("content", {}).get("application/json", {}).get("schema")


def _resolved(api: Json, schema: Any) -> Any:
    if isinstance(schema, dict):
        if "$ref" in schema:
            target: Any = api
            for part in schema["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            return _resolved(api, target)
        return {name: _resolved(api, value) for name, value in schema.items()}
    return [_resolved(api, each) for each in schema] if isinstance(schema, list) else schema


def example(schema: Json, ids: dict[str, Any], name: str = "") -> Any:
    """Give a value that a schema allows, with ids wherever something is called like one."""
    known = ids.get(NAMES.get(name, name))
    for key in ("anyOf", "oneOf"):
        if key in schema:
            kinds = [each for each in schema[key] if each.get("type") != "null"]
            return example(next((k for k in kinds if k.get("type") == "array"), kinds[0]), ids, name)
    match schema.get("type"):
        case "object" | None if "properties" in schema:
            return _object(schema, ids)
        case "array":
            items = schema.get("items", {})
            wanted = [example(each, ids, name) for each in items.get("oneOf", items.get("anyOf", [items]))]
            return wanted
        case "string":
            return schema["const"] if "const" in schema else str(known or (schema.get("enum") or ["attack"])[0])
        case "integer" | "number":
            return known if isinstance(known, int) else max(1, schema.get("minimum", 1))
        case "boolean":
            return False
        case _:
            return {}


def _object(schema: Json, ids: dict[str, Any]) -> Json:
    required = schema.get("required", ())
    return {
        name: example(each, ids, name)
        for name, each in schema["properties"].items()
        if name in required or NAMES.get(name, name) in ids or name in ("message", "stream")
        if name != "url"
    }


class Attack:
    """One suite against one server."""

    def __init__(self, alice: Person, others: dict[str, Person], nobody: dict[str, Person], found: Attacked) -> None:
        self.alice = alice
        self.others = others
        self.nobody = nobody
        self.found = found

    def run(self, routes: list[Route]) -> None:
        """Attack every route."""
        self.found.routes = len(routes)
        for route in routes:
            strange = set(route.names("path")) - set(self.alice.ids)
            if strange:
                self.found.breaches.append(f"{route.name}: no id is known for {', '.join(sorted(strange))}: give one")
            known = [name for name in route.names("path") if name in self.alice.ids]
            for who, person in self.others.items():
                for foreign in _subsets(known):
                    self._by_path(route, who, person, foreign)
                self._by_rest(route, who, person)
            for who, person in self.nobody.items():
                self._without_key(route, who, person)

    def own(self, routes: list[Route], entitled: list[Person]) -> None:
        """Ask what can be read as those who may, for whom it is hers: the attack must know what it would see."""
        for route in routes:
            if route.method != "get" or route.path in OPEN:
                continue
            answers = [self.send(person, route, self.alice.ids, self.alice.ids) for person in entitled]
            self.found.seen += any(WORD in answer.text for answer in answers)
            if all(answer.status_code != 200 for answer in answers):
                said = [f"{answer.status_code} {answer.text[:100]}" for answer in answers]
                self.found.breaches.append(f"{route.name}: nobody can read it: {said}")

    def _by_path(self, route: Route, who: str, person: Person, foreign: tuple[str, ...]) -> None:
        ids = person.ids | {name: self.alice.ids[name] for name in foreign}
        same = all(person.ids.get(name) == self.alice.ids[name] for name in foreign)
        answer = self.send(person, route, ids, self.alice.ids if len(foreign) > 1 else person.ids)
        what = f"{route.name} by {who}, with her {', '.join(foreign)}"
        self._look(answer, what)
        if not same and answer.status_code not in TURNED_AWAY:
            self.found.breaches.append(f"{what}: status {answer.status_code}: {answer.text[:150]}")

    def _by_rest(self, route: Route, who: str, person: Person) -> None:
        """Ask in one's own place, with her ids in the query and the body."""
        answer = self.send(person, route, person.ids, self.alice.ids)
        self._look(answer, f"{route.name} by {who}, with her ids beside the path")

    def _without_key(self, route: Route, who: str, person: Person) -> None:
        if route.path in OPEN:
            return
        answer = self.send(person, route, self.alice.ids, self.alice.ids)
        self._look(answer, f"{route.name} by {who}")
        if answer.status_code != 401:
            self.found.breaches.append(f"{route.name} by {who}: status {answer.status_code}: {answer.text[:150]}")

    def _look(self, answer: httpx2.Response, what: str) -> None:
        self.found.requests += 1
        if WORD in answer.text or WORD in str(answer.headers):
            self.found.breaches.append(f"{what}: shows her words: {answer.text[:200]}")
        if answer.status_code >= 500:
            self.found.breaches.append(f"{what}: status {answer.status_code}: {answer.text[:150]}")

    def send(self, person: Person, route: Route, path: dict[str, Any], rest: dict[str, Any]) -> httpx2.Response:
        """Ask with ids in the path, and others in the query and the body."""
        url = route.path
        for name in route.names("path"):
            url = url.replace("{" + name + "}", str(path.get(name, "unknown")))
        query = {name: _asked(name, rest) for name in route.names("query")}
        body = example(route.body, rest) if route.body is not None else None
        if isinstance(body, dict) and "stream" in body:
            body["stream"] = False
        asked = {name: value for name, value in query.items() if value}
        return person.http.request(route.method.upper(), url, params=asked, json=body)


def _asked(name: str, ids: dict[str, Any]) -> Any:
    match name:
        case "q":
            return WORD
        case "branch":
            return ids.get("branch")
        case "after" | "before":
            return None  # a place in a list of one's own: what it may hold is the schema's business
        case _:
            return ids.get(NAMES.get(name, name))


def _subsets(names: list[str]) -> Iterator[tuple[str, ...]]:
    for size in range(1, len(names) + 1):
        yield from itertools.combinations(names, size)


def attack(place: str, folder: Path) -> Attacked:
    """Attack a tenant with every key that is not hers."""
    tools = (ClientTool(name="look"),)
    policy = {"strategy": "summarize", "archive_to_memory": True, "max_context_tokens": 8_000}
    keys = {
        name: make_project(place, name, policy, client_tools=tools, system=system)
        for name, system in (("a", f"{WORD}-settings"), ("b", "plain"))
    }
    users = {
        "Alice": make_key(place, Scope.USER, project="a", owner="alice"),
        "Mallory of her project": make_key(place, Scope.USER, project="a", owner="mallory"),
        "Alice of another project": make_key(place, Scope.USER, project="b", owner="alice"),
    }
    found = Attacked()
    with running(place, provider_of(Model()), folder) as server:
        alice = Person(server.url, users.pop("Alice"))
        others = {who: Person(server.url, key) for who, key in users.items()}
        others["another project"] = Person(server.url, keys["b"])
        alice.settle(WORD)
        for person in others.values():
            person.settle("plain")
        admin = Person(server.url, make_key(place, Scope.ADMIN))
        admin.http.headers["X-Project"] = "a"
        _attack_all((alice, Person(server.url, keys["a"]), admin), others, found)
    return found


def _attack_all(entitled: tuple[Person, Person, Person], others: dict[str, Person], found: Attacked) -> None:
    alice, owner, _ = entitled
    url = str(alice.http.base_url)
    nobody = {"no key": Person(url, None), "a wrong key": Person(url, "ub_" + "x" * 43)}
    made = owner.http.post("/project/keys", json={"scope": "user", "owner": "alice"})
    if made.status_code in (200, 201):
        owner.http.delete(f"/project/keys/{made.json()['id']}")
        nobody["a revoked key"] = Person(url, made.json()["key"])
        kept = owner.http.post("/project/keys", json={"scope": "user", "owner": "alice"})
        alice.ids["key"] = kept.json()["id"]
    elif made.status_code != 404:
        found.breaches.append(f"no key can be made to be revoked: {made.status_code} {made.text[:150]}")
    alice.ids["name"] = "a"
    routes = routes_of(alice.http.get("/openapi.json").json())
    suite = Attack(alice, others, nobody, found)
    suite.own(routes, list(entitled))
    before = _all_of(alice, routes, suite)
    suite.run(routes)
    if _all_of(alice, routes, suite) != before:
        found.breaches.append("what is Alice's is not as it was before the attacks")
    if not found.seen:
        found.breaches.append("Alice herself sees none of her words: the attack would not see them either")


def _all_of(alice: Person, routes: list[Route], suite: Attack) -> dict[str, str]:
    """Give everything that Alice can read of her session."""
    own = [route for route in routes if route.method == "get" and "{session_id}" in route.path]
    return {route.path: suite.send(alice, route, alice.ids, copy.copy(alice.ids)).text for route in own}
