"""A chat server with two projects and three keys, and files of every kind that it takes."""

from __future__ import annotations

import os
import struct
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import uvicorn

from tests.store.databases import server_of_run
from unabridged import Conversation
from unabridged.message import Message, Role
from unabridged.server.app import create_app
from unabridged.server.caller import Scope
from unabridged.server.config import ModelConfig, ServerConfig
from unabridged.server.keys import Keys
from unabridged.server.media.reading import media_of_bytes
from unabridged.server.media.taking import MediaIntake
from unabridged.server.models import ModelShelf, Served
from unabridged.server.projects import Projects, Tenant
from unabridged.store import Session, Store, open_store
from unabridged.testing.pictures import png

ENGINES = ("sqlite", "postgres")
PICTURE = png(640, 480)


def jpeg(width: int, height: int) -> bytes:
    frame = b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", height, width) + b"\x03" + bytes(9)
    return b"\xff\xd8\xff\xe0\x00\x10JFIF\0" + bytes(9) + frame + b"\xff\xda\x00\x02" + b"\1" * 50 + b"\xff\xd9"


def wav(seconds: int) -> bytes:
    data = bytes(8_000 * seconds)
    form = struct.pack("<HHIIHH", 1, 1, 8_000, 8_000, 1, 8)
    chunks = b"fmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WAVE" + chunks


def pdf(pages: int) -> bytes:
    return b"%PDF-1.7\n" + b"<< /Type /Page >>\n" * pages + b"%%EOF\n"


GIF = b"GIF89a" + struct.pack("<HH", 30, 20) + b"\0\0\0" + b"," + bytes(20) + b";"
WEBP = b"RIFF" + struct.pack("<I", 30) + b"WEBPVP8X" + struct.pack("<I", 10) + bytes(4) + b"\x1f\0\0\x0f\0\0" + bytes(8)
MP4 = b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + bytes(40)
M4A = b"\0\0\0\x18ftypM4A \0\0\2\0isomiso2" + bytes(40)
WEBM = b"\x1aE\xdf\xa3\x9fB\x86\x81\1B\xf7\x81\1B\xf2\x81\4B\xf3\x81\x08B\x82\x84webm" + bytes(40)
OGG = b"OggS\0\2" + bytes(40)
FLAC = b"fLaC" + bytes(40)
MP3 = b"\xff\xfb\x90\x64" + bytes(413)


class Desk(msgspec.Struct, frozen=True):
    """A server that runs, and what lies behind it."""

    url: str
    store: Store
    config: ServerConfig
    keys: dict[str, str]

    def http(self, who: str = "web") -> httpx2.Client:
        """Give a client with somebody's key."""
        return httpx2.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.keys[who]}"}, trust_env=False, timeout=30
        )

    def upload(self, data: bytes | Iterable[bytes], who: str = "web", mime: str = "") -> httpx2.Response:
        with self.http(who) as client:
            return client.post("/chat/media", content=data, headers={"Content-Type": mime} if mime else None)

    def tenant(self, who: str = "web") -> Tenant:
        return Projects(self.store).tenant(Keys(self.store.database).caller(self.keys[who]))

    def intake(self, **changed: Any) -> MediaIntake:
        return MediaIntake(self.store.database, msgspec.structs.replace(self.config, **changed))

    def served(self, name: str) -> Served:
        return ModelShelf(self.config.models).get(name)

    def shown(self, session: Session, data: dict[str, bytes]) -> None:
        """Have a session show media, as a turn would."""
        with session.turn():
            talk = Conversation(model="m", window=50_000, log=session.log)
            for digest, each in data.items():
                message = Message(id=f"m-{digest[:8]}", role=Role.USER, parts=(media_of_bytes(each),))
                talk.transcript.append(message, media={digest: each})


@contextmanager
def desk(engine: str, folder: Path, **settings: Any) -> Generator[Desk]:
    """Run a server with the projects `web` and `other`; `ann` and `bob` are end users of `web`."""
    if engine == "sqlite":
        with _desk(str(folder / "server.db"), settings) as opened:
            yield opened
        return
    with (
        server_of_run(f"process-{os.getpid()}") as server,
        server.database() as place,
        _desk(place, settings) as opened,
    ):
        yield opened


@contextmanager
def _desk(place: str, settings: dict[str, Any]) -> Generator[Desk]:
    config = ServerConfig(**{"models": MODELS, "max_upload": 400_000, **settings})
    os.environ["MEDIA_TEST_KEY"] = "sk-test"
    with open_store(place, synchronous="NORMAL") as store:
        projects, keys = Projects(store), Keys(store.database)
        projects.create("web")
        projects.create("other")
        known = {
            "web": keys.create(Scope.PROJECT, project="web")[1],
            "other": keys.create(Scope.PROJECT, project="other")[1],
            "ann": keys.create(Scope.USER, project="web", owner="ann")[1],
            "bob": keys.create(Scope.USER, project="web", owner="bob")[1],
        }
        with running(create_app(config, store)) as url:
            yield Desk(url, store, config, known)


def _model(provider: str, *, sees: bool = True, window: int = 100_000) -> ModelConfig:
    return ModelConfig(
        model=f"model-of-{provider}",
        provider=provider,
        base_url="http://127.0.0.1:9/v1",
        api_key_env="MEDIA_TEST_KEY",
        window=window,
        sees=sees,
    )


MODELS = {
    "claude": _model("anthropic"),
    "gpt": _model("openai_chat"),
    "gemini": _model("gemini"),
    "blind": _model("openai_chat", sees=False),
}


@contextmanager
def running(app: Any) -> Generator[str]:
    """Serve an application with its life span."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
