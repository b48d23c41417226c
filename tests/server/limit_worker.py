"""A process that begins a turn for each of some end users, as fast as it can, and says for whom one began."""

from __future__ import annotations

import sys

from unabridged.server.caller import Caller, Scope
from unabridged.server.limits import Meters
from unabridged.server.problems import ApiError
from unabridged.server.projects import Projects
from unabridged.store import open_store


def main(place: str, users: int) -> None:
    """Begin turns once told to."""
    with open_store(place) as store:
        meters, projects, begun = Meters(store.database), Projects(store), list[int]()
        print("ready", flush=True)
        sys.stdin.readline()
        for user in range(users):
            tenant = projects.tenant(Caller(key="k", scope=Scope.USER, project="home", owner=f"user {user}"))
            try:
                meters.begin(tenant)
            except ApiError:
                continue
            meters.spent(tenant, 100, 0.25, turns=1)
            begun.append(user)
        meters.flush()
        print(*begun)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
