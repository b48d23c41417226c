"""Media that a message names: whose they are, what a provider takes, and URLs of every hostile kind."""

from __future__ import annotations

import gzip
import hashlib
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec
import pytest

from tests.server.media_scene import ENGINES, M4A, MP4, PICTURE, Desk, desk, jpeg, pdf, wav
from unabridged.message import Media
from unabridged.server.media.limits import check_media
from unabridged.server.media.reading import media_of_bytes
from unabridged.server.media.taking import MOST_URLS, MediaIntake, Named
from unabridged.server.problems import ApiError
from unabridged.store import Session
from unabridged.testing.pictures import png

REMOTE = png(320, 200, "remote")
DIGEST = hashlib.sha256(REMOTE).hexdigest()


class Site(BaseHTTPRequestHandler):
    """Serves a picture, and everything that a hostile site would."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        {
            "/a.png": lambda: self.body(REMOTE),
            "/page": lambda: self.body(b"<html><script>alert(1)</script>", kind="image/png"),
            "/svg": lambda: self.body(b"<svg xmlns='http://www.w3.org/2000/svg'/>", kind="image/svg+xml"),
            "/cut": lambda: self.body(REMOTE[:-20]),
            "/moved": lambda: self.redirect("/a.png"),
            "/moved4": lambda: self.redirect("/moved3"),
            "/moved3": lambda: self.redirect("/moved2"),
            "/moved2": lambda: self.redirect("/moved"),
            "/round": lambda: self.redirect("/round"),
            "/inside": lambda: self.redirect("http://169.254.169.254/latest/meta-data"),
            "/scheme": lambda: self.redirect("file:///etc/passwd"),
            "/huge": lambda: self.body(b"", length=10**12),
            "/endless": self.endless,
            "/slow": self.slow,
            "/silent": lambda: time.sleep(5),
            "/bomb": lambda: self.body(gzip.compress(bytes(50_000_000)), packed="gzip"),
        }.get(self.path, lambda: self.send_error(404))()

    def body(self, data: bytes, *, kind: str = "image/png", length: int | None = None, packed: str = "") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        if packed:
            self.send_header("Content-Encoding", packed)
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def redirect(self, to: str) -> None:
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                self.wfile.write(PICTURE * 100)
                sent.append(len(PICTURE) * 100)
        except OSError:
            pass

    def slow(self) -> None:
        """A byte now and then: no piece is late, and the whole never comes."""
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        try:
            for byte in REMOTE[:40]:
                self.wfile.write(bytes([byte]))
                time.sleep(0.1)
        except OSError:
            pass

    def log_message(self, format: str, *args: object) -> None:
        return


sent: list[int] = []


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module", params=ENGINES)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(request.param, tmp_path_factory.mktemp("taking")) as opened:
        yield opened


@pytest.fixture(scope="module")
def lone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One engine is enough for what asks nothing of the database."""
    with desk("sqlite", tmp_path_factory.mktemp("lone")) as opened:
        yield opened


def take(desk: Desk, *named: Named, who: str = "ann", model: str = "claude", **more: Any) -> tuple[Media, ...]:
    session: Session | None = more.pop("session", None)
    intake: MediaIntake = desk.intake(**more)
    return intake.resolve(desk.tenant(who), session, named, desk.served(model))


def digests(media: tuple[Media, ...]) -> tuple[str | None, ...]:
    return tuple(each.digest for each in media)


def code_of(desk: Desk, *named: Named, **more: Any) -> tuple[int, str]:
    with pytest.raises(ApiError) as error:
        take(desk, *named, **more)
    return error.value.status, error.value.code


def test_a_message_names_uploads_in_its_order(place: Desk) -> None:
    picture, paper = (place.upload(data, "ann").json()["digest"] for data in (PICTURE, pdf(2)))
    taken = take(place, Named(digest=paper), Named(digest=picture.upper()), Named(digest=paper))
    assert [(media.digest, media.mime, media.width, media.pages) for media in taken] == [
        (paper, "application/pdf", None, 2),
        (picture, "image/png", 640, None),
    ]


def test_nobody_elses_upload_is_found(place: Desk) -> None:
    digest = place.upload(png(9, 9, "of ann"), "ann").json()["digest"]
    assert digests(take(place, Named(digest=digest))) == (digest,)
    for who in ("bob", "web", "other"):
        assert code_of(place, Named(digest=digest), who=who) == (422, "no_such_media")
    for digest in ("0" * 64, "nonsense", ""):
        assert code_of(place, Named(digest=digest)) == (422, "no_such_media")


