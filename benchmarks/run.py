"""Every benchmark, each as a table. Figures are ratios and CPU times of this machine, taken in this one run."""

from __future__ import annotations

import sys

from benchmarks import counting, growth, runs, step
from benchmarks.workloads import Workloads


def main() -> int:
    """Print the tables; give 0 if what is promised of them holds on this machine."""
    workloads = Workloads()
    held = [runs.table(workloads)]
    print()
    held.append(step.table(workloads))
    print()
    held.append(growth.table())
    print()
    counting.main()
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
