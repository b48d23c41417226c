"""Uploads and the bytes of media over HTTP, on each engine."""

from __future__ import annotations

import hashlib
import http.client
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from tests.server.media_scene import (
    ENGINES,
    FLAC,
    GIF,
    M4A,
    MP3,
    MP4,
    OGG,
    PICTURE,
    WEBM,
    WEBP,
    Desk,
    desk,
    jpeg,
    pdf,
    wav,
)
from unabridged import Conversation
from unabridged.message import Media, MediaKind, Message, Role
from unabridged.server.media.reading import media_of_bytes
from unabridged.server.problems import ApiError
from unabridged.testing.pictures import png

KINDS = [
    (PICTURE, "image/png", {"kind": "image", "width": 640, "height": 480}),
    (jpeg(300, 200), "image/jpeg", {"kind": "image", "width": 300, "height": 200}),
    (GIF, "image/gif", {"kind": "image", "width": 30, "height": 20}),
    (WEBP, "image/webp", {"kind": "image", "width": 32, "height": 16}),
    (pdf(3), "application/pdf", {"kind": "document", "pages": 3}),
    (wav(2), "audio/wav", {"kind": "audio", "seconds": 2.0}),
    (MP3, "audio/mpeg", {"kind": "audio"}),
    (OGG, "audio/ogg", {"kind": "audio"}),
    (FLAC, "audio/flac", {"kind": "audio"}),
    (M4A, "audio/mp4", {"kind": "audio"}),
    (MP4, "video/mp4", {"kind": "video"}),
    (WEBM, "video/webm", {"kind": "video"}),
]


@pytest.fixture(scope="module", params=ENGINES)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(request.param, tmp_path_factory.mktemp("media")) as opened:
        yield opened


@pytest.mark.parametrize(("data", "mime", "said"), KINDS, ids=[mime for _, mime, _ in KINDS])
def test_a_file_is_what_its_bytes_are_whatever_the_client_says(
    place: Desk, data: bytes, mime: str, said: dict[str, object]
) -> None:
    answer = place.upload(data, mime="text/html")
    body = answer.json()
    assert answer.status_code == 201
    assert body["digest"] == hashlib.sha256(data).hexdigest()
    assert (body["mime"], body["size"]) == (mime, len(data))
    assert {name: body[name] for name in said} == said
    assert body["tokens"] > 0


def test_a_picture_is_priced_by_the_rule_of_the_projects_model(place: Desk) -> None:
    assert place.upload(png(1_920, 1_080)).json()["tokens"] == 2_695  # Anthropic: 69 x 39 patches, and 4
    assert place.upload(pdf(3)).json()["tokens"] == 7_500


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE html><script>alert(1)</script>",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>",
        b"<?xml version='1.0'?><svg/>",
        b"BM" + bytes(60),
        b"MZ" + bytes(60),
        b"PK\3\4" + bytes(60),
        b"\x7fELF" + bytes(60),
        b"\xff\xfe<\0h\0t\0m\0l\0>\0",
        b"\n%PDF-1.4 behind a line",
        b"\0\0\0\x18ftypheic" + bytes(40),
        b"\x1aE\xdf\xa3" + b"matroska" + bytes(40),
        b"RIFF\0\0\0\0AVI " + bytes(40),
        b"plain text",
        b"",
    ],
)
def test_what_is_not_taken_says_what_is(place: Desk, data: bytes) -> None:
    answer = place.upload(data, mime="image/png")
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media")
    assert "PNG" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "data",
    [PICTURE[:20], PICTURE[:-12], jpeg(300, 200)[:30], jpeg(300, 200)[:-2], GIF[:8], WEBP[:-9], pdf(2)[:-6]],
)
def test_a_file_that_is_cut_off_is_refused_before_a_provider_refuses_the_whole_conversation(
    place: Desk, data: bytes
) -> None:
    answer = place.upload(data)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_media")


