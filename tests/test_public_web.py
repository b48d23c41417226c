"""What a stranger names is read from the public web alone, whatever the name is written like or looked up as."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import Any

import pytest

from unabridged.public_web import WebError, WebFault, is_public, opened

pytestmark = pytest.mark.anyio
asked: list[str] = []


class Site(BaseHTTPRequestHandler):
    """Answers `/`, and redirects as its paths say."""

    def do_GET(self) -> None:
        asked.append(f"{self.headers['Host']}{self.path}")
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.send_header("Set-Cookie", "spy=1; Path=/")
            self.end_headers()
            return
        body = f"hello {self.headers.get('Cookie', '')}".strip().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


class Names:
    """Looks names up: those that it knows by turns, others as the machine does."""

    def __init__(self) -> None:
        self.known: dict[str, list[list[str]]] = {}
        self.looked_up: list[str] = []
        self._real = socket.getaddrinfo

    def __call__(self, host: Any, port: Any, *rest: Any, **named: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        self.looked_up.append(name)
        if name not in self.known:
            return self._real(host, port, *rest, **named)
        answers = self.known[name]
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in addresses
        ]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    stub = Names()
    monkeypatch.setattr(socket, "getaddrinfo", stub)
    return stub


async def read(url: str, **rules: Any) -> tuple[str, bytes]:
    async with opened(url, **rules) as (found, response):
        return found, await response.aread()


async def refused(url: str, **rules: Any) -> WebFault:
    with pytest.raises(WebError) as error:
        await read(url, **rules)
    return error.value.fault


INSIDE = [
    "http://127.0.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://0x7f.1:{port}/",
    "http://0x7f000001:{port}/",
    "http://127.1:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://localhost:{port}/",
    "http://localhost.:{port}/",
    "http://LOCALHOST:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[64:ff9b::a9fe:a9fe]/latest/meta-data",
    "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:7f00:1::1]:{port}/",
    "http://[fe80::1]:{port}/",
    "http://[fec0::1]/",
    "http://[fd00:ec2::254]/latest",
    "http://169.254.169.254/latest/meta-data",
    "http://100.100.100.200/latest",
    "http://168.63.129.16/machine",
    "http://192.0.0.192/opc/v2",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
]
NO_ADDRESS = [
    "file:///etc/passwd",
    "ftp://example.com/",
    "gopher://127.0.0.1:70/",
    "data:image/png;base64,AAAA",
    "//example.com/",
    "nonsense",
    "",
    "http://",
    "http://.",
    "http:///path",
    "http://user:pass@example.com/",
    "http://@example.com/",
    "http://example.com\\@127.0.0.1/",
    "http://127.0.0.1%2f@example.com/",
    "http://exa mple.com/",
    "http://[::1",
    "http://[fe80::1%25eth0]/",
    "http://example.com:99999/",
    "http://example.com:port/",
    "http://" + "a" * 64 + ".com/",
]


@pytest.mark.parametrize("url", INSIDE)
async def test_what_lies_inside_is_never_asked(port: int, url: str) -> None:
    asked.clear()
    assert await refused(url.format(port=port)) in (WebFault.PRIVATE, WebFault.ADDRESS, WebFault.UNKNOWN)
    assert asked == []


@pytest.mark.parametrize("url", NO_ADDRESS)
async def test_what_is_no_address_of_a_page_is_not_looked_up(names: Names, url: str) -> None:
    assert await refused(url) is WebFault.ADDRESS
    assert names.looked_up == []


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("::ffff:93.184.216.34", True),
        ("64:ff9b::5db8:d822", True),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b:1::1", False),
        ("240.0.0.1", False),
        ("192.88.99.1", False),
        ("198.18.0.1", False),
        ("2001:db8::1", False),
        ("ff02::1", False),
    ],
)
def test_addresses_of_the_public_web_are_told_from_others(address: str, public: bool) -> None:
    assert is_public(ip_address(address)) is public


async def test_a_public_name_for_an_address_inside_is_refused(names: Names, port: int) -> None:
    asked.clear()
    names.known = {"127.0.0.1.nip.io": [["127.0.0.1"]], "mixed.example": [["93.184.216.34", "127.0.0.1"]]}
    for name in names.known:
        assert await refused(f"http://{name}:{port}/") is WebFault.PRIVATE
    assert asked == []


async def test_a_name_that_changes_its_address_after_it_was_judged_changes_nothing(
    names: Names, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first answer is public, every later one is this machine: the connection must go to the first."""
    names.known = {"rebind.example": [["192.0.2.1"], ["127.0.0.1"]]}
    monkeypatch.setattr("unabridged.public_web.is_public", lambda address: str(address) == "192.0.2.1")
    monkeypatch.setattr("unabridged.public_web.WAIT_S", 0.3)
    asked.clear()
    assert await refused(f"http://rebind.example:{port}/") is WebFault.UNREACHABLE
    assert names.looked_up.count("rebind.example") == 1
    assert asked == []


async def test_a_connection_goes_to_the_judged_address_under_the_name_that_was_given(names: Names, port: int) -> None:
    names.known = {"site.example": [["127.0.0.1"], ["10.255.255.1"]]}
    asked.clear()
    found, body = await read(f"http://site.example:{port}/a?b=c", private=True)
    assert (found, body) == (f"http://site.example:{port}/a?b=c", b"hello")
    assert asked == [f"site.example:{port}/a?b=c"]


async def test_an_address_that_does_not_answer_gives_way_to_the_next(names: Names, port: int) -> None:
    names.known = {"site.example": [["::1", "127.0.0.1"]]}  # the site listens on IPv4 alone
    assert (await read(f"http://site.example:{port}/", private=True))[1] == b"hello"


async def test_every_redirect_is_judged_anew(names: Names, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    names.known = {"out.example": [["127.0.0.1"]], "in.example": [["10.0.0.1"]]}
    monkeypatch.setattr("unabridged.public_web.is_public", lambda address: str(address) == "127.0.0.1")
    asked.clear()
    out = f"http://out.example:{port}"
    for target in ("http://in.example/", "http://169.254.169.254/latest", "http://[::1]/", "//10.0.0.1/x"):
        assert await refused(f"{out}/to/{target}") is WebFault.PRIVATE
    for target in ("file:///etc/passwd", "http://[broken", "http://me:secret@out.example/"):
        assert await refused(f"{out}/to/{target}") is WebFault.ADDRESS
    assert len(asked) == 7  # the redirects themselves, and nothing that they lead to


async def test_redirects_end_and_carry_no_cookies(port: int) -> None:
    home = f"http://127.0.0.1:{port}"
    found, body = await read(f"{home}/to//to//", private=True, hops=2)
    assert (found, body) == (f"{home}/", b"hello")
    assert await refused(f"{home}/to//to//to//", private=True, hops=2) is WebFault.REDIRECTS


async def test_no_proxy_of_the_environment_is_asked(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert (await read(f"http://127.0.0.1:{port}/", private=True))[1] == b"hello"
