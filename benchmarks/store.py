"""The store's benchmarks, each as a table: how long a session takes to open, and what an append costs.

`make bench-store` runs them on SQLite and on a PostgreSQL of their own, with fsync on, in the system's folder for
temporary files. About ten minutes, most of it to fill a session with a million entries.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from pathlib import Path

from benchmarks import store_appends, store_opening
from tests.store.databases import own_server


def main() -> int:
    """Print the tables; give 0 if what is promised of them holds on this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, nargs="+", default=list(store_opening.SIZES), help="lengths to open at")
    given = parser.parse_args()
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder, own_server("bench") as server:
        server.run("ALTER SYSTEM SET fsync = on")
        server.run("SELECT pg_reload_conf()")
        with server.database() as url:
            held = [store_appends.table(Path(folder), url)]
        print()
        with server.database() as url:
            held.append(store_opening.table(Path(folder), url, tuple(given.entries)))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