def test_media_of_a_session_are_named_again_in_it_and_in_no_other(place: Desk) -> None:
    picture = png(77, 77, "shown once")
    digest = hashlib.sha256(picture).hexdigest()
    sessions = place.tenant("ann").sessions
    here, elsewhere = sessions.create(), sessions.create()
    place.shown(here, {digest: picture})
    assert take(place, Named(digest=digest), session=here)[0].width == 77
    assert code_of(place, Named(digest=digest), session=elsewhere) == (422, "no_such_media")


def test_what_a_url_names_becomes_an_upload_that_a_turn_brings(place: Desk, site: str) -> None:
    """The turn refers to digests alone: a worker that goes on with it asks no URL again."""
    taken = take(place, Named(url=f"{site}/moved"), private_urls=True)
    assert [(media.digest, media.width, media.url) for media in taken] == [(DIGEST, 320, None)]
    session = place.tenant("ann").sessions.create()
    assert place.intake().bring(session, taken) == {DIGEST: REMOTE}
    place.shown(session, {DIGEST: REMOTE})
    assert place.intake().bring(place.tenant("ann").sessions.open(session.id), taken) == {}


def test_a_turn_whose_upload_expired_says_so(place: Desk) -> None:
    digest = place.upload(png(8, 8, "expires"), "bob").json()["digest"]
    taken = take(place, Named(digest=digest), who="bob")
    session = place.tenant("bob").sessions.create()
    place.intake().uploads.sweep(time.time() + 1_000_000)
    with pytest.raises(ApiError, match="upload the file first"):
        place.intake().bring(session, taken)


def test_naming_an_upload_renews_it(place: Desk) -> None:
    digest = place.upload(png(7, 7, "renewed"), "ann").json()["digest"]
    database, key = place.store.database, bytes.fromhex(digest)
    with database.transaction() as writing:
        writing.run("UPDATE uploads SET created = ? WHERE digest = ?", 1_000.0, key)
    take(place, Named(digest=digest))
    place.intake().uploads.sweep(time.time() + 60)
    assert digests(take(place, Named(digest=digest))) == (digest,)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/none", (422, "url_failed")),
        ("/round", (422, "url_failed")),
        ("/moved4", (422, "url_failed")),
        ("/scheme", (422, "url_refused")),
        ("/page", (415, "unsupported_media")),
        ("/svg", (415, "unsupported_media")),
        ("/cut", (422, "bad_media")),
        ("/huge", (422, "media_too_large")),
        ("/bomb", (422, "url_failed")),
    ],
)
def test_what_a_hostile_site_serves_is_refused(lone: Desk, site: str, path: str, code: tuple[int, str]) -> None:
    assert code_of(lone, Named(url=site + path), private_urls=True) == code


def test_three_redirects_are_followed(lone: Desk, site: str) -> None:
    assert digests(take(lone, Named(url=f"{site}/moved3"), private_urls=True)) == (DIGEST,)


def test_a_body_without_an_end_is_read_to_the_limit(lone: Desk, site: str) -> None:
    sent.clear()
    assert code_of(lone, Named(url=f"{site}/endless"), private_urls=True) == (422, "media_too_large")
    assert sum(sent) < 30 * lone.config.max_upload  # what the buffers on the way hold


@pytest.mark.parametrize("path", ["/slow", "/silent"])
def test_a_site_that_takes_its_time_does_not_take_ours(
    lone: Desk, site: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unabridged.server.media.taking.FETCH_S", 0.5)
    began = time.monotonic()
    assert code_of(lone, Named(url=site + path), private_urls=True) == (422, "url_failed")
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    "url",
    [
        "{site}/a.png",
        "{site}/inside",
        "http://2130706433/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest",
        "http://localhost./",
        "http://user:pass@127.0.0.1/",
        "file:///etc/passwd",
        "http://no.such.name.invalid/",
    ],
)
def test_nobody_learns_what_lies_inside(lone: Desk, site: str, url: str) -> None:
    """A name that exists inside, and one that exists nowhere, are refused in the same words."""
    with pytest.raises(ApiError) as error:
        take(lone, Named(url=url.format(site=site)))
    assert (error.value.status, error.value.code) == (422, "url_refused")
    assert "public web" in str(error.value)
    assert site.rpartition(":")[2] not in str(error.value)


