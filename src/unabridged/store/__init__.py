"""Where logs are kept.

`open_store` gives sessions in a database: SQLite in a file or in memory, or PostgreSQL for many workers. `jsonl` is the
documented file form: one line for each entry.
"""

from unabridged.store.sessions import Head, Project, Session, Store, open_store

__all__ = ["Head", "Project", "Session", "Store", "open_store"]
