"""Reading a log file to its end, whatever happened to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from unabridged.codec import PAYLOAD_KINDS, complaint, without_surrogates
from unabridged.entry import Entry, UnknownEntry
from unabridged.errors import BadInput
from unabridged.store.lines import VERSION, Header, Line, MediaLine, StoredEntry, decode_line
from unabridged.store.order import EntryOrder
from unabridged.store.problem import Problem, ProblemKind
from unabridged.store.salvage import cleaned, pieces

_HEADER_START = b'{"kind":"unabridged"'
_LINE_KINDS = ("unabridged", "entry", "media")


class Opened(msgspec.Struct, frozen=True):
    """What a log file holds."""

    session: str
    """Empty when no header could be read."""
    counter: str
    """Name of the token counter that the session began with."""
    entries: tuple[Entry, ...]
    """In the order of `seq`, each of which is there once."""
    media: dict[str, bytes]
    """By digest."""
    problems: tuple[Problem, ...]
    """In the order of lines."""
    aside: tuple[Entry, ...] = ()
    """Whole entries that have no place in this log: another one has their `seq`, or another session made them."""


class _Kind(msgspec.Struct):
    kind: str = ""
    version: int = 0


class LogReader:
    """Takes the lines of a log file, and keeps what they hold and what was wrong with them."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.media: dict[str, bytes] = {}
        self._problems: list[Problem] = []
        self._order = EntryOrder()
        self._line = 0
        self._other_session = False
        self._crlf = False
        self._first_unread = (0, b"")

    @property
    def next_seq(self) -> int:
        """The position behind the last entry."""
        return self._order.next_seq

    def read(self, lines: Iterable[bytes]) -> None:
        """Read lines with their ends, which only the last one may lack. Raises `BadInput` for a newer version only."""
        for line in lines:
            self._line += 1
            if not self._crlf and line.endswith(b"\r\n"):
                self._crlf = True
                self._report(ProblemKind.CRLF, "lines end in CR LF")
            try:
                read = decode_line(line)
            except (ValueError, RecursionError, BadInput):
                self._mend(line)
            else:
                self._take(read)

    def opened(self) -> Opened:
        """Give what was read. Raises `BadInput` when nothing in the file is a line of a log."""
        if self.header is None:
            if not self._is_log():
                raise BadInput(
                    f"this is no log of a session: its first line should begin with {_HEADER_START.decode()}; "
                    "the transcript of another client is imported, not opened"
                )
            self._problems.append(Problem(1, ProblemKind.NO_HEADER, "no line says which session this is"))
        problems = sorted([*self._problems, *self._order.gaps()], key=lambda problem: problem.line)
        return Opened(
            session=self.header.session if self.header else "",
            counter=self.header.counter if self.header else "",
            entries=tuple(self._order.entries()),
            media=self.media,
            problems=tuple(problems),
            aside=tuple(self._order.aside),
        )

    def _is_log(self) -> bool:
        # A crash while the file was made leaves nothing of it, or the start of a header.
        number, start = self._first_unread
        torn_header = number == self._line and _HEADER_START.startswith(start)
        damaged_header = start.startswith(_HEADER_START)
        return torn_header or damaged_header or bool(self._order or self._order.aside or self.media)

    def _report(self, what: ProblemKind, detail: str) -> None:
        self._problems.append(Problem(self._line, what, detail))

    def _mend(self, line: bytes) -> None:
        text, found = cleaned(line.strip())
        for what, detail in found:
            self._report(what, detail)
        if not self._first_unread[1]:
            self._first_unread = (self._line, text[:200])
        whole, lost, torn = self._pieces(text)
        if whole > 1 or (whole and lost):
            self._report(ProblemKind.GLUED_RECORDS, f"{whole} records were read from it, {lost} bytes were not")
        elif lost:
            self._order.skip()
        if torn and not line.endswith(b"\n"):
            self._report(ProblemKind.TORN_LAST_LINE, f"{lost} bytes could not be read")
        elif lost and not whole:
            self._report(ProblemKind.NOT_JSON, f"{lost} bytes could not be read")

    def _pieces(self, text: bytes) -> tuple[int, int, bool]:
        """Take what can be read of a line. Returns records read, bytes not read, and whether those are at its end."""
        whole, lost, torn = 0, 0, False
        for piece, is_object in pieces(text):
            torn = not (is_object and self._piece(piece))
            if torn:
                lost += len(piece)
            else:
                whole += 1
        return whole, lost, torn

    def _piece(self, piece: bytes) -> bool:
        """Take one JSON object of a damaged line; False when it is none after all."""
        try:
            read = decode_line(piece)
        except msgspec.ValidationError as error:
            self._misshapen(piece, str(error))
        except (ValueError, RecursionError, BadInput):
            return False
        else:
            self._take(read)
        return True

    def _misshapen(self, line: bytes, reason: str) -> None:
        kind, version = _kind_of(line)
        if kind == "unabridged" and version > VERSION:
            self._newer(version)
        elif kind and kind not in _LINE_KINDS:
            self._report(ProblemKind.UNKNOWN_KIND, f"a line of the kind {kind!r}")
        else:
            self._report(ProblemKind.WRONG_SHAPE, reason)
        self._order.skip()

    def _take(self, read: Line) -> None:
        if isinstance(read, StoredEntry):
            self._take_entry(read)
        elif isinstance(read, MediaLine):
            self._take_media(read)
        else:
            self._take_header(read)

    def _take_header(self, header: Header) -> None:
        if header.version > VERSION:
            self._newer(header.version)
        elif self.header is None:
            self.header = header
        elif header.session != self.header.session:
            self._other_session = True
            self._report(ProblemKind.OTHER_SESSION, f"from here on it is the log of {header.session!r}")
        else:
            self._other_session = False
            self._report(ProblemKind.SECOND_HEADER, "the header stands here once more")

    def _newer(self, version: int) -> None:
        if self.header is None:
            raise BadInput(f"the log has version {version} of the format, this library reads {VERSION}: update it")
        self._report(ProblemKind.NEWER_VERSION, f"from here on it is version {version} of the format")

    def _take_media(self, media: MediaLine) -> None:
        if hashlib.sha256(media.data).hexdigest() == media.digest:
            self.media[media.digest] = media.data
        else:
            self._report(ProblemKind.BAD_DIGEST, f"the media {media.digest!r} are not the bytes that were written")

    def _take_entry(self, read: StoredEntry) -> None:
        payload = read.entry.payload
        if isinstance(payload, UnknownEntry):
            known = payload.kind in PAYLOAD_KINDS
            what = ProblemKind.WRONG_SHAPE if known else ProblemKind.UNKNOWN_KIND
            self._report(what, complaint(read.stored) or f"an entry of the kind {payload.kind!r}")
        if read.lone_surrogate:
            self._report(ProblemKind.LONE_SURROGATE, "a text holds half of a surrogate pair")
        if self._other_session:
            self._order.aside.append(read.entry)
        else:
            self._problems.extend(self._order.put(read, self._line))


def _kind_of(line: bytes) -> tuple[str, int]:
    try:
        read = msgspec.json.decode(without_surrogates(line), type=_Kind)
    except (ValueError, RecursionError):
        return "", 0
    return read.kind, read.version
