"""What media costs: the provider's rule where the size is known, a fixed price where it is not, never nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens import files
from unabridged.message import Media, MediaKind
from unabridged.tokens.media import MediaFacts, describe, media_tokens

DIALECTS = ["anthropic", "openai_chat", "openai_responses", "gemini", "", "something_new"]


def picture(width: int | None, height: int | None) -> Media:
    return Media(kind=MediaKind.IMAGE, mime="image/png", width=width, height=height)


@pytest.mark.parametrize(
    ("data", "mime", "facts"),
    [
        (files.png(640, 480), "image/png", MediaFacts(640, 480, None, None)),
        (files.png(640, 480), "image/jpeg", MediaFacts(640, 480, None, None)),
        (files.webp(b"VP8L", 640, 480), "", MediaFacts(640, 480, None, None)),
        (files.pdf(4), "application/pdf", MediaFacts(None, None, 4, None)),
        (b"\n\n" + files.pdf(4), "application/octet-stream", MediaFacts(None, None, 4, None)),
        (files.wav(2), "audio/wav", MediaFacts(None, None, None, 2.0)),
        (files.mp4(2), "video/mp4", MediaFacts(None, None, None, 2.0)),
        (b"no file at all", "application/pdf", MediaFacts(None, None, None, None)),
        (b"", "", MediaFacts(None, None, None, None)),
    ],
)
def test_a_file_is_described_by_what_it_begins_with(data: bytes, mime: str, facts: MediaFacts) -> None:
    assert describe(data, mime) == facts


@given(st.binary(max_size=600), st.sampled_from(["image/png", "application/pdf", "audio/mpeg", "video/mp4", "", "x"]))
def test_noise_is_described_without_a_word(data: bytes, mime: str) -> None:
    assert isinstance(describe(data, mime), MediaFacts)


@pytest.mark.parametrize(
    ("width", "height", "measured"),
    # Tokens reported by Claude 5.5 in 2026, the message around the picture (77) taken off.
    [(256, 256, 100), (512, 512, 361), (768, 768, 784), (1024, 1024, 1369), (1280, 720, 1196), (1920, 1080, 2691)],
)
def test_a_picture_costs_what_anthropic_reports(width: int, height: int, measured: int) -> None:
    assert media_tokens(picture(width, height), "anthropic") == pytest.approx(measured, abs=4)


@pytest.mark.parametrize(("width", "height"), [(2576, 2576), (4032, 3024), (8000, 8000), (100_000, 90_000)])
def test_anthropic_scales_large_pictures_down(width: int, height: int) -> None:
    assert media_tokens(picture(width, height), "anthropic") == 4_788


@pytest.mark.parametrize(
    ("width", "height", "measured"),
    # Tokens reported by GPT-6 in 2026, detail `auto`.
    [(512, 512, 308), (1024, 1024, 1229), (1920, 1080, 2448), (2560, 1440, 4320), (4032, 3024, 14_364)],
)
def test_openai_never_takes_more_than_is_counted(width: int, height: int, measured: int) -> None:
    for dialect in ("openai_chat", "openai_responses"):
        assert measured <= media_tokens(picture(width, height), dialect) <= max(1.4 * measured, 425)


@pytest.mark.parametrize(("width", "height", "tiles"), [(1024, 1024, 765), (2048, 4096, 1105), (200, 200, 255)])
def test_openai_counts_at_least_the_tiles_of_its_older_models(width: int, height: int, tiles: int) -> None:
    assert media_tokens(picture(width, height), "openai_chat") >= tiles


def test_gemini_takes_the_same_for_every_picture() -> None:
    assert {media_tokens(picture(side, side), "gemini") for side in (64, 1024, 4096)} == {1_120}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("media", [picture(None, None), picture(0, 0), picture(640, None)])
def test_a_picture_of_unknown_size_costs_1600(media: Media, dialect: str) -> None:
    assert media_tokens(media, dialect) == 1_600


def test_the_length_of_a_picture_in_bytes_says_nothing() -> None:
    small = Media(kind=MediaKind.IMAGE, width=800, height=600, size=2_000)
    large = Media(kind=MediaKind.IMAGE, width=800, height=600, size=3_000_000)
    assert media_tokens(small, "anthropic") == media_tokens(large, "anthropic")


@pytest.mark.parametrize(
    ("dialect", "page"), [("anthropic", 2_500), ("openai_chat", 1_600), ("gemini", 1_600), ("", 1_600)]
)
def test_a_document_costs_by_the_page_and_has_ten_if_nobody_knows(dialect: str, page: int) -> None:
    document = Media(kind=MediaKind.DOCUMENT, mime="application/pdf")
    assert media_tokens(document, dialect) == 10 * page
    assert media_tokens(Media(kind=MediaKind.DOCUMENT, pages=37), dialect) == 37 * page


def test_a_document_of_plain_text_costs_by_its_length() -> None:
    document = Media(kind=MediaKind.DOCUMENT, mime="text/plain", size=300_000)
    assert media_tokens(document, "anthropic") == pytest.approx(100_000, rel=0.01)


@pytest.mark.parametrize(("dialect", "a_second"), [("openai_chat", 20), ("gemini", 32), ("", 32)])
def test_sound_costs_by_the_second_and_lasts_a_minute_if_nobody_knows(dialect: str, a_second: int) -> None:
    assert media_tokens(Media(kind=MediaKind.AUDIO, seconds=2.0), dialect) == 2 * a_second
    assert media_tokens(Media(kind=MediaKind.AUDIO, url="https://example.com/talk.mp3"), dialect) == 60 * a_second


def test_video_costs_by_the_second_and_lasts_a_minute_if_nobody_knows() -> None:
    assert media_tokens(Media(kind=MediaKind.VIDEO, seconds=2.5), "gemini") == 750
    assert media_tokens(Media(kind=MediaKind.VIDEO), "gemini") == 18_000


@given(
    kind=st.sampled_from(MediaKind),
    dialect=st.sampled_from(DIALECTS),
    sides=st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)) | st.just((None, None)),
    pages=st.none() | st.integers(0, 10**5),
    seconds=st.none() | st.floats(0, 10**6),
    size=st.none() | st.integers(0, 10**9),
)
def test_nothing_is_ever_free(
    kind: MediaKind,
    dialect: str,
    sides: tuple[int | None, int | None],
    pages: int | None,
    seconds: float | None,
    size: int | None,
) -> None:
    media = Media(kind=kind, width=sides[0], height=sides[1], pages=pages, seconds=seconds, size=size)
    assert media_tokens(media, dialect) >= 1


@pytest.mark.parametrize("seconds", [5e306, float("inf"), float("nan"), -3.0, 0.0])
@pytest.mark.parametrize("kind", [MediaKind.AUDIO, MediaKind.VIDEO])
def test_a_length_that_no_recording_has_counts_as_not_known(kind: MediaKind, seconds: float) -> None:
    assert media_tokens(Media(kind=kind, seconds=seconds), "gemini") == media_tokens(Media(kind=kind), "gemini") > 0