def test_a_name_that_a_resolver_sends_inside_is_refused(lone: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def resolver(host: Any, port: Any, *rest: Any, **named: Any) -> Any:
        return real("127.0.0.1" if host == "a.example" else host, port, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    assert code_of(lone, Named(url="https://a.example/a.png")) == (422, "url_refused")


def test_there_is_an_end_to_what_one_message_names(lone: Desk) -> None:
    many = [Named(url=f"http://example.invalid/{number}") for number in range(MOST_URLS + 1)]
    assert code_of(lone, *many) == (422, "too_many_media")
    assert code_of(lone, *[Named(digest="0" * 64)] * 201) == (422, "too_many_media")


def test_many_who_fetch_at_once_do_not_keep_all_threads(lone: Desk, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unabridged.server.media.taking.FETCH_S", 1.0)
    monkeypatch.setattr("unabridged.server.media.fetching._FETCHING", threading.BoundedSemaphore(2))
    with ThreadPoolExecutor(6) as pool:
        codes = list(pool.map(lambda _: code_of(lone, Named(url=f"{site}/silent"), private_urls=True), range(6)))
    assert {status for status, _ in codes} == {422, 503}


def test_a_model_without_eyes_is_shown_nothing(lone: Desk) -> None:
    for data in (PICTURE, pdf(1)):
        digest = lone.upload(data, "ann").json()["digest"]
        assert code_of(lone, Named(digest=digest), model="blind") == (422, "no_vision")
    heard = lone.upload(wav(1), "ann").json()["digest"]
    assert digests(take(lone, Named(digest=heard), model="blind")) == (heard,)


@pytest.mark.parametrize(
    ("data", "takes"),
    [
        (PICTURE, {"claude", "gpt", "gemini"}),
        (pdf(1), {"claude", "gpt", "gemini"}),
        (wav(1), {"gpt", "gemini"}),
        (M4A, {"gemini"}),
        (MP4, {"gemini"}),
    ],
    ids=["picture", "pdf", "wav", "m4a", "mp4"],
)
def test_what_a_models_api_has_no_place_for_is_refused(lone: Desk, data: bytes, takes: set[str]) -> None:
    digest = lone.upload(data, "ann").json()["digest"]
    for model in ("claude", "gpt", "gemini"):
        if model in takes:
            assert digests(take(lone, Named(digest=digest), model=model)) == (digest,)
        else:
            assert code_of(lone, Named(digest=digest), model=model) == (422, "media_not_taken")


def picture_of(size: int, side: int = 100) -> Media:
    return msgspec.structs.replace(media_of_bytes(png(side, 100)), size=size)


@pytest.mark.parametrize(
    ("media", "model", "fits"),
    [
        ((picture_of(3_932_160),), "claude", True),  # 5 MiB as base64, to the byte
        ((picture_of(3_932_161),), "claude", False),
        ((picture_of(3_932_161),), "gpt", True),
        ((picture_of(99, 8_000),), "claude", True),
        ((picture_of(99, 8_001),), "claude", False),
        ((picture_of(99, 8_001),), "gemini", True),
        ((picture_of(99),) * 100, "claude", True),
        ((picture_of(99),) * 101, "claude", False),
        ((picture_of(3_000_000),) * 8, "claude", True),
        ((picture_of(3_000_000),) * 9, "claude", False),
        ((media_of_bytes(pdf(100)),), "claude", True),
        ((media_of_bytes(pdf(101)),), "claude", False),
        ((media_of_bytes(pdf(1_001)),), "gemini", False),
    ],
)
def test_what_a_provider_would_refuse_is_refused_before_it_is_stored(
    lone: Desk, media: tuple[Media, ...], model: str, fits: bool
) -> None:
    if fits:
        check_media(media, lone.served(model))
        return
    with pytest.raises(ApiError, match=r"Scale|Send") as error:  # the remedy is said
        check_media(media, lone.served(model))
    assert (error.value.status, error.value.code) == (422, "media_too_large")


def test_a_large_window_takes_more_pages(lone: Desk) -> None:
    large = msgspec.structs.replace(lone.served("claude"), window=1_000_000)
    check_media((media_of_bytes(pdf(600)),), large)
    with pytest.raises(ApiError, match="600"):
        check_media((media_of_bytes(pdf(601)),), large)


def test_a_picture_is_measured_by_what_it_is(lone: Desk) -> None:
    assert media_of_bytes(jpeg(8_001, 5) + b"%PDF-1.7 %%EOF").width == 8_001
