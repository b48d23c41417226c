"""Pages as text, from a real server; what lies inside of this machine is not read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from unabridged.agent.fetching import FetchTool
from unabridged.agent.tool import Running, ToolError

pytestmark = pytest.mark.anyio
PAGE = """<html><head><title>no</title><script>bad()</script></head>
<body><h1>Hi</h1><p>One &amp; two <a href='/x'>link</a></p></body>"""


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/page")
            self.end_headers()
            return
        if self.path == "/round":
            self.send_response(302)
            self.send_header("Location", "/round")
            self.end_headers()
            return
        kinds = {"/page": "text/html; charset=utf-8", "/bytes": "application/octet-stream", "/json": "application/json"}
        body = {"/page": PAGE.encode(), "/bytes": b"\0\1", "/json": b'{"a": 1}'}.get(self.path, b"not there")
        self.send_response(200 if self.path in kinds else 404)
        self.send_header("Content-Type", kinds.get(self.path, "text/plain"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


async def fetched(url: str, *, private: bool = True) -> tuple[str, bool]:
    tool = FetchTool(private=private)
    arguments = tool.arguments(url=url)
    tool.touches(arguments)
    output = await tool.run(arguments, Running("c", lambda _: None))
    return output.text, output.is_error


async def test_a_page_is_its_words(site: str) -> None:
    text, _ = await fetched(f"{site}/moved")
    assert text == f"{site}/page (status 200)\n\nHi\nOne & two link (/x)"
    assert (await fetched(f"{site}/json"))[0].endswith('{"a": 1}')
    assert (await fetched(f"{site}/none"))[1]


@pytest.mark.parametrize(
    ("path", "says"), [("/bytes", "no text but application/octet-stream"), ("/round", "redirects")]
)
async def test_what_is_no_page_is_said(site: str, path: str, says: str) -> None:
    with pytest.raises(ToolError, match=says):
        await fetched(f"{site}{path}")


async def test_nothing_inside_of_this_machine_is_read(site: str) -> None:
    for url in (site, "http://localhost:1/", "http://[::1]/", "http://169.254.169.254/latest", "http://10.0.0.1/"):
        with pytest.raises(ToolError, match=r"inside of this machine|no server"):
            await fetched(url, private=False)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/", "nonsense", "http://user:pass@host/"])
async def test_only_pages_of_the_web_have_an_address(url: str) -> None:
    with pytest.raises(ToolError, match="no address"):
        await fetched(url)