def test_a_picture_with_another_file_inside_is_still_the_picture(place: Desk) -> None:
    hidden = png(3_000, 2_000, "%PDF-1.7 /Type /Page <script>alert(1)</script>")
    body = place.upload(hidden).json()
    assert (body["mime"], body["width"], body["height"]) == ("image/png", 3_000, 2_000)
    assert "pages" not in body
    assert body["tokens"] > 1_600


def test_a_form_with_a_file_is_taken_like_the_file(place: Desk) -> None:
    with place.http() as client:
        answer = client.post("/chat/media", files={"file": ("a.html", PICTURE, "text/html")}, data={"note": "x"})
        assert (answer.status_code, answer.json()["mime"]) == (201, "image/png")
        for files in ({"other": ("a", PICTURE)}, {"file": (None, b"words")}):
            answer = client.post("/chat/media", files=files)
            assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_input")
        broken = {"Content-Type": "multipart/form-data; boundary=x"}
        assert client.post("/chat/media", content=b"--y\r\nnothing", headers=broken).status_code == 422
        headless = {"Content-Type": "multipart/form-data"}
        assert client.post("/chat/media", content=b"x", headers=headless).status_code == 422


@pytest.mark.parametrize("form", [False, True])
def test_more_than_the_limit_is_refused(place: Desk, form: bool) -> None:
    data = PICTURE + bytes(place.config.max_upload)
    with place.http() as client:
        if form:
            answer = client.post("/chat/media", files={"file": ("a.png", data)})
        else:
            answer = client.post("/chat/media", content=data)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_body_without_an_end_is_read_no_further_than_the_limit(place: Desk) -> None:
    sent = 0
    connection = socket.create_connection((urlsplit(place.url).hostname, urlsplit(place.url).port), timeout=10)
    with connection:
        head = f"POST /chat/media HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {place.keys['web']}\r\n"
        connection.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        try:
            while sent < 50 * place.config.max_upload:
                connection.sendall(b"10000\r\n" + bytes(0x10000) + b"\r\n")
                sent += 0x10000
        except OSError:
            pass  # the server hung up
    assert sent < 50 * place.config.max_upload


def test_what_is_announced_as_too_large_is_not_read_at_all(place: Desk) -> None:
    connection = http.client.HTTPConnection(urlsplit(place.url).netloc, timeout=10)
    connection.putrequest("POST", "/chat/media")
    connection.putheader("Authorization", f"Bearer {place.keys['web']}")
    connection.putheader("Content-Length", "99999999999")
    connection.endheaders()
    assert connection.getresponse().status == 413  # and not a byte was sent
    connection.close()


def test_nobody_without_a_key_uploads(place: Desk) -> None:
    with place.http() as client:
        assert client.post("/chat/media", content=PICTURE, headers={"Authorization": "Bearer ub_no"}).status_code == 401
        del client.headers["Authorization"]
        assert client.post("/chat/media", content=PICTURE).status_code == 401


def test_the_same_bytes_at_the_same_time_are_one_upload(place: Desk) -> None:
    data = png(200, 200, f"same {time.time()}")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: place.upload(data, "ann"), range(16)))
    digest = hashlib.sha256(data).digest()
    assert {answer.status_code for answer in answers} == {201}
    assert {answer.json()["digest"] for answer in answers} == {digest.hex()}
    assert place.store.database.rows("SELECT count(*) FROM uploads WHERE digest = ?", digest) == [(1,)]


def test_an_end_user_fills_no_disk_with_what_he_never_uses(place: Desk) -> None:
    uploads, tenant = place.intake(max_waiting=2_000).uploads, place.tenant("bob")
    pictures = [recording(number) for number in range(3)]
    uploads.keep(tenant, media_of_bytes(pictures[0]), pictures[0])
    uploads.keep(tenant, media_of_bytes(pictures[0]), pictures[0])  # the same again takes no more room
    uploads.keep(tenant, media_of_bytes(pictures[1]), pictures[1])
    with pytest.raises(ApiError, match="wait to be used") as refused:
        uploads.keep(tenant, media_of_bytes(pictures[2]), pictures[2])
    assert refused.value.status == 429
    uploads.keep(place.tenant("ann"), media_of_bytes(pictures[2]), pictures[2])


