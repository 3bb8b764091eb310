"""What a store of many runs costs those who ask it: `claims`, `list`, `gc` and `fsck` where ten thousand were made.

Three real runs, of three seeds under one claim, are written down again and again under other names.
"""

from __future__ import annotations

import itertools
from pathlib import Path

from bench.costs import Size
from bench.measure import spend
from bench.peers import environment
from bench.project import HARNESS, Project
from bench.table import Row
from support_history import Clones

from harness.store.store import Store

RUNS = 10_000
CLAIM = """\
claims:
  - {of: "counts#/addition/kept", at_least: 1, where: "Written by the benchmark suite.", id: kept}
"""


def build(folder: Path, runs: int) -> Project:
    """Run a manifest under three seeds, and write the runs down again until there are so many."""
    project = Project(folder, "claimed").write(["stand-in"], 20)
    text = project.manifest.read_text() + CLAIM
    for seed in (1, 2, 3):
        project.manifest.write_text(text.replace("seed: 7", f"seed: {seed}"))
        project.lock()
        project.run()
    store = Store.open(folder / ".harness")
    models = store.run_ids()
    with Clones(store) as clones:
        for model in itertools.islice(itertools.cycle(models), runs - len(models)):
            clones.add(model)
    return project


def store_rows(work: Path, size: Size) -> list[Row]:
    """Measure every verb that follows the list of runs."""
    project = build(work / "stores", RUNS)
    rows = []
    for verb, mark in (("claims", 1.0), ("list", 1.0), ("gc", None), ("fsck", None)):
        repeats = size.repeats if mark else 1
        costs = [spend([HARNESS, verb], environment(work), project.root).cpu for _ in range(1 + repeats)]
        rows.append(Row("stores", f"CPU of `harness {verb}`, {RUNS:,} runs in the store", tuple(costs[1:]), mark, "s"))
    return rows
