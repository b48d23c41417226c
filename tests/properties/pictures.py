"""Real pictures in the few sizes that matter to a provider."""

from __future__ import annotations

import base64

from unabridged.testing.pictures import png

SIZES = ((16, 16), (640, 480), (1568, 1200), (2100, 300))
"""Width and height in pixels; the last is larger than a request with many pictures may carry."""


def png_base64(size: int, shade: int) -> str:
    """Give a PNG of one of the `SIZES` as base64 text."""
    return base64.b64encode(png(*SIZES[size], str(shade))).decode()