def recording(number: int) -> bytes:
    return b"OggS" + bytes([number]) * 900


def test_uploads_that_nobody_used_go_when_their_time_is_over(place: Desk) -> None:
    uploads = place.intake().uploads
    digest = place.upload(png(11, 11, "old"), "ann").json()["digest"]
    hours = place.config.upload_hours * 3_600
    uploads.sweep(time.time() + hours - 60)
    assert uploads.data(place.tenant("ann"), digest) is not None
    assert uploads.sweep(time.time() + hours + 60) >= 1
    assert uploads.data(place.tenant("ann"), digest) is None
    assert uploads.sweep(time.time() + hours + 60) == 0


def test_media_of_a_session_come_back_as_they_went_in(place: Desk) -> None:
    session = place.tenant("ann").sessions.create(id="shown")
    large = PICTURE + bytes(1_300_000)  # more than one piece of the store
    files = {hashlib.sha256(data).hexdigest(): data for data in (PICTURE, large, pdf(2))}
    place.shown(session, files)
    with place.http("ann") as client:
        for digest, data in files.items():
            answer = client.get(f"/chat/sessions/shown/media/{digest}")
            assert answer.content == data
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")
            assert answer.headers["cache-control"].startswith("private")
            again = client.get(answer.url, headers={"If-None-Match": answer.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            kind = "application/pdf" if data == pdf(2) else "image/png"
            assert answer.headers["content-type"] == kind
            shown = "attachment" if data == pdf(2) else "inline"
            assert answer.headers["content-disposition"].startswith(shown)


def test_what_a_browser_could_run_is_for_saving_alone(place: Desk) -> None:
    page = b"<html><script>alert(1)</script>"
    digest = hashlib.sha256(page).hexdigest()
    session = place.tenant("ann").sessions.create(id="imported")
    with session.turn():
        talk = Conversation(model="m", window=50_000, log=session.log)
        part = Media(kind=MediaKind.DOCUMENT, mime="text/html", digest=digest)
        talk.transcript.append(Message(id="m-1", role=Role.USER, parts=(part,)), media={digest: page})
    with place.http("ann") as client:
        answer = client.get(f"/chat/sessions/imported/media/{digest}")
    assert answer.content == page
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")


def test_media_are_found_in_their_session_by_those_who_see_it_and_nowhere_else(place: Desk) -> None:
    digest = hashlib.sha256(PICTURE).hexdigest()
    mine = place.tenant("ann").sessions.create(id="mine")
    place.shown(mine, {digest: PICTURE})
    place.tenant("ann").sessions.create(id="empty")
    path = f"/chat/sessions/mine/media/{digest}"
    status = {}
    for who in ("ann", "web", "bob", "other"):
        with place.http(who) as client:
            status[who] = client.get(path).status_code
    assert status == {"ann": 200, "web": 200, "bob": 404, "other": 404}
    with place.http("ann") as client:
        assert client.get(f"/chat/sessions/empty/media/{digest}").status_code == 404
        assert client.get(f"/chat/sessions/mine/media/{'0' * 64}").status_code == 404
        assert client.get("/chat/sessions/mine/media/nonsense").status_code == 422
        # an upload is nobody's media before it is shown
        waiting = place.upload(png(5, 5, "waits"), "ann").json()["digest"]
        assert client.get(f"/chat/sessions/mine/media/{waiting}").status_code == 404


def test_the_description_of_the_api_says_what_is_taken(place: Desk) -> None:
    with place.http() as client:
        paths = client.get("/openapi.json").json()["paths"]
    post = paths["/chat/media"]["post"]
    assert set(post["requestBody"]["content"]) == {"application/octet-stream", "multipart/form-data"}
    assert {"201", "413", "415", "422"} <= set(post["responses"])
    assert "/chat/sessions/{id}/media/{digest}" in paths
