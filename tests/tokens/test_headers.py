"""What a file says of its size, and that no file is too broken to ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens import files
from unabridged.tokens.headers import pdf_pages, picture_size, recording_seconds

SIZES = [(1, 1), (640, 480), (1920, 1080), (3, 16_000)]
PICTURES = {
    "png": files.png(31, 17),
    "jpeg": files.jpeg(31, 17),
    "gif": files.gif(31, 17),
    "bmp": files.bmp(31, 17),
    "webp": files.webp(b"VP8 ", 31, 17),
    "webp, lossless": files.webp(b"VP8L", 31, 17),
    "webp, extended": files.webp(b"VP8X", 31, 17),
}
OTHERS = {"pdf": files.pdf(3, packed=2), "wav": files.wav(1), "mp3": files.mp3(1, tagged=True), "mp4": files.mp4(1)}


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_picture_format_tells_its_size(width: int, height: int) -> None:
    made = [
        files.png(width, height),
        files.jpeg(width, height),
        files.gif(width, height),
        files.bmp(width, height),
        files.bmp(width, height, header=12),
        *(files.webp(kind, width, height) for kind in (b"VP8 ", b"VP8L", b"VP8X")),
    ]
    assert [picture_size(data) for data in made] == [(width, height)] * len(made)


@pytest.mark.parametrize("frame", [0xC0, 0xC1, 0xC2, 0xC9, 0xCF])
def test_every_kind_of_jpeg_frame_is_found(frame: int) -> None:
    assert picture_size(files.jpeg(800, 600, frame)) == (800, 600)


def test_a_jpeg_may_fill_and_mark_before_its_frame() -> None:
    before = b"\xff\xff\xff\xe1\x00\x08Exif\0\0" + b"\xff\x01" + b"\xff\xd0"
    assert picture_size(files.jpeg(800, 600, before=before)) == (800, 600)


def test_a_bmp_that_is_stored_from_the_top_down_has_a_size_all_the_same() -> None:
    assert picture_size(files.bmp(640, -480)) == (640, 480)


@pytest.mark.parametrize("data", [b"", b"BM, a text that begins so", b"GIF8", b"RIFF\0\0\0\0AVI LIST", files.gif(0, 9)])
def test_what_is_no_picture_has_no_size(data: bytes) -> None:
    assert picture_size(data) is None


def test_a_jpeg_without_a_frame_has_no_size() -> None:
    assert picture_size(b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\0" * 10 + b"\xff\xd9") is None


@pytest.mark.parametrize("seconds", [0.5, 3.0, 61.25])
def test_every_recording_tells_its_length(seconds: float) -> None:
    made = [
        files.wav(seconds),
        files.wav(seconds, declared=0xFFFFFFFF),
        files.mp3(seconds),
        files.mp3(seconds, tagged=True),
        files.mp4(seconds),
        files.mp4(seconds, wide=True),
    ]
    assert [recording_seconds(data) for data in made] == [pytest.approx(seconds, rel=0.01)] * len(made)


@pytest.mark.parametrize("data", [b"", b"plain text", b"ID3", files.wav(0), b"\0\0\0\x14ftypisom", b"\xff\xfb\xf0\x00"])
def test_what_is_no_recording_has_no_length(data: bytes) -> None:
    assert not recording_seconds(data)


@pytest.mark.parametrize(("plain", "packed"), [(1, 0), (12, 0), (0, 7), (3, 40)])
def test_the_pages_of_a_pdf_are_counted_packed_or_not(plain: int, packed: int) -> None:
    assert pdf_pages(files.pdf(plain, packed)) == plain + packed


def test_a_pdf_whose_pages_cannot_be_seen_has_no_page_count() -> None:
    hidden = files.pdf(0, packed=9).replace(b"\nstream\n", b"\nstream\nencrypted")
    assert pdf_pages(hidden) is None


def test_a_pdf_that_unpacks_to_gigabytes_is_not_unpacked_whole() -> None:
    one = files.pdf(0, packed=100_000)
    pages = pdf_pages(one * 400)
    assert pages is not None
    assert 0 < pages < 400 * 100_000


@given(
    data=st.sampled_from([*PICTURES.values(), *OTHERS.values()]), cut=st.integers(0, 200), noise=st.binary(max_size=8)
)
def test_a_file_that_is_cut_off_or_damaged_is_read_without_a_word(data: bytes, cut: int, noise: bytes) -> None:
    damaged = data[:cut] + noise + data[cut + len(noise) :]
    for broken in (data[:cut], damaged):
        picture_size(broken)
        recording_seconds(broken)
        pdf_pages(broken)


@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"\x89PNG", b"\xff\xd8", b"RIFF\0\0\0\0WEBP", b"RIFF\0\0\0\0WAVE", b"ID3"]),
)
def test_noise_behind_any_beginning_is_read_without_a_word(noise: bytes, magic: bytes) -> None:
    size, seconds, pages = picture_size(magic + noise), recording_seconds(magic + noise), pdf_pages(magic + noise)
    assert size is None or min(size) > 0
    assert seconds is None or seconds >= 0
    assert pages is None or pages > 0
