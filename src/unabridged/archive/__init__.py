"""What left the view can be found again: by words, in one conversation, in any language, without a service to run."""

from unabridged.archive.archive import ALL, Archive, Hit, Wanted
from unabridged.archive.chunks import Place, text_of
from unabridged.archive.embedding import Embedder
from unabridged.archive.shelf import MemoryShelf, Shelf
from unabridged.archive.stored_shelf import StoredShelf
from unabridged.archive.tools import answer, history_tools, shown_text

__all__ = [
    "ALL",
    "Archive",
    "Embedder",
    "Hit",
    "MemoryShelf",
    "Place",
    "Shelf",
    "StoredShelf",
    "Wanted",
    "answer",
    "history_tools",
    "shown_text",
    "text_of",
]
